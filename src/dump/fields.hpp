// The fields of a sample that tacho dump prints, by the names that perf script gives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "perfdata/record.hpp"

namespace tacho {

// In the order in which they are printed.
enum class DumpField : std::uint8_t {
  comm,
  pid,
  tid,
  cpu,
  misc,
  time,
  period,
  event,
  address,
  data_source,
  weight,
  instruction_latency,
  third_weight,
  cgroup,
  ip,
  symbol,
  symbol_offset,
  module,
  source_line,
  interrupt_registers,
  user_registers,
  branches,
  branch_symbols,
  physical_address,
  data_page_size,
  code_page_size,
};

class DumpFields {
 public:
  bool has(DumpField field) const { return (bits_ >> static_cast<unsigned>(field) & 1) != 0; }
  void add(DumpField field) { bits_ |= bit(field); }
  void remove(DumpField field) { bits_ &= ~bit(field); }
  bool empty() const { return bits_ == 0; }
  bool operator==(const DumpFields&) const = default;

 private:
  static std::uint64_t bit(DumpField field) {
    return std::uint64_t{1} << static_cast<unsigned>(field);
  }
  std::uint64_t bits_ = 0;
};

// What a user asked for: fields instead of the default ones, or changes to these.
struct DumpFieldChoice {
  bool replaces = false;  // only `added` is printed
  DumpFields added, removed;
};

// Parses names separated by commas: "comm,ip,sym" replaces the default fields, "+addr,-cpu" changes
// them. An empty text changes nothing.
Result<DumpFieldChoice> parse_dump_fields(std::string_view names);

// The fields that are printed for the samples of an event: those that were chosen, as far as its
// samples have them.
DumpFields fields_of(const perfdata::RecordedEvent& event, const DumpFieldChoice& choice);

// Fails if the user asked for a field that no event of the recording has.
Result<void> check_fields(const DumpFieldChoice& choice,
                          std::span<const perfdata::RecordedEvent> events);

}  // namespace tacho
