#include "dump/locator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "base/hash_seed.hpp"

namespace tacho {
namespace {

// The module as perf names it, so that readers of perf script's text recognise it: perf's own name
// for a JIT compiler's code is that of the file with its functions, and a module of the kernel is
// its name in brackets.
std::string perf_name(const Module& module) {
  const std::string& path = module.path;
  switch (module.kind) {
    case ModuleKind::anonymous:
      return fmt::format("/tmp/perf-{}.map", module.pid);
    case ModuleKind::hidden_kernel:
      return std::string(perfdata::kKernelPath);
    case ModuleKind::kernel: {
      if (!path.starts_with('/')) return path;
      std::string name = path.substr(path.rfind('/') + 1);
      name = name.substr(0, name.find(".ko"));
      std::ranges::replace(name, '-', '_');
      return '[' + name + ']';
    }
    default:
      return path;
  }
}

}  // namespace

Locator::Locator(const perfdata::Description& recording, const SymbolSources& sources)
    : recording_(recording),
      code_(sources),
      resolver_(code_.modules(), recording, sources),
      stacks_(sources) {
  threads_[0] = dumped_name("swapper");
}

void Locator::name_thread(std::int32_t tid, const DumpedName& name) {
  if (threads_.size() >= kMostThreads) threads_.clear();
  threads_.insert_or_assign(tid, name);
}

void Locator::add(const perfdata::Record& record) {
  range_is_valid_ = false;
  code_.add(record, recording_);
  if (const auto* command = std::get_if<perfdata::Command>(&record.what)) {
    name_thread(command->tid, dumped_name(command->name));
  } else if (const auto* fork = std::get_if<perfdata::Fork>(&record.what)) {
    const auto parent = threads_.find(fork->parent_tid);
    if (parent == threads_.end()) {
      threads_.erase(fork->tid);  // of a dead thread with the same number
    } else {
      const DumpedName name = parent->second;
      name_thread(fork->tid, name);
    }
  }
}

void Locator::make_room() {
  if (sources_.size() >= kMostSources) sources_.clear();
}

// Build IDs are needed before a module's file is opened. A file has them in its header, a stream
// between its records.
void Locator::see_new_modules() {
  const std::size_t modules = code_.modules().size();
  const std::size_t build_ids = recording_.build_ids.size();
  if (modules == known_modules_ && build_ids == known_build_ids_) return;
  code_.add_build_ids(recording_.build_ids);
  resolver_.extend(code_.modules());
  known_modules_ = modules;
  known_build_ids_ = build_ids;
}

CodePlace Locator::place_of(const perfdata::Sample& sample, perfdata::Mode mode,
                            std::uint64_t address) {
  const std::int32_t pid = sample.pid.value_or(-1);
  const bool same = range_is_valid_ && pid == range_pid_ && mode == range_mode_;
  if (!same || !range_.holds(address)) {
    see_new_modules();
    range_ = code_.range_of(pid, sample.time_ns, mode, address);
    range_pid_ = pid;
    range_mode_ = mode;
    range_is_valid_ = range_.start < range_.last;  // otherwise at this time only
  }
  return range_.place(address);
}

NamedAddress Locator::of(const perfdata::Sample& sample, perfdata::Mode mode,
                         std::uint64_t address) {
  const CodePlace place = place_of(sample, mode, address);
  KnownPlace& slot =
      known_places_[static_cast<std::size_t>(mixed(place.offset + place.module) % kSlots)];
  if (!slot.used || !(slot.place == place)) slot = {place, named(place), true};
  return slot.name;
}

NamedAddress Locator::named(const CodePlace& place) {
  const FunctionId id = resolver_.function_of(place);
  const FunctionInfo& info = resolver_.function(id);
  const DumpedName& module = module_name(place.module);
  if (!info.known()) return {nullptr, 0, &module};
  return {&function_name(id), resolver_.address_of(place) - info.start, &module};
}

const DumpedName& Locator::function_name(FunctionId id) {
  while (functions_.size() <= id)
    functions_.push_back(
        dumped_name(resolver_.function(static_cast<FunctionId>(functions_.size())).plain));
  return functions_[id];
}

const DumpedName& Locator::module_name(std::uint32_t module) {
  while (modules_.size() <= module)
    modules_.push_back(dumped_name(perf_name(code_.modules()[modules_.size()])));
  return modules_[module];
}

const SourcePlace& Locator::source_of(const perfdata::Sample& sample, perfdata::Mode mode,
                                      std::uint64_t address) {
  const CodePlace place = place_of(sample, mode, address);
  const auto [found, fresh] = sources_.try_emplace({place.module, place.offset});
  SourcePlace& source = found->second;
  if (!fresh) return source;
  const symbols::Frame line = resolver_.line_of(place);
  if (!line.file.empty()) source.line = dumped_name(fmt::format("{}:{}", line.file, line.line));
  const std::vector<symbols::Frame> frames = resolver_.frames_of(place);
  for (std::size_t i = 0; i + 1 < frames.size(); ++i)  // the last is the function itself
    source.inlined.push_back(dumped_name(frames[i].function));
  return source;
}

std::span<const std::uint64_t> Locator::chain_of(const perfdata::Sample& sample) {
  see_new_modules();
  const CallChain chain = stacks_.chain_of(sample, code_.mapped(), recording_);
  return chain.hides_caller ? sample.chain : chain.addresses;
}

const DumpedName& Locator::name_of(std::int32_t tid) {
  const auto found = threads_.find(tid);
  if (found != threads_.end()) return found->second;
  name_thread(tid, dumped_name(fmt::format(":{}", tid)));
  return threads_[tid];
}

std::vector<std::string> Locator::warnings() const {
  std::vector<std::string> all = resolver_.warnings();
  const std::vector<std::string> of_code = code_.warnings();
  all.insert(all.end(), of_code.begin(), of_code.end());
  if (stacks_.failed() > 0)
    all.push_back(fmt::format("{} copies of stacks could not be unwound: {}", stacks_.failed(),
                              stacks_.why().what));
  return all;
}

}  // namespace tacho
