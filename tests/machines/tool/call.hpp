// One call of perf_event_open by a program on a made-up machine, as a plain value, and its line in
// the log.
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace made_up {

// struct perf_event_attr of Linux 6.3 in bytes; config3 is its last member. Headers may be older.
inline constexpr std::size_t kAttributeBytes = 136;

struct Call {
  bool readable = true;        // whether the caller may read what it gives as attributes
  std::vector<std::byte> raw;  // the attributes as given, at least kAttributeBytes; zeros follow
  perf_event_attr attr{};      // the part of them that the headers know
  pid_t thread = 0;            // the thread that calls
  pid_t pid = 0;               // as given: 0 is the calling thread, -1 is every task
  int cpu = -1;
  int group = -1;  // the leader's descriptor in the calling process
  std::uint64_t open_flags = 0;
};

// The meaning of the attributes. `raw` has any length.
Call make_call(std::vector<std::byte> raw);

// The flags of the attributes as one number, for the bits that have no name here.
std::uint64_t flag_bits(const Call& call);

// A number that a rule of a table can name: "type", "precise", "exclude_guest" … Nothing if there
// is no such name.
std::optional<std::uint64_t> field(const Call& call, std::string_view name);
bool is_field(std::string_view name);

// How the machine answered.
struct Answer {
  int code = 0;         // errno; 0: a descriptor was handed out
  std::string pmu;      // the PMU that answered
  std::string because;  // why it was refused, or what is special about the event
};

// One line of JSON without a newline; `descriptor` is the caller's. The second one is of a change
// of a period (PERF_EVENT_IOC_PERIOD).
std::string log_line(const Call& call, const Answer& answer, int descriptor);
std::string log_line(int descriptor, std::uint64_t period, int code);

}  // namespace made_up
