#include "perfdata/record.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>

#include <algorithm>

#include "base/build_id.hpp"
#include "perfdata/format_constants.hpp"

namespace tacho::perfdata {
namespace {

constexpr std::string_view kSimulated = "simulated ";
constexpr std::string_view kModel = " (model of tacho)";

}  // namespace

std::string BuildId::hex() const {
  return build_id_text(std::span(bytes).first(std::min<std::size_t>(size, bytes.size())));
}

bool is_clock(const RecordedEvent& event) {
  return event.type == PERF_TYPE_SOFTWARE &&
         (event.config == PERF_COUNT_SW_CPU_CLOCK || event.config == PERF_COUNT_SW_TASK_CLOCK);
}

bool is_of_switches(const RecordedEvent& event) {
  return event.type == PERF_TYPE_SOFTWARE && event.config == PERF_COUNT_SW_CONTEXT_SWITCHES;
}

bool is_dummy(const RecordedEvent& event) {
  return event.type == PERF_TYPE_SOFTWARE && event.config == PERF_COUNT_SW_DUMMY;
}

bool has_stack_copies(const RecordedEvent& event) {
  constexpr std::uint64_t kBoth = format::kRegsUser | format::kStackUser;
  return (event.sample_type & kBoth) == kBoth;
}

bool has_call_stacks(const RecordedEvent& event) {
  return (event.sample_type & format::kBranchStack) != 0 &&
         (event.branch_sample_type & format::kCallStack) != 0;
}

std::uint64_t wanted_period(const RecordedEvent& event) {
  constexpr std::uint64_t kSecond = 1'000'000'000;  // ns
  if (event.frequency == 0) return event.period;
  return is_clock(event) ? kSecond / event.frequency : 0;
}

BuildId build_id_of(std::span<const std::uint8_t> bytes) {
  BuildId id;
  if (bytes.size() > id.bytes.size()) return id;
  id.size = static_cast<std::uint8_t>(bytes.size());
  std::ranges::copy(bytes, id.bytes.begin());
  return id;
}

std::string simulated_cpu(std::string_view model) {
  return fmt::format("{}{}{}", kSimulated, model, kModel);
}

bool is_simulated(const Description& recording) {
  return recording.cpu.starts_with(kSimulated) && recording.cpu.ends_with(kModel);
}

}  // namespace tacho::perfdata
