// Counters of the kernel's for a part of one's own program: instructions, cycles, page faults, or
// whatever else `tacho list` shows. C++17 or later.
//
//   auto counters = tacho::Counters::open({"instructions", "page-faults"});
//   work();
//   for (const tacho::Count& count : counters.counts()) ...
//
// They are read by the cheapest way that works here, chosen once at the opening:
//   user_page    the program reads the counter's register by itself, guided by a page that the
//                kernel shares with it (x86: rdpmc; arm64: kernel.perf_user_access = 1). Some 40
//                instructions for the first counter, 20 for each further one, no system call.
//   registers    ARM, where somebody has loaded the module tacho_pmu and bound the thread to one
//                CPU (taskset), for as many events as the core has counters: the program reads the
//                CPU's own counters, without perf. They count all that runs on that CPU: other
//                programs too, and the kernel unless the event has ":u". Some 80 to 110
//                instructions for the first counter, 20 to 30 for each further one, no system call.
//   system_call  one read(2) for all of them: some 300 ns, and 20 ns more for each counter; 2,400
//                instructions on arm64.
// explain() says which it is, and why not the cheaper one.
//
// With `registers` a thread of the library's looks after the counters, ten times a second, on the
// same CPU, where each look adds some 150 instructions to what is counted. What somebody else
// disturbs (a user of perf; the module unloaded; the thread allowed on other CPUs) is given up as a
// whole: from then on read() is false, and counts() has the reason.
// One set of counters at a time can be open so, on the whole machine; further ones of the same
// program are refused, as perf would disturb it.
//
// Events that need more counters than the core has take turns in sets: then each is counted for a
// part of the time, and its count is an estimate with an interval.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tacho/error.hpp"

#pragma GCC visibility push(default)
namespace tacho {

// How a count was got.
enum class CountStatus {
  counted,      // all the time: exact, as far as the hardware is
  estimated,    // for a part of the time, and scaled to the whole
  unavailable,  // not at all; `error` says why
};

// One event's count.
struct Count {
  CountStatus status = CountStatus::unavailable;
  double value = 0;          // in the event's unit; of an unavailable one it means nothing
  double half_width95 = 0;   // of the 95 % interval around an estimate; 0 when it was counted
  bool has_interval = true;  // false: an estimate from too few turns (under 10) for an interval, or
                             // of an event from which the kernel took its counter for a while
  double share = 0;          // of the time during which it was counted, 0 to 1
  Error error;               // of an unavailable one
};

enum class Whom {
  this_thread,   // the calling thread alone
  and_children,  // and the threads and processes that it starts from now on; by system call only,
                 // and those that still run may be counted in part
};

enum class Way { none, user_page, registers, system_call };

// A set of events of the thread that opened it, and read by that thread alone: any other one, and
// a child process after a fork, is refused. The object may be moved while nobody reads. Counting
// goes on until it is destroyed.
class Counters {
 public:
  static constexpr std::size_t kMostEvents = 32;  // of more, none is counted

  // Opens the events, spelled as for `tacho stat -e` (the vendors' names that libpfm4 knows are not
  // among them: give their codes). What can't be had leaves the others counting: error() tells of
  // each. They count from now on. Cost: some 0.2 ms an event, and a descriptor each.
  static Counters open(const std::vector<std::string>& events, Whom whom = Whom::this_thread);

  Counters(Counters&&) noexcept;
  Counters& operator=(Counters&&) noexcept;
  ~Counters();

  std::size_t size() const noexcept;  // as many as were asked for, in that order
  // As asked, with ":u" behind it where the kernel's part may not be counted.
  const std::string& name(std::size_t event) const noexcept;
  const std::string& unit(
      std::size_t event) const noexcept;  // "" for plain counts, "ns" for clocks
  // Why the event is not counted; null when it is. The pointer lives as long as the object.
  const Error* error(std::size_t event) const noexcept;

  // The fast path: what each event has counted since the opening, as it stands, in `values`, which
  // has size() places. Events that are not counted leave theirs untouched. Events that take turns
  // give what was counted in their turns, which means little by itself: turns() tells, and counts()
  // estimates. False, and nothing of use in `values`, when this thread may not read them, or when
  // they were disturbed. With Way::registers a disturbance may come to light up to 0.1 s later:
  // what was read is good once counts() still has it. No allocation, no lock, and no system call
  // beside the one read(2) of Way::system_call, and a turn's now and then.
  bool read(std::uint64_t* values) noexcept;
  bool turns() const noexcept;  // whether events take turns

  // Everything since the opening or the last reset(), with estimates and intervals. Allocates; with
  // Way::registers it waits some 100 µs, to know that nothing came between.
  std::vector<Count> counts();
  void reset() noexcept;

  Way way() const noexcept;
  // "read(2) of a group: user space may not read 'page-faults', which the kernel counts": one line.
  std::string explain() const;

 private:
  class State;
  explicit Counters(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}  // namespace tacho
#pragma GCC visibility pop
