#include "dump/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "perfdata/format_constants.hpp"

namespace tacho {
namespace {

namespace format = perfdata::format;

// When a field is printed although the user did not ask for it.
enum class Default : std::uint8_t { never, always, raw_events };

struct FieldRow {
  std::string_view name;  // perf script's
  DumpField field;
  std::uint64_t needs;  // PERF_SAMPLE_*: one of these bits; 0: nothing
  Default printed;
};

constexpr std::uint64_t kAnyAddress = format::kIp | format::kAddress | format::kBranchStack;
constexpr std::uint64_t kAnyWeight = format::kWeight | format::kWeightStruct;
constexpr auto kFields = std::to_array<FieldRow>({
    {"comm", DumpField::comm, format::kTid, Default::always},
    {"pid", DumpField::pid, format::kTid, Default::never},
    {"tid", DumpField::tid, format::kTid, Default::always},
    {"cpu", DumpField::cpu, format::kCpu, Default::always},
    {"misc", DumpField::misc, 0, Default::never},
    {"time", DumpField::time, format::kTime, Default::always},
    {"period", DumpField::period, 0, Default::always},
    {"event", DumpField::event, 0, Default::always},
    {"addr", DumpField::address, format::kAddress, Default::raw_events},
    {"data_src", DumpField::data_source, format::kDataSource, Default::raw_events},
    {"weight", DumpField::weight, kAnyWeight, Default::raw_events},
    {"ins_lat", DumpField::instruction_latency, format::kWeightStruct, Default::raw_events},
    {"retire_lat", DumpField::third_weight, format::kWeightStruct, Default::never},
    {"cgroup", DumpField::cgroup, format::kCgroup, Default::never},
    {"ip", DumpField::ip, format::kIp, Default::always},
    {"sym", DumpField::symbol, kAnyAddress, Default::always},
    {"symoff", DumpField::symbol_offset, kAnyAddress, Default::always},
    {"dso", DumpField::module, kAnyAddress, Default::always},
    {"srcline", DumpField::source_line, format::kIp, Default::never},
    {"iregs", DumpField::interrupt_registers, format::kRegsIntr, Default::never},
    {"uregs", DumpField::user_registers, format::kRegsUser, Default::never},
    {"brstack", DumpField::branches, format::kBranchStack, Default::never},
    {"brstacksym", DumpField::branch_symbols, format::kBranchStack, Default::never},
    {"phys_addr", DumpField::physical_address, format::kPhysicalAddress, Default::raw_events},
    {"data_page_size", DumpField::data_page_size, format::kDataPageSize, Default::raw_events},
    {"code_page_size", DumpField::code_page_size, format::kCodePageSize, Default::raw_events},
});

const FieldRow* find_row(std::string_view name) {
  const auto* found = std::ranges::find(kFields, name, &FieldRow::name);
  return found == kFields.end() ? nullptr : found;
}

bool is_there(const FieldRow& row, const perfdata::RecordedEvent& event) {
  return row.needs == 0 || (event.sample_type & row.needs) != 0;
}

// perf script prints no periods of tracepoints either.
bool is_default(const FieldRow& row, const perfdata::RecordedEvent& event) {
  constexpr std::uint32_t kTracepoint = 2, kRaw = 4;  // PERF_TYPE_*
  if (row.field == DumpField::period && event.type == kTracepoint) return false;
  return row.printed == Default::always ||
         (row.printed == Default::raw_events && event.type == kRaw);
}

std::string field_names() {
  std::string names;
  for (const FieldRow& row : kFields) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

}  // namespace

Result<DumpFieldChoice> parse_dump_fields(std::string_view names) {
  DumpFieldChoice choice;
  std::size_t replacing = 0;
  std::size_t changing = 0;
  while (!names.empty()) {
    const std::string_view word = names.substr(0, names.find(','));
    names.remove_prefix(std::min(word.size() + 1, names.size()));
    const bool changes = word.starts_with('+') || word.starts_with('-');
    ++(changes ? changing : replacing);
    const FieldRow* row = find_row(changes ? word.substr(1) : word);
    if (row == nullptr)
      return failure(fmt::format("there is no field '{}'", word),
                     fmt::format("the fields are {}", field_names()));
    (word.starts_with('-') ? choice.removed : choice.added).add(row->field);
  }
  if (replacing > 0 && changing > 0)
    return failure("--fields has names with and without a sign",
                   "give names alone (comm,ip,sym), or changes of the default ones (+addr,-cpu)");
  choice.replaces = replacing > 0;
  return choice;
}

DumpFields fields_of(const perfdata::RecordedEvent& event, const DumpFieldChoice& choice) {
  DumpFields fields;
  for (const FieldRow& row : kFields) {
    const bool chosen = choice.added.has(row.field) || (!choice.replaces && is_default(row, event));
    if (chosen && !choice.removed.has(row.field) && is_there(row, event)) fields.add(row.field);
  }
  return fields;
}

Result<void> check_fields(const DumpFieldChoice& choice,
                          std::span<const perfdata::RecordedEvent> events) {
  for (const FieldRow& row : kFields)
    if (choice.added.has(row.field) &&
        std::ranges::none_of(events, [&](const auto& event) { return is_there(row, event); }))
      return failure(fmt::format("no sample of the recording has the field '{}'", row.name),
                     "leave it out, or record again with it");
  return {};
}

}  // namespace tacho
