// All counters of one core, lent to the groups that count. Counts are kept in 64 bits from stretch
// to stretch: at the end of each, what the registers gained is added if nothing speaks against it,
// and given up if something does, so that no count is ever wrong, only of less time.
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
#include "pmu/registers/virtual_counter.hpp"

namespace tacho::arm {

// What a group wants counted.
struct Wanted {
  Setting setting;
  bool cycles = false;  // the cycle counter may count it; a counter of events too, unless divided
};

// Knows whether what was counted is the workload's, and whether the registers are ours to write.
struct Witness {
  struct Testimony {
    std::optional<std::string> trouble;  // what has come between since the last look, or does now
    bool clear = true;                   // nothing is in the way now
  };

  virtual ~Witness() = default;
  virtual Testimony look() = 0;
  // From now on the process, and what descends from it, is the workload.
  virtual Result<void> follow(pid_t pid) = 0;
};

class Bank {
 public:
  using Clock = std::function<std::chrono::nanoseconds()>;
  static std::chrono::nanoseconds monotonic() {
    return std::chrono::steady_clock::now().time_since_epoch();
  }

  // A stretch must end before the fastest event can have gone through 32 bits: four a cycle, at
  // 3.5 GHz.
  static constexpr std::chrono::milliseconds kLongestStretch{300};

  // Takes the counters over. All must outlive the bank, which gives the counters back.
  Bank(Registers& registers, Driver& driver, Witness& witness, int counters, Clock clock);
  ~Bank();
  Bank(const Bank&) = delete;
  Bank& operator=(const Bank&) = delete;

  // Whether the counters, with none lent, would do for these.
  Result<void> fits(std::span<const Wanted> wanted) const;

  // Counters for some events, from one reading of them on.
  struct Loan {
    std::vector<int> counters;
    std::vector<std::uint64_t> from;  // the counters' totals that are not the loan's
    std::uint64_t enabled_from = 0;
    std::uint64_t running_from = 0;
    // What of the stretch in which it was made lies before it: not its own if the stretch counts.
    std::vector<std::uint64_t> before;
    std::uint64_t before_ns = 0;
  };

  // Events that are counted already share their counter. An error when there are not enough.
  Result<const Loan*> lend(std::span<const Wanted> wanted);
  // Ends the loan and the stretch; what the loan has counted.
  std::vector<Reading> take_back(const Loan* loan);

  // Ends the stretch: brings all counts up to now.
  void look();

  // What the loan has counted up to the last look.
  std::vector<Reading> counted(const Loan& loan) const;
  // A counter that is lent, as of the last look: its register, and its total in 64 bits. The width
  // of the register as a mask.
  struct Standing {
    std::uint64_t last = 0;
    std::uint64_t total = 0;
    std::uint64_t mask = 0;
  };
  Standing standing(int counter) const;
  // For how long counters were lent, up to then.
  std::uint64_t enabled_ns() const { return enabled_ns_; }

  // What was given up and why, in a sentence; empty when nothing was. Of the time since the last
  // call.
  std::string losses();

 private:
  struct Slot {
    Wanted wanted;
    int users = 0;
    std::uint64_t last = 0;  // the register, at the last look
    std::uint64_t total = 0;
  };
  using Slots = std::array<Slot, kPlaces>;

  std::optional<int> place(const Slots& slots, const Wanted& wanted) const;
  Result<std::vector<int>> place(Slots& slots, std::span<const Wanted> wanted) const;
  std::expected<std::uint64_t, Doubtful> gain(int counter, const Snapshot& now) const;
  std::uint32_t in_use() const;
  unsigned bits(int counter) const;
  void begin(std::uint32_t counters);
  void mark(Loan& loan, std::uint32_t fresh);
  void settle_loans(bool good);
  Snapshot snapshot();
  std::optional<std::string> doubt(const Snapshot& now, std::chrono::nanoseconds elapsed,
                                   std::array<std::uint64_t, kPlaces>& gains);
  void resume();

  Registers& registers_;
  Driver& driver_;
  Witness& witness_;
  int counters_;
  Clock clock_;
  Slots slots_;
  bool clear_ = true;                    // at the last look: the registers may be written
  std::optional<std::string> obstacle_;  // to the stretch, known before its end
  std::vector<std::unique_ptr<Loan>> loans_;
  std::chrono::nanoseconds begun_{};  // the stretch
  std::uint64_t enabled_ns_ = 0;
  std::uint64_t running_ns_ = 0;
  std::uint64_t told_enabled_ns_ = 0;  // when losses() was called last
  std::uint64_t told_running_ns_ = 0;
  std::map<std::string, std::uint64_t> lost_;  // stretches by what was in the way
};

}  // namespace tacho::arm
