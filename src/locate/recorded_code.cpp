#include "locate/recorded_code.hpp"

#include <utility>
#include <variant>

namespace tacho {

void RecordedCode::add(const perfdata::Record& record, const perfdata::Description& recording) {
  if (const auto* mapping = std::get_if<perfdata::Mapping>(&record.what)) {
    mapped_.add(*mapping);
    jit_.add(*mapping, recording, sources_, mapped_);
  } else if (const auto* command = std::get_if<perfdata::Command>(&record.what)) {
    mapped_.add(*command);
    jit_.add(*command);
  } else if (const auto* fork = std::get_if<perfdata::Fork>(&record.what)) {
    mapped_.add(*fork);
    jit_.add(*fork);
  }
}

CodeRange RecordedCode::range_of(std::int32_t pid, perfdata::OptionalU64 time, perfdata::Mode mode,
                                 std::uint64_t address) {
  const CodeRange range = mapped_.range_of(pid, mode, address);
  if (jit_.empty() || mode != perfdata::Mode::user) return range;
  const ModuleKind kind = modules()[range.module].kind;
  if (kind != ModuleKind::anonymous && kind != ModuleKind::unknown) return range;
  const auto place = jit_.find(pid, time, address);
  return place ? CodeRange{address, address, address - place->offset, place->module}
               : CodeRange{address, address, range.bias, range.module};
}

CodePlace RecordedCode::find(std::int32_t pid, perfdata::OptionalU64 time, perfdata::Mode mode,
                             std::uint64_t address) {
  return range_of(pid, time, mode, address).place(address);
}

std::vector<std::string> RecordedCode::warnings() const {
  std::vector<std::string> all = jit_.warnings();
  if (std::string warning = mapped_.warning(); !warning.empty()) all.push_back(std::move(warning));
  return all;
}

}  // namespace tacho
