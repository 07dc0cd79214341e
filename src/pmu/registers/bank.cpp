#include "pmu/registers/bank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <ranges>
#include <utility>

#include "pmu/registers/virtual_counter.hpp"

namespace tacho::arm {
namespace {

constexpr std::uint64_t kDivisor = 64;

// A reading that took longer was interrupted: its counters belong to different moments.
constexpr std::chrono::microseconds kQuick{20};
constexpr int kTries = 5;

// So recent a look still says whether the registers may be written: a turn needs one look, not two.
constexpr std::chrono::milliseconds kFresh{1};

// In which a counter of all cycles can't stand still.
constexpr std::chrono::microseconds kNoticeable{100};

}  // namespace

Bank::Bank(Registers& registers, Driver& driver, Witness& witness, int counters, Clock clock)
    : registers_(registers),
      driver_(driver),
      witness_(witness),
      counters_(counters),
      clock_(std::move(clock)) {
  driver_.take_over();
  driver_.turn_on();
}

Bank::~Bank() {
  if (witness_.look().clear) driver_.give_back();
}

// A counter that counts the same already, else the cycle counter, else one that is free.
std::optional<int> Bank::place(const Slots& slots, const Wanted& wanted) const {
  const auto same = [&](int counter) {
    const Slot& slot = slots[static_cast<std::size_t>(counter)];
    return slot.users > 0 && slot.wanted.setting == wanted.setting;
  };
  const auto free = [&](int counter) {
    return slots[static_cast<std::size_t>(counter)].users == 0;
  };
  const auto all = std::views::iota(0, counters_);
  if (same(kCycleCounter)) return kCycleCounter;
  if (const auto found = std::ranges::find_if(all, same); found != all.end()) return *found;
  if (wanted.cycles && free(kCycleCounter)) return kCycleCounter;
  if (wanted.setting.divided) return std::nullopt;
  if (const auto found = std::ranges::find_if(all, free); found != all.end()) return *found;
  return std::nullopt;
}

// What only the cycle counter can count is placed first.
Result<std::vector<int>> Bank::place(Slots& slots, std::span<const Wanted> wanted) const {
  std::vector<int> places(wanted.size());
  for (const bool divided : {true, false}) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i].setting.divided != divided) continue;
      const auto found = place(slots, wanted[i]);
      if (!found)
        return failure(
            fmt::format("there are {} counters beside the cycle counter, and more are wanted",
                        counters_),
            "ask for fewer events at a time", EINVAL);
      places[i] = *found;
      Slot& slot = slots[static_cast<std::size_t>(*found)];
      if (slot.users++ == 0) slot.wanted = wanted[i];
    }
  }
  return places;
}

Result<void> Bank::fits(std::span<const Wanted> wanted) const {
  Slots none;
  const auto placed = place(none, wanted);
  return placed ? Result<void>() : std::unexpected(placed.error());
}

Result<const Bank::Loan*> Bank::lend(std::span<const Wanted> wanted) {
  if (in_use() == 0 || clock_() - begun_ > kFresh) look();
  Slots slots = slots_;
  auto placed = TACHO_TRY(place(slots, wanted));
  std::uint32_t fresh = 0;
  for (const int counter : placed)
    if (slots_[static_cast<std::size_t>(counter)].users == 0) fresh |= bit(counter);
  slots_ = slots;
  auto loan = std::make_unique<Loan>();
  loan->counters = std::move(placed);
  begin(fresh);
  mark(*loan, fresh);
  return loans_.emplace_back(std::move(loan)).get();
}

// From this reading on the loan counts, with fresh counters and with those that others use already.
void Bank::mark(Loan& loan, std::uint32_t fresh) {
  const Snapshot now = snapshot();
  loan.before_ns = static_cast<std::uint64_t>((clock_() - begun_).count());
  loan.enabled_from = enabled_ns_;
  loan.running_from = running_ns_;
  for (const int counter : loan.counters) {
    const auto place = static_cast<std::size_t>(counter);
    if ((fresh & bit(counter)) != 0) slots_[place].last = now.values[place];
    const auto before = gain(counter, now);
    if (!before) obstacle_ = to_string(before.error());
    loan.from.push_back(slots_[place].total);
    loan.before.push_back(before.value_or(0));
  }
}

// The stretch in which a loan began is over.
void Bank::settle_loans(bool good) {
  for (const auto& loan : loans_) {
    const std::uint64_t before_ns = std::exchange(loan->before_ns, 0);
    loan->enabled_from += before_ns;
    if (good) loan->running_from += before_ns;
    for (std::size_t i = 0; i < loan->before.size(); ++i)
      if (good) loan->from[i] += loan->before[i];
    loan->before.clear();
  }
}

std::vector<Reading> Bank::counted(const Loan& loan) const {
  std::vector<Reading> readings;
  for (std::size_t i = 0; i < loan.counters.size(); ++i)
    readings.push_back(
        {.value = slots_[static_cast<std::size_t>(loan.counters[i])].total - loan.from[i],
         .enabled_ns = enabled_ns_ - loan.enabled_from,
         .running_ns = running_ns_ - loan.running_from});
  return readings;
}

std::vector<Reading> Bank::take_back(const Loan* loan) {
  look();
  std::vector<Reading> readings = counted(*loan);
  std::uint32_t idle = 0;
  for (const int counter : loan->counters)
    if (--slots_[static_cast<std::size_t>(counter)].users == 0) idle |= bit(counter);
  // The cycle counter stays on, for whoever else reads it.
  if (clear_) driver_.stop(idle & ~bit(kCycleCounter));
  std::erase_if(loans_, [loan](const auto& each) { return each.get() == loan; });
  return readings;
}

void Bank::begin(std::uint32_t counters) {
  if (!clear_) return;
  for (int counter = 0; counter < kPlaces; ++counter)
    if ((counters & bit(counter)) != 0)
      driver_.configure(counter, slots_[static_cast<std::size_t>(counter)].wanted.setting);
  driver_.start(counters);
  const Snapshot now = driver_.read(counters);
  for (std::size_t place = 0; place < kPlaces; ++place)
    if ((counters & bit(static_cast<int>(place))) != 0) slots_[place].last = now.values[place];
}

std::uint32_t Bank::in_use() const {
  std::uint32_t counters = 0;
  for (std::size_t place = 0; place < kPlaces; ++place)
    if (slots_[place].users > 0) counters |= bit(static_cast<int>(place));
  return counters;
}

unsigned Bank::bits(int counter) const {
  return counter == kCycleCounter ? driver_.cycle_bits() : 32;
}

Bank::Standing Bank::standing(int counter) const {
  const Slot& slot = slots_[static_cast<std::size_t>(counter)];
  return {
      .last = slot.last, .total = slot.total, .mask = ~std::uint64_t{0} >> (64 - bits(counter))};
}

// In counts of what is wanted, since the last look.
std::expected<std::uint64_t, Doubtful> Bank::gain(int counter, const Snapshot& now) const {
  const auto place = static_cast<std::size_t>(counter);
  const bool overflowed = (now.overflowed & bit(counter)) != 0;
  auto ticks = gained(slots_[place].last, now.values[place], overflowed, bits(counter));
  if (ticks && slots_[place].wanted.setting.divided) *ticks *= kDivisor;
  return ticks;
}

// All counters at one moment, as far as can be had: the quickest of some readings.
Snapshot Bank::snapshot() {
  Snapshot best;
  auto shortest = std::chrono::nanoseconds::max();
  for (int i = 0; i < kTries && shortest > kQuick; ++i) {
    const auto before = clock_();
    const Snapshot taken = driver_.read(in_use() | bit(kCycleCounter));
    const auto took = clock_() - before;
    if (took >= shortest) continue;
    shortest = took;
    best = taken;
  }
  return best;
}

// What speaks against the stretch that ends; where nothing does, `gains` are good.
std::optional<std::string> Bank::doubt(const Snapshot& now, std::chrono::nanoseconds elapsed,
                                       std::array<std::uint64_t, kPlaces>& gains) {
  const std::uint32_t counters = in_use();
  const bool intact = driver_.intact(counters);
  const auto settled = registers_.settle();
  auto obstacle = std::exchange(obstacle_, std::nullopt);
  const auto [trouble, clear] = witness_.look();
  clear_ = clear;
  if (!clear) obstacle_ = trouble;  // to the next stretch too
  if (trouble) return trouble;
  if (obstacle) return obstacle;
  if (!settled) return settled.error().what;
  if (!intact) {
    if (const auto event = driver_.too_wide(counters))
      return fmt::format("the core has no event {:#x}: its registers take no such number", *event);
    return "somebody else changed the counters' settings";
  }
  if (elapsed > kLongestStretch) return "tacho was kept from its counters for too long";
  for (std::size_t place = 0; place < kPlaces; ++place) {
    const int counter = static_cast<int>(place);
    if ((counters & bit(counter)) == 0) continue;
    const auto gained = gain(counter, now);
    if (!gained) return std::string(to_string(gained.error()));
    if (*gained == 0 && counter == kCycleCounter && elapsed > kNoticeable &&
        !slots_[place].wanted.setting.filtered())
      return "the cycle counter stood still";
    gains[place] = *gained;
  }
  return std::nullopt;
}

void Bank::look() {
  const std::uint32_t counters = in_use();
  if (counters == 0) {
    // Whatever came between was in nobody's way.
    begun_ = clock_();
    const auto [trouble, clear] = witness_.look();
    clear_ = clear;
    obstacle_ = clear ? std::nullopt : trouble;
    if (clear_ && !driver_.intact(0)) resume();
    if (const auto settled = registers_.settle(); !settled) obstacle_ = settled.error().what;
    return;
  }
  const Snapshot now = snapshot();
  const auto elapsed = clock_() - begun_;
  begun_ += elapsed;
  std::array<std::uint64_t, kPlaces> gains{};
  const auto why = doubt(now, elapsed, gains);
  const auto length = static_cast<std::uint64_t>(elapsed.count());
  enabled_ns_ += length;
  settle_loans(!why);
  if (why) {
    ++lost_[*why];
    resume();
    return;
  }
  running_ns_ += length;
  for (std::size_t place = 0; place < kPlaces; ++place) {
    slots_[place].last = now.values[place];
    slots_[place].total += gains[place];
  }
  driver_.clear_overflows(now.overflowed & counters);
}

// Everything as it should be, from now on.
void Bank::resume() {
  if (!clear_) return;
  driver_.turn_on();
  begin(in_use());
}

std::string Bank::losses() {
  const std::uint64_t enabled = enabled_ns_ - std::exchange(told_enabled_ns_, enabled_ns_);
  const std::uint64_t running = running_ns_ - std::exchange(told_running_ns_, running_ns_);
  std::string reasons;
  for (const auto& [why, times] : std::exchange(lost_, {}))
    reasons += fmt::format("{}{} ({}×)", reasons.empty() ? "" : "; ", why, times);
  if (reasons.empty()) return {};
  return fmt::format("{:.3f} s of {:.3f} s of counting were given up: {}",
                     1e-9 * static_cast<double>(enabled - running),
                     1e-9 * static_cast<double>(enabled), reasons);
}

}  // namespace tacho::arm
