// A sample with all that tacho dump prints of it, and the two forms in which it is printed.
// docs/reference/dump.md describes both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dump/dumped_name.hpp"
#include "dump/fields.hpp"
#include "dump/locator.hpp"
#include "perfdata/record.hpp"
#include "perfdata/sample_details.hpp"

namespace tacho {

// The address of a sample, or an address in its call chain.
struct DumpedFrame {
  std::uint64_t address = 0;
  NamedAddress location;
  const SourcePlace* source = nullptr;  // nullptr if lines and inlined functions are not wanted
};

// The ends of a taken branch.
struct DumpedBranch {
  perfdata::Branch branch;
  NamedAddress from, to;
};

// A plain value; what it points to is valid until the next record is read.
struct DumpedSample {
  const perfdata::Sample* sample = nullptr;
  const perfdata::SampleDetails* details = nullptr;
  DumpFields fields;
  const DumpedName* command = nullptr;
  const DumpedName* event = nullptr;
  std::size_t event_width = 0;  // columns of the longest name of an event
  perfdata::OptionalU64 time_ns, period;
  bool has_chain = false;
  bool wants_inlined = false;
  DumpedFrame own;                     // the address of the sample
  std::span<const DumpedFrame> chain;  // innermost first; begins with the sample's own address
  std::span<const DumpedBranch> branches;
  std::optional<NamedAddress> address;                        // of the data, if it can be named
  std::string_view architecture;                              // as uname -m prints it
  std::uint64_t user_registers = 0, interrupt_registers = 0;  // which ones: one bit each
};

enum class TimeUnit : bool { microseconds, nanoseconds };

// As perf script prints it: a line, and one for each address of a call chain, then an empty one.
void append_text(std::string& text, const DumpedSample& sample, TimeUnit unit);

// One line of JSON.
void append_json(std::string& text, const DumpedSample& sample);

}  // namespace tacho
