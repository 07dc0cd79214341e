// Sampling: one record each time that an event has counted a period.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tacho {

// The shortest period of cpu-clock and task-clock that the kernel's timer accepts, in ns.
inline constexpr std::uint64_t kShortestClockPeriod = 10'000;

// The name of an event that has no samples, and only records mappings, names, forks and exits (perf
// has one of this name, too).
inline constexpr std::string_view kTrackerName = "dummy:u";

struct SampleSpec {
  enum class Chains {
    none,
    frame_pointers,  // the kernel follows frame pointers: fast, but code needs to have them
    dwarf,           // records registers and a part of the stack, for unwinding later
    lbr,             // the core keeps the calls that have not returned, in its branch stack
  };
  std::optional<std::uint64_t> period;  // events between two samples; nothing: `frequency` is used
  std::uint64_t frequency = 4'000;      // approximate samples a second of each thread
  Chains chains = Chains::none;
  std::uint32_t stack_bytes = 8'192;  // recorded bytes of the stack for dwarf, a multiple of 8
  bool branches = false;              // records the branch stack, if the core has one
  // The clock of the samples' times (clockid_t); nothing: the kernel's own, which no program reads.
  std::optional<int> clock = std::nullopt;
  bool clock_needed = false;  // false: the kernel's own clock will do where this one is refused
  // Sampling is turned on and off. So an event of its own records mappings, names, forks and exits
  // all the time.
  bool switched = false;
  bool begins_off = false;  // if it is switched: sampling begins with enable() alone

  // Which samples the kernel keeps of events that are sampled everywhere: a filter of tracepoints
  // (Documentation/trace/events.rst of Linux); empty: all.
  std::string kept_everywhere = {};

  // Whether each sample has a branch stack, of whichever kind.
  bool has_branch_stack() const { return branches || chains == Chains::lbr; }
};

struct SampleRate {
  std::uint64_t frequency = SampleSpec().frequency;  // samples a second
  std::string limit;  // what makes it lower than elsewhere, if anything does
};

// A sampled event in the form that recordings describe it.
struct OpenedEvent {
  std::string name;
  std::vector<std::byte> attributes;  // struct perf_event_attr
  std::vector<std::uint64_t> ids;     // one for each thread and CPU
  std::uint32_t leads = 0;            // number of the following events that are in its group
};

// Samples events on a target. The destructor ends sampling. Not thread-safe.
struct Sampler {
  // Receives a sequence of whole records in the layout of perf_event.h.
  using Sink = std::function<Result<void>(std::span<const std::byte>)>;

  virtual ~Sampler() = default;
  virtual const std::vector<OpenedEvent>& events() const = 0;
  virtual Result<void> enable() = 0;
  virtual Result<void> disable() = 0;  // may be enabled again
  // A descriptor that becomes readable (poll(2)) when drain() should be called.
  virtual int descriptor() const = 0;
  // Gives the records so far to the sink. Records that the sink refuses are lost.
  virtual Result<void> drain(const Sink& sink) = 0;
  // For each event, the share of the sampled time in which it had a counter; nothing if that is not
  // known. If it is less than 1, others used the PMU, too, or the PMU has too few counters.
  virtual std::vector<std::optional<double>> coverage() const = 0;
  // The CPU time, in ns, for which the events were on in a launched command and its children;
  // nothing if that is not known.
  virtual std::optional<double> time_on_ns() const { return std::nullopt; }
  // How often each event occurred in the target so far, as its counter has it; nothing if that is
  // not known. Empty if no count is known.
  virtual std::vector<std::optional<std::uint64_t>> counts() const { return {}; }
  // Pauses the samples of an event, by its number in events(), or lets them go on.
  virtual Result<void> pause(std::size_t /*event*/, bool /*paused*/) { return {}; }
  // Draws new sampling periods, to prevent that a periodic target stays in step with them. To be
  // called often: periods are drawn anew only where enough samples were taken since the last draw.
  // `draw` is a uniform random number from 0 to 1. Has no effect if the user chose the period.
  virtual void dither(double draw) = 0;
  // The most samples that the events can have taken until now, by what they counted and for how
  // long; nothing if that is not known.
  virtual std::optional<double> most_samples() const { return std::nullopt; }
};

}  // namespace tacho
