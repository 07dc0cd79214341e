// The counters of ARMv7 with PMUv2 (Cortex-A7, A15, A17) and of AArch64, which work alike: each
// counter has a bit to start, to stop and to clear its flag, and one register tells of which the
// next ones speak (ARM DDI 0406C, C12; ARM DDI 0487, D11).
#include "pmu/registers/driver.hpp"

namespace tacho::arm {
namespace {

constexpr std::uint64_t kEnable = 1U << 0U;
constexpr std::uint64_t kDivide = 1U << 3U;
// PMUv3, of the cycle counter, and from PMUv3p5 on of those of events: the flag is of the overflow
// of 64 bits, not of 32. The cycle counter then counts all cycles, whatever kDivide says. perf
// leaves both set.
constexpr std::uint64_t kLongCycles = 1U << 6U;
constexpr std::uint64_t kLongEvents = 1U << 7U;
constexpr std::uint64_t kResets = 3U << 1U;

constexpr std::uint64_t kNotKernel = std::uint64_t{1} << 31U;
constexpr std::uint64_t kNotUser = std::uint64_t{1} << 30U;
constexpr std::uint64_t kHypervisor = std::uint64_t{1} << 27U;  // where kernels run in it (VHE)
constexpr std::uint64_t kEventMask = 0xffff;

std::uint64_t event_type(int counter, const Setting& setting) {
  std::uint64_t type = counter == kCycleCounter ? 0 : setting.event;
  if (!setting.user) type |= kNotUser;
  type |= setting.kernel ? kHypervisor : kNotKernel;
  return type;
}

// A bit each; 0 where the core does not tell (QEMU's ARMv7 cores don't).
std::uint64_t common_events(Registers& registers) {
  const std::uint64_t low = registers.read(Register::common_events_0) & 0xffffffff;
  const std::uint64_t high = registers.read(Register::common_events_1) & 0xffffffff;
  return registers.settle() ? high << 32U | low : 0;
}

class LaterDriver final : public Driver {
 public:
  LaterDriver(unsigned cycle_bits, Registers& registers, int counters)
      : Driver(registers),
        wide_(cycle_bits == 64),
        counters_(bit(counters) - 1),
        common_(common_events(registers)) {}

  unsigned cycle_bits() const override { return wide_ ? 64 : 32; }
  bool tells_modes() const override { return true; }
  std::uint16_t cycles_event() const override { return 0x11; }
  std::optional<bool> has(std::uint16_t event) const override {
    if (event >= kCommonEvents || common_ == 0) return std::nullopt;
    return (common_ >> event & 1) != 0;
  }

  void take_over() override {
    found_control_ = registers().read(Register::control) & ~kResets;
    found_on_ = registers().read(Register::enable_set);
    found_selected_ = registers().read(Register::select);
    for (int counter = 0; counter < kPlaces; ++counter) {
      if ((all() & bit(counter)) == 0) continue;
      registers().write(Register::select, static_cast<std::uint64_t>(counter));
      found_types_[static_cast<std::size_t>(counter)] = registers().read(Register::event_type);
    }
    control_ = (found_control_ | kEnable) & ~kLongEvents;
    if (!wide_) control_ &= ~kLongCycles;
  }

  void turn_on() override {
    registers().write(Register::control, control_);
    registers().write(Register::enable_clear, counters_);
  }

  void configure(int counter, const Setting& setting) override {
    const auto place = static_cast<std::size_t>(counter);
    registers().write(Register::enable_clear, bit(counter));
    registers().write(Register::select, place);
    registers().write(Register::event_type, event_type(counter, setting));
    // What sticks: bits that this core does not have read as 0.
    types_[place] = registers().read(Register::event_type);
    meant_[place] = event_type(counter, setting) & ~kHypervisor;
    if (counter == kCycleCounter) {
      control_ = setting.divided
                     ? (control_ | kDivide) & ~kLongCycles
                     : (control_ & ~kDivide) | (wide_ ? found_control_ & kLongCycles : 0);
      registers().write(Register::control, control_);
    } else {
      registers().write(Register::event_count, 0);
    }
    registers().write(Register::overflow, bit(counter));
  }

  void start(std::uint32_t counters) override { registers().write(Register::enable_set, counters); }
  void stop(std::uint32_t counters) override {
    registers().write(Register::enable_clear, counters);
  }

  Snapshot read(std::uint32_t counters) override {
    Snapshot snapshot;
    for (int counter = 0; counter < kCycleCounter; ++counter) {
      if ((counters & bit(counter)) == 0) continue;
      registers().write(Register::select, static_cast<std::uint64_t>(counter));
      snapshot.values[static_cast<std::size_t>(counter)] =
          registers().read(Register::event_count) & 0xffffffff;
    }
    if ((counters & bit(kCycleCounter)) != 0)
      snapshot.values[kCycleCounter] = registers().read(Register::cycles);
    snapshot.overflowed = static_cast<std::uint32_t>(registers().read(Register::overflow));
    return snapshot;
  }

  void clear_overflows(std::uint32_t counters) override {
    registers().write(Register::overflow, counters);
  }

  bool intact(std::uint32_t counters) override {
    const std::uint64_t control = registers().read(Register::control) & ~kResets;
    bool same =
        control == control_ && (registers().read(Register::enable_set) & counters) == counters;
    for (int counter = 0; counter < kPlaces; ++counter) {
      if ((counters & bit(counter)) == 0) continue;
      const auto place = static_cast<std::size_t>(counter);
      registers().write(Register::select, place);
      const std::uint64_t type = registers().read(Register::event_type);
      same = same && type == types_[place] &&
             (type & (kNotKernel | kNotUser | kEventMask)) == meant_[place];
    }
    return same;
  }

  std::optional<std::uint16_t> too_wide(std::uint32_t counters) const override {
    for (std::size_t place = 0; place < kPlaces; ++place) {
      const std::uint64_t meant = meant_[place] & kEventMask;
      const std::uint64_t kept = types_[place] & kEventMask;
      if ((counters & bit(static_cast<int>(place))) != 0 && kept < meant && (kept & ~meant) == 0)
        return static_cast<std::uint16_t>(meant);
    }
    return std::nullopt;
  }

  void give_back() override {
    registers().write(Register::enable_clear, all());
    for (int counter = 0; counter < kPlaces; ++counter) {
      if ((all() & bit(counter)) == 0) continue;
      registers().write(Register::select, static_cast<std::uint64_t>(counter));
      registers().write(Register::event_type, found_types_[static_cast<std::size_t>(counter)]);
    }
    registers().write(Register::select, found_selected_);
    registers().write(Register::control, found_control_);
    registers().write(Register::enable_set, found_on_);
  }

 private:
  std::uint32_t all() const { return counters_ | bit(kCycleCounter); }

  bool wide_;
  std::uint32_t counters_;
  std::uint64_t common_;
  std::uint64_t found_control_ = 0;
  std::uint64_t found_on_ = 0;
  std::uint64_t found_selected_ = 0;
  std::array<std::uint64_t, kPlaces> found_types_{};
  std::uint64_t control_ = 0;
  std::array<std::uint64_t, kPlaces> types_{};
  std::array<std::uint64_t, kPlaces> meant_{};
};

}  // namespace

std::unique_ptr<Driver> make_later_driver(unsigned cycle_bits, Registers& registers, int counters) {
  return std::make_unique<LaterDriver>(cycle_bits, registers, counters);
}

std::unique_ptr<Driver> make_driver(Architecture architecture, Registers& registers, int counters) {
  if (architecture == Architecture::armv6) return make_arm1176_driver(registers);
  // Of AArch64's cycle counter programs of 32 bits see the lower half.
  const bool wide = architecture == Architecture::aarch64 && sizeof(void*) == 8;
  return make_later_driver(wide ? 64 : 32, registers, counters);
}

}  // namespace tacho::arm
