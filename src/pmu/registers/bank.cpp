#include "pmu/registers/bank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <ranges>
#include <utility>

#include "pmu/registers/virtual_counter.hpp"

namespace tacho::arm {
namespace {

constexpr std::uint64_t kDivisor = 64;  // cycles for one count of a divided cycle counter

// A reading of all counters that takes longer was interrupted: the counters then belong to
// different moments.
constexpr std::chrono::microseconds kQuick{20};
constexpr int kTries = 5;  // of a quick reading

// A look that is at most this old still shows whether the registers may be written. So a turn of
// event sets needs one look, not two.
constexpr std::chrono::milliseconds kFresh{1};

// A counter of all cycles advances in this time.
constexpr std::chrono::microseconds kNoticeable{100};

}  // namespace

Bank::Bank(Registers& registers, Driver& driver, Observer& observer, int counters, Clock clock)
    : registers_(registers),
      driver_(driver),
      observer_(observer),
      counters_(counters),
      clock_(std::move(clock)) {
  driver_.take_over();
  driver_.turn_on();
}

Bank::~Bank() {
  if (observer_.look().clear) driver_.give_back();
}

// Prefers a counter that counts the same already, then the cycle counter, then a free counter.
std::optional<int> Bank::place(const Slots& slots, const Wanted& wanted) const {
  const auto same = [&](int counter) {
    const Slot& slot = slots[counter];
    return slot.users > 0 && slot.wanted.setting == wanted.setting;
  };
  const auto free = [&](int counter) { return slots[counter].users == 0; };
  const auto all = std::views::iota(0, counters_);
  if (same(kCycleCounter)) return kCycleCounter;
  if (const auto found = std::ranges::find_if(all, same); found != all.end()) return *found;
  if (wanted.cycles && free(kCycleCounter)) return kCycleCounter;
  if (wanted.setting.divided) return std::nullopt;
  if (const auto found = std::ranges::find_if(all, free); found != all.end()) return *found;
  return std::nullopt;
}

// Places the events first that only the cycle counter can count.
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
      Slot& slot = slots[*found];
      if (slot.users++ == 0) slot.wanted = wanted[i];
    }
  }
  return places;
}

Result<void> Bank::fits(std::span<const Wanted> wanted) const {
  Slots none;
  TACHO_TRY(place(none, wanted));
  return {};
}

Result<const Bank::Allocation*> Bank::allocate(std::span<const Wanted> wanted) {
  if (in_use() == 0 || clock_() - begun_ > kFresh) look();
  Slots slots = slots_;
  auto placed = TACHO_TRY(place(slots, wanted));
  std::uint32_t fresh = 0;
  for (const int counter : placed)
    if (slots_[counter].users == 0) fresh |= bit(counter);
  slots_ = slots;
  auto allocation = std::make_unique<Allocation>();
  allocation->counters = std::move(placed);
  begin(fresh);
  mark(*allocation, fresh);
  return allocations_.emplace_back(std::move(allocation)).get();
}

// Begins the allocation: it counts from this reading on, on fresh counters and on shared ones.
void Bank::mark(Allocation& allocation, std::uint32_t fresh) {
  const Snapshot now = snapshot();
  allocation.before_ns = static_cast<std::uint64_t>((clock_() - begun_).count());
  allocation.enabled_from = enabled_ns_;
  allocation.running_from = running_ns_;
  for (const int counter : allocation.counters) {
    if ((fresh & bit(counter)) != 0) slots_[counter].last = now.values[counter];
    const auto before = gain(counter, now);
    if (!before) obstacle_ = to_string(before.error());
    allocation.from.push_back(slots_[counter].total);
    allocation.before.push_back(before.value_or(0));
  }
}

// Removes the part before the allocation from an allocation's first stretch, which ends.
void Bank::settle_allocations(bool good) {
  for (const auto& allocation : allocations_) {
    const std::uint64_t before_ns = std::exchange(allocation->before_ns, 0);
    allocation->enabled_from += before_ns;
    if (good) allocation->running_from += before_ns;
    for (std::size_t i = 0; i < allocation->before.size(); ++i)
      if (good) allocation->from[i] += allocation->before[i];
    allocation->before.clear();
  }
}

std::vector<Reading> Bank::counted(const Allocation& allocation) const {
  std::vector<Reading> readings;
  for (std::size_t i = 0; i < allocation.counters.size(); ++i)
    readings.push_back({.value = slots_[allocation.counters[i]].total - allocation.from[i],
                        .enabled_ns = enabled_ns_ - allocation.enabled_from,
                        .running_ns = running_ns_ - allocation.running_from});
  return readings;
}

std::vector<Reading> Bank::release(const Allocation* allocation) {
  look();
  std::vector<Reading> readings = counted(*allocation);
  std::uint32_t idle = 0;
  for (const int counter : allocation->counters)
    if (--slots_[counter].users == 0) idle |= bit(counter);
  // The cycle counter stays on, because others may read it.
  if (clear_) driver_.stop(idle & ~bit(kCycleCounter));
  std::erase_if(allocations_, [allocation](const auto& each) { return each.get() == allocation; });
  return readings;
}

void Bank::begin(std::uint32_t counters) {
  if (!clear_) return;
  for (int counter = 0; counter < kPlaces; ++counter)
    if ((counters & bit(counter)) != 0) driver_.configure(counter, slots_[counter].wanted.setting);
  driver_.start(counters);
  const Snapshot now = driver_.read(counters);
  for (int counter = 0; counter < kPlaces; ++counter)
    if ((counters & bit(counter)) != 0) slots_[counter].last = now.values[counter];
}

std::uint32_t Bank::in_use() const {
  std::uint32_t counters = 0;
  for (int counter = 0; counter < kPlaces; ++counter)
    if (slots_[counter].users > 0) counters |= bit(counter);
  return counters;
}

unsigned Bank::bits(int counter) const {
  return counter == kCycleCounter ? driver_.cycle_bits() : 32;
}

Bank::CounterState Bank::state(int counter) const {
  const Slot& slot = slots_[counter];
  return {
      .last = slot.last, .total = slot.total, .mask = ~std::uint64_t{0} >> (64 - bits(counter))};
}

// The gain of a counter since the last look, in counts of the wanted event.
std::expected<std::uint64_t, Doubtful> Bank::gain(int counter, const Snapshot& now) const {
  const bool overflowed = (now.overflowed & bit(counter)) != 0;
  auto ticks = gained(slots_[counter].last, now.values[counter], overflowed, bits(counter));
  if (ticks && slots_[counter].wanted.setting.divided) *ticks *= kDivisor;
  return ticks;
}

// The counters at one moment, approximately: the quickest of several readings.
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

// The reason to give up the stretch that ends. If there is none, `gains` is valid.
std::optional<std::string> Bank::doubt(const Snapshot& now, std::chrono::nanoseconds elapsed,
                                       PerCounter<std::uint64_t>& gains) {
  const std::uint32_t counters = in_use();
  const bool intact = driver_.intact(counters);
  const auto settled = registers_.settle();
  auto obstacle = std::exchange(obstacle_, std::nullopt);
  const auto [trouble, clear] = observer_.look();
  clear_ = clear;
  if (!clear) obstacle_ = trouble;  // holds for the next stretch, too
  if (trouble) return trouble;
  if (obstacle) return obstacle;
  if (!settled) return settled.error().what;
  if (!intact) {
    if (const auto event = driver_.too_wide(counters))
      return fmt::format("the core has no event {:#x}: its registers do not keep this number",
                         *event);
    return "somebody else changed the counters' settings";
  }
  if (elapsed > kLongestStretch) return "tacho was kept from its counters for too long";
  for (int counter = 0; counter < kPlaces; ++counter) {
    if ((counters & bit(counter)) == 0) continue;
    const auto gained = gain(counter, now);
    if (!gained) return std::string(to_string(gained.error()));
    if (*gained == 0 && counter == kCycleCounter && elapsed > kNoticeable &&
        !slots_[counter].wanted.setting.filtered())
      return "the cycle counter did not advance";
    gains[counter] = *gained;
  }
  return std::nullopt;
}

void Bank::look() {
  const std::uint32_t counters = in_use();
  if (counters == 0) {
    // No counter is allocated, so nothing that happened before matters.
    begun_ = clock_();
    const auto [trouble, clear] = observer_.look();
    clear_ = clear;
    obstacle_ = clear ? std::nullopt : trouble;
    if (clear_ && !driver_.intact(0)) resume();
    if (const auto settled = registers_.settle(); !settled) obstacle_ = settled.error().what;
    return;
  }
  const Snapshot now = snapshot();
  const auto elapsed = clock_() - begun_;
  begun_ += elapsed;
  PerCounter<std::uint64_t> gains;
  const auto why = doubt(now, elapsed, gains);
  const auto length = static_cast<std::uint64_t>(elapsed.count());
  enabled_ns_ += length;
  settle_allocations(!why);
  if (why) {
    ++lost_[*why];
    resume();
    return;
  }
  running_ns_ += length;
  for (int counter = 0; counter < kPlaces; ++counter) {
    slots_[counter].last = now.values[counter];
    slots_[counter].total += gains[counter];
  }
  driver_.clear_overflows(now.overflowed & counters);
}

// Configures the counters again after a disturbance.
void Bank::resume() {
  if (!clear_) return;
  driver_.turn_on();
  begin(in_use());
}

std::string Bank::losses() {
  const std::uint64_t enabled = enabled_ns_ - std::exchange(reported_enabled_ns_, enabled_ns_);
  const std::uint64_t running = running_ns_ - std::exchange(reported_running_ns_, running_ns_);
  std::string reasons;
  for (const auto& [why, times] : std::exchange(lost_, {}))
    reasons += fmt::format("{}{} ({}×)", reasons.empty() ? "" : "; ", why, times);
  if (reasons.empty()) return {};
  return fmt::format("{:.3f} s of {:.3f} s of counting were given up: {}",
                     1e-9 * static_cast<double>(enabled - running),
                     1e-9 * static_cast<double>(enabled), reasons);
}

}  // namespace tacho::arm
