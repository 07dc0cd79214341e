// The fields of a sample that a profile does not need. A reader of profiles skips them, because
// most recordings have millions of samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "perfdata/record.hpp"

namespace tacho::perfdata {

// The value of an event's counter (PERF_SAMPLE_READ).
struct CounterValue {
  std::uint64_t value = 0;
  OptionalU64 id, lost;
};

// Fields of one value. Those that the sample does not have are absent. The spans point into it.
struct SampleValues {
  std::optional<std::uint32_t> cpu;
  OptionalU64 address, id, stream_id, identifier;
  OptionalU64 time_enabled, time_running;  // of the counters, in ns
  std::span<const std::byte> raw;          // of a tracepoint or of a PMU's own format
  // PERF_SAMPLE_WEIGHT, or the three parts of PERF_SAMPLE_WEIGHT_STRUCT: the cost of the access,
  // the latency of the instruction, and a third one whose meaning depends on the architecture.
  OptionalU64 weight;
  std::optional<std::uint16_t> instruction_latency, third_weight;
  OptionalU64 data_source, transaction;
  std::uint64_t interrupt_abi = 0;  // as Sample::user_abi
  OptionalU64 physical_address, cgroup, data_page_size, code_page_size;
  std::span<const std::byte> aux;
};

struct SampleDetails : SampleValues {
  std::vector<CounterValue> counters;
  std::vector<std::uint64_t> interrupt_registers;
};

// `body` is the sample without its header. Overwrites all of `details`. Returns false if a field
// ends after the end of `body`.
bool read_sample_details(std::span<const std::byte> body, const RecordedEvent& event, bool swapped,
                         SampleDetails& details);

}  // namespace tacho::perfdata
