// The counters of ARMv7 and of AArch64 work alike. Each counter has one bit to start it, one to
// stop it and one to clear its flag. One register selects the counter that two other registers
// refer to (ARM DDI 0406C, C12; ARM DDI 0487, D11). Before PMUv2 (Cortex-A5, A8, A9), counters
// can't be restricted to a mode, and the cycle counter must not be selected (ARM DDI 0406B, C10.9).
#include "pmu/registers/armv7_aarch64_driver.hpp"

namespace tacho::arm {
namespace {

constexpr std::uint64_t kEnable = 1U << 0U;
constexpr std::uint64_t kDivide = 1U << 3U;
// The overflow flag is that of 64 bits instead of 32: for the cycle counter from PMUv3 on, for
// event counters from PMUv3p5 on. With kLongCycles, the cycle counter ignores kDivide. perf leaves
// both bits set.
constexpr std::uint64_t kLongCycles = 1U << 6U;
constexpr std::uint64_t kLongEvents = 1U << 7U;
constexpr std::uint64_t kResets = 3U << 1U;

constexpr std::uint64_t kNotKernel = std::uint64_t{1} << 31U;
constexpr std::uint64_t kNotUser = std::uint64_t{1} << 30U;
constexpr std::uint64_t kHypervisor = std::uint64_t{1} << 27U;  // for kernels that run in it (VHE)
constexpr std::uint64_t kEventMask = 0xffff;

std::uint64_t event_type(int counter, const Setting& setting, bool tells_modes) {
  if (!tells_modes) return setting.event;
  std::uint64_t type = counter == kCycleCounter ? 0 : setting.event;
  if (!setting.user) type |= kNotUser;
  type |= setting.kernel ? kHypervisor : kNotKernel;
  return type;
}

// One bit for each common event that the core has; 0 if the core does not report them, like QEMU's
// ARMv7 cores.
std::uint64_t common_events(Registers& registers) {
  const std::uint64_t low = registers.read(Register::common_events_0) & 0xffffffff;
  const std::uint64_t high = registers.read(Register::common_events_1) & 0xffffffff;
  return registers.settle() ? high << 32U | low : 0;
}

class Armv7Aarch64Driver final : public Driver {
 public:
  Armv7Aarch64Driver(const CounterKind& kind, Registers& registers, int counters)
      : Driver(registers),
        wide_(kind.cycle_bits == 64),
        tells_modes_(kind.tells_modes),
        counters_(bit(counters) - 1),
        common_(common_events(registers)) {}

  unsigned cycle_bits() const override { return wide_ ? 64 : 32; }
  bool tells_modes() const override { return tells_modes_; }
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
      if (!typed(counter)) continue;
      select(counter);
      found_types_[counter] = registers().read(Register::event_type);
    }
    control_ = (found_control_ | kEnable) & ~kLongEvents;
    if (!wide_) control_ &= ~kLongCycles;
  }

  void turn_on() override {
    registers().write(Register::control, control_);
    registers().write(Register::enable_clear, counters_);
  }

  void configure(int counter, const Setting& setting) override {
    registers().write(Register::enable_clear, bit(counter));
    if (typed(counter)) set_type(counter, event_type(counter, setting, tells_modes_));
    if (counter == kCycleCounter)
      divide_cycles(setting.divided);
    else
      registers().write(Register::event_count, 0);
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
      select(counter);
      snapshot.values[counter] = registers().read(Register::event_count) & 0xffffffff;
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
      if ((counters & bit(counter)) == 0 || !typed(counter)) continue;
      select(counter);
      const std::uint64_t type = registers().read(Register::event_type);
      same = same && type == types_[counter] &&
             (type & (kNotKernel | kNotUser | kEventMask)) == meant_[counter];
    }
    return same;
  }

  std::optional<std::uint16_t> too_wide(std::uint32_t counters) const override {
    for (int counter = 0; counter < kPlaces; ++counter) {
      const std::uint64_t meant = meant_[counter] & kEventMask;
      const std::uint64_t kept = types_[counter] & kEventMask;
      if ((counters & bit(counter)) != 0 && kept < meant && (kept & ~meant) == 0)
        return static_cast<std::uint16_t>(meant);
    }
    return std::nullopt;
  }

  void give_back() override {
    registers().write(Register::enable_clear, all());
    for (int counter = 0; counter < kPlaces; ++counter) {
      if (!typed(counter)) continue;
      select(counter);
      registers().write(Register::event_type, found_types_[counter]);
    }
    registers().write(Register::select, found_selected_);
    registers().write(Register::control, found_control_);
    registers().write(Register::enable_set, found_on_);
  }

 private:
  std::uint32_t all() const { return counters_ | bit(kCycleCounter); }

  // Whether the counter is there and has an event type.
  bool typed(int counter) const {
    return (all() & bit(counter)) != 0 && (counter != kCycleCounter || tells_modes_);
  }

  void set_type(int counter, std::uint64_t type) {
    select(counter);
    registers().write(Register::event_type, type);
    // Read back, because bits that this core does not have read as 0.
    types_[counter] = registers().read(Register::event_type);
    meant_[counter] = type & ~kHypervisor;
  }

  void divide_cycles(bool divided) {
    if (divided) {
      control_ = (control_ | kDivide) & ~kLongCycles;
    } else {
      control_ &= ~kDivide;
      if (wide_) control_ |= found_control_ & kLongCycles;
    }
    registers().write(Register::control, control_);
  }

  // Selects the counter of Register::event_type and Register::event_count.
  void select(int counter) {
    registers().write(Register::select, static_cast<std::uint64_t>(counter));
  }

  bool wide_;               // the cycle counter has 64 bits
  bool tells_modes_;        // counters can be restricted to user mode or kernel mode
  std::uint32_t counters_;  // mask of the event counters
  std::uint64_t common_;    // the common events that the core has, one bit each
  std::uint64_t found_control_ = 0;
  std::uint64_t found_on_ = 0;
  std::uint64_t found_selected_ = 0;
  PerCounter<std::uint64_t> found_types_;
  std::uint64_t control_ = 0;
  PerCounter<std::uint64_t> types_;  // as the registers kept them
  PerCounter<std::uint64_t> meant_;  // as they were configured
};

}  // namespace

std::unique_ptr<Driver> make_armv7_aarch64_driver(const CounterKind& kind, Registers& registers,
                                                  int counters) {
  return std::make_unique<Armv7Aarch64Driver>(kind, registers, counters);
}

}  // namespace tacho::arm
