// Allocates the counters of one core to the groups that count, and widens their counts to 64 bits.
// Counting time is divided into stretches. At the end of a stretch, the gain of the registers is
// added. If something disturbed the counters, the stretch is given up instead. So a count is never
// wrong; it only covers less time.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pmu/pmu.hpp"
#include "pmu/registers/driver.hpp"
#include "pmu/registers/observer.hpp"
#include "pmu/registers/virtual_counter.hpp"

namespace tacho::arm {

// An event that a group wants to count.
struct Wanted {
  Setting setting;
  bool cycles = false;  // the cycle counter can count it; so can event counters, unless divided
};

// Not thread-safe. look() must be called at least every kLongestStretch while counters are
// allocated.
class Bank {
 public:
  using Clock = std::function<std::chrono::nanoseconds()>;
  static std::chrono::nanoseconds monotonic() {
    return std::chrono::steady_clock::now().time_since_epoch();
  }

  // The longest stretch: shorter than 2^32 of the fastest event, which is four a cycle at 3.5 GHz.
  static constexpr std::chrono::milliseconds kLongestStretch{300};

  // Takes the counters over; the destructor restores them. The arguments must outlive the bank.
  Bank(Registers& registers, Driver& driver, Observer& observer, int counters, Clock clock);
  ~Bank();
  Bank(const Bank&) = delete;
  Bank& operator=(const Bank&) = delete;

  // An error if these events need more counters than the core has.
  Result<void> fits(std::span<const Wanted> wanted) const;

  // The counters of some events, which count from one reading on.
  struct Allocation {
    std::vector<int> counters;
    std::vector<std::uint64_t> from;  // the counters' totals before the allocation
    std::uint64_t enabled_from = 0;
    std::uint64_t running_from = 0;
    // The part of the first stretch before the allocation. It is subtracted if that stretch counts.
    std::vector<std::uint64_t> before;
    std::uint64_t before_ns = 0;
  };

  // An event that is counted already shares its counter. It is an error if there are not enough
  // counters.
  Result<const Allocation*> allocate(std::span<const Wanted> wanted);
  // Ends the allocation and the stretch, and returns the allocation's counts.
  std::vector<Reading> release(const Allocation* allocation);

  // Ends the stretch, and brings all counts up to date.
  void look();

  // The allocation's counts at the last look.
  std::vector<Reading> counted(const Allocation& allocation) const;
  // An allocated counter at the last look.
  struct CounterState {
    std::uint64_t last = 0;   // the register
    std::uint64_t total = 0;  // the count in 64 bits
    std::uint64_t mask = 0;   // the bits that the register has
  };
  CounterState state(int counter) const;
  // The time during which counters were allocated, up to the last look.
  std::uint64_t enabled_ns() const { return enabled_ns_; }

  // A sentence on the stretches that were given up since the last call, with the reasons; empty if
  // there are none.
  std::string losses();

 private:
  struct Slot {
    Wanted wanted;
    int users = 0;
    std::uint64_t last = 0;  // the register at the last look
    std::uint64_t total = 0;
  };
  using Slots = PerCounter<Slot>;

  std::optional<int> place(const Slots& slots, const Wanted& wanted) const;
  Result<std::vector<int>> place(Slots& slots, std::span<const Wanted> wanted) const;
  std::expected<std::uint64_t, Doubtful> gain(int counter, const Snapshot& now) const;
  std::uint32_t in_use() const;
  unsigned bits(int counter) const;
  void begin(std::uint32_t counters);
  void mark(Allocation& allocation, std::uint32_t fresh);
  void settle_allocations(bool good);
  Snapshot snapshot();
  std::optional<std::string> doubt(const Snapshot& now, std::chrono::nanoseconds elapsed,
                                   PerCounter<std::uint64_t>& gains);
  void resume();

  Registers& registers_;
  Driver& driver_;
  Observer& observer_;
  int counters_;
  Clock clock_;
  Slots slots_;
  bool clear_ = true;                    // the registers could be written at the last look
  std::optional<std::string> obstacle_;  // a disturbance that was found before the stretch's end
  std::vector<std::unique_ptr<Allocation>> allocations_;
  std::chrono::nanoseconds begun_{};  // when the stretch began
  std::uint64_t enabled_ns_ = 0;
  std::uint64_t running_ns_ = 0;
  std::uint64_t reported_enabled_ns_ = 0;  // at the last call of losses()
  std::uint64_t reported_running_ns_ = 0;
  std::map<std::string, std::uint64_t> lost_;  // number of given-up stretches by reason
};

}  // namespace tacho::arm
