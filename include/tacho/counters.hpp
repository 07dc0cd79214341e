// Counters for a part of a program's own code: instructions, cycles, page faults, or any other
// event that `tacho list` shows. C++17 or later.
//
//   auto counters = tacho::Counters::open({"instructions", "page-faults"});
//   work();
//   for (const tacho::Count& count : counters.counts()) ...
//
// open() chooses the cheapest read method that works on this machine. If there are more events than
// hardware counters, the events take turns (multiplexing): each is counted for a part of the time,
// and its count is an estimate with an interval.
//
// docs/reference/regions.md describes the read methods and the cost of each call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tacho/error.hpp"

#pragma GCC visibility push(default)
namespace tacho {
inline namespace v0 {

// How sure a count is.
enum class CountStatus {
  counted,      // during the whole time: exact, as far as the hardware is
  estimated,    // during a part of the time, and scaled to the whole time
  unavailable,  // there is no count: `error` says why
};

// The count of one event. `status` says whether `value` holds, and `has_interval` says whether
// `half_width95` holds. A field that does not hold is 0 and means nothing.
struct Count {
  CountStatus status = CountStatus::unavailable;
  double value = 0;         // in the event's unit, see Counters::unit()
  double half_width95 = 0;  // of the 95 % interval of `value`, in the same unit; 0 if counted
  // False if the event is unavailable, or if its estimate has no interval: the event had fewer than
  // 10 turns, or another user of the PMU held its counter for a while. `half_width95` then means
  // nothing.
  bool has_interval = false;
  // 0 to 1: the part of the time during which the event was counted. On unequal cores (Intel
  // hybrid, big.LITTLE) an event that names a PMU is counted on the cores of this PMU alone: its
  // count is exact, and its share is the part of the thread's time on these cores.
  double share = 0;
  Error error;  // why the event is unavailable
};

// Which threads are counted.
enum class CountScope {
  this_thread,  // the calling thread alone
  // The calling thread, and all threads and processes that it starts after open(). A thread that
  // still runs may be counted in part. The read method is always system_call.
  with_children,
};

// How the program reads its counters.
enum class ReadMethod {
  none,         // no event is counted
  user_page,    // reads the registers itself, with the help of a page that the kernel shares
  registers,    // reads the registers of an ARM core itself, through the kernel module tacho_pmu
  system_call,  // one read(2) for all counters
};

// A set of events, which are counted from open() until the object is destroyed.
//
// Threads: one object belongs to the thread that opened it. Another thread, and a child process
// after a fork, get no counts: read() returns false, and counts() gives errors with the code EPERM.
// The object may be moved while no function of it runs. A moved-from object may only be destroyed
// or assigned to.
// The parameter `event` of all functions is from 0 to size() - 1, in the order given to open().
class Counters {
 public:
  static constexpr std::size_t kMaxEvents = 32;  // if more are given, none is counted

  // Opens the events and starts to count them. Names are those of `tacho stat -e`, except names
  // from the processor's vendor: give their codes. An event that cannot be counted has an error();
  // the others are counted. An event takes up to one file descriptor.
  [[nodiscard]] static Counters open(const std::vector<std::string>& events,
                                     CountScope scope = CountScope::this_thread);

  Counters(Counters&&) noexcept;
  Counters& operator=(Counters&&) noexcept;
  ~Counters();

  [[nodiscard]] std::size_t size() const noexcept;  // the number of events given to open()
  // The name given to open(). It has ":u" added where the kernel's part may not be counted.
  [[nodiscard]] const std::string& name(std::size_t event) const noexcept;
  // The unit of Count::value: "ns" for clocks, "" for plain counts.
  [[nodiscard]] const std::string& unit(std::size_t event) const noexcept;
  // Why the event is not counted, or null if it is. The pointer is valid as long as the object.
  [[nodiscard]] const Error* error(std::size_t event) const noexcept;

  // The fast path: writes what each event has counted since open() to `values`, an array of size()
  // elements. reset() does not change these numbers. An event that is not counted leaves its
  // element unchanged. If events take turns, a value is the count of the event's own turns only:
  // counts() gives the estimate.
  // Returns false if this thread may not read the counters, or if another user disturbed them. Then
  // `values` means nothing. With ReadMethod::registers a disturbance can become known up to 0.1 s
  // later: a value is valid if a later counts() still has the event.
  // Allocates nothing and takes no lock. It makes no system call, except the read(2) of
  // ReadMethod::system_call and those of a change of turns.
  [[nodiscard]] bool read(std::uint64_t* values) noexcept;

  // Whether the events take turns (multiplexing).
  [[nodiscard]] bool is_multiplexed() const noexcept;

  // One count for each event since open() or the last reset(), with estimates and intervals.
  // Allocates memory.
  [[nodiscard]] std::vector<Count> counts();

  // Starts the counts of counts() from zero. Does nothing in another thread.
  void reset() noexcept;

  [[nodiscard]] ReadMethod read_method() const noexcept;
  // One line for a report: the read method, and why no cheaper one works here.
  [[nodiscard]] std::string explain() const;

 private:
  class State;
  explicit Counters(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}  // namespace v0
}  // namespace tacho
#pragma GCC visibility pop
