// The registers of two kinds of performance monitor as ARM's manuals describe them, without a core.
// A test gives the events, and the registers count them. Nothing here is taken from the drivers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "pmu/registers/observer.hpp"
#include "pmu/registers/registers.hpp"

namespace tacho::arm {

// The work of a core: how often each event happened in user mode and in kernel mode.
struct Work {
  std::uint64_t user = 0;
  std::uint64_t kernel = 0;
};
using Happened = std::map<std::uint16_t, Work>;

class FakeRegisters : public Registers {
 public:
  bool refused = false;  // every access raises SIGILL

  std::uint64_t read(Register name) final {
    if (deny()) return 0;
    return get(name);
  }
  void write(Register name, std::uint64_t value) final {
    if (deny()) return;
    set(name, value);
  }
  Result<void> settle() final {
    return std::exchange(hit_, false) ? Result<void>(failure("refused")) : Result<void>();
  }

  virtual void happen(std::uint64_t cycles, const Happened& events) = 0;

 protected:
  virtual std::uint64_t get(Register) = 0;
  virtual void set(Register, std::uint64_t) = 0;

 private:
  bool deny() {
    hit_ = hit_ || refused;
    return refused;
  }
  bool hit_ = false;
};

// The ARM1176: DDI 0301H, 3.2.51 to 3.2.53.
class FakeArm1176 final : public FakeRegisters {
 public:
  std::uint32_t pmnc = 0;
  std::array<std::uint32_t, 3> counters{};  // PMC0, PMC1, CCR

  void happen(std::uint64_t cycles, const Happened& events) override {
    if ((pmnc & 1) == 0) return;
    const auto total = [&](std::uint32_t number) {
      const auto event = events.find(static_cast<std::uint16_t>(number));
      if (number == 0xff) return cycles;
      return event == events.end() ? 0 : event->second.user + event->second.kernel;
    };
    add(0, total(pmnc >> 20 & 0xff));
    add(1, total(pmnc >> 12 & 0xff));
    const bool divided = (pmnc & 8) != 0;
    fraction_ += cycles;
    add(2, divided ? fraction_ / 64 : cycles);
    fraction_ %= 64;
  }

 private:
  void add(std::size_t counter, std::uint64_t more) {
    const std::uint64_t sum = counters[counter] + more;
    if (sum >> 32 != 0) pmnc |= 0x100U << counter;
    counters[counter] = static_cast<std::uint32_t>(sum);
  }

  std::uint64_t get(Register name) override {
    switch (name) {
      case Register::control:
        return pmnc;
      case Register::count0:
        return counters[0];
      case Register::count1:
        return counters[1];
      case Register::cycles:
        return counters[2];
      default:
        throw std::string("the ARM1176 has no such register");
    }
  }

  void set(Register name, std::uint64_t value) override {
    const auto word = static_cast<std::uint32_t>(value);
    if (name == Register::control) {
      if ((word & 2) != 0) counters[0] = counters[1] = 0;
      if ((word & 4) != 0) counters[2] = 0;
      const std::uint32_t flags = pmnc & 0x700 & ~word;  // written 1, a flag is cleared
      pmnc = (word & ~0x706U) | flags;
    } else if (name == Register::count0 || name == Register::count1 || name == Register::cycles) {
      counters[name == Register::count0 ? 0 : name == Register::count1 ? 1 : 2] = word;
    } else {
      throw std::string("the ARM1176 has no such register");
    }
  }

  std::uint64_t fraction_ = 0;
};

// PMUv1 and PMUv2 of ARMv7 (DDI 0406B, C10.9; DDI 0406C, C12) and PMUv3 of AArch64 (DDI 0487, D13).
class FakeLater final : public FakeRegisters {
 public:
  FakeLater(unsigned many, bool aarch64) : number(many), wide(aarch64) {}

  unsigned number;
  bool wide;
  bool filters = true;       // false: PMUv1, whose counters have an event of 8 bits and no filter
  bool long_events = false;  // PMUv3p5: counters of events have 64 bits, too
  bool half_cycles = false;  // read by AArch32, which sees the lower 32 bits
  std::uint64_t pmcr = 0;
  std::uint32_t enabled = 0;
  std::uint32_t flags = 0;
  std::uint32_t selected = 0;
  std::array<std::uint64_t, 32> types{};
  std::array<std::uint64_t, 32> counters{};
  std::set<std::uint16_t> common = {0x00, 0x01, 0x03, 0x04, 0x08, 0x0c, 0x10, 0x11, 0x12};

  void happen(std::uint64_t cycles, const Happened& events) override {
    happen(Work{.user = cycles, .kernel = 0}, events);
  }
  void happen(Work cycles, const Happened& events) {
    if ((pmcr & 1) == 0) return;
    for (std::uint32_t i = 0; i < number; ++i) {
      const auto event = events.find(static_cast<std::uint16_t>(types[i] & 0x3ff));
      if ((types[i] & 0x3ff) == 0x11)
        add(i, seen(i, cycles));
      else if (event != events.end())
        add(i, seen(i, event->second));
    }
    const bool divided = (pmcr & 8) != 0 && (pmcr & 0x40) == 0;
    fraction_ += seen(31, cycles);
    add(31, divided ? fraction_ / 64 : seen(31, cycles));
    fraction_ %= 64;
  }

 private:
  std::uint64_t seen(std::uint32_t counter, Work work) const {
    return ((types[counter] >> 30 & 1) != 0 ? 0 : work.user) +
           ((types[counter] >> 31 & 1) != 0 ? 0 : work.kernel);
  }

  void add(std::uint32_t counter, std::uint64_t more) {
    if ((enabled >> counter & 1) == 0) return;
    const std::uint64_t sum = counters[counter] + more;
    const bool is_long = counter == 31 ? wide : long_events;
    // PMCR.LC and LP select the overflow that the flag is of. No count here reaches 64 bits.
    const bool flags_64 = is_long && (pmcr & (counter == 31 ? 0x40U : 0x80U)) != 0;
    if (!flags_64 && sum >> 32 != counters[counter] >> 32) flags |= 1U << counter;
    counters[counter] = is_long ? sum : sum & 0xffffffff;
  }

  std::uint32_t all() const { return 0x80000000 | ((1U << number) - 1); }

  std::uint32_t typed() const {
    if (!filters && selected >= number) throw std::string("PMUv1 has no event type for it");
    return selected;
  }

  std::uint64_t get(Register name) override {
    const auto ceid = [this](std::uint16_t first) {
      std::uint64_t bits = 0;
      for (const std::uint16_t event : common)
        if (event >= first && event < first + 32) bits |= std::uint64_t{1} << (event - first);
      return bits;
    };
    switch (name) {
      case Register::control:
        return (pmcr & 0xf9) | number << 11;
      case Register::cycles:
        return half_cycles ? counters[31] & 0xffffffff : counters[31];
      case Register::enable_set:
      case Register::enable_clear:
        return enabled;
      case Register::overflow:
        return flags;
      case Register::select:
        return selected;
      case Register::event_type:
        return types[typed()];
      case Register::event_count:
        return counters[selected];
      case Register::common_events_0:
        return ceid(0);
      case Register::common_events_1:
        return ceid(32);
      default:
        throw std::string("there is no such register");
    }
  }

  void set(Register name, std::uint64_t value) override {
    const auto word = static_cast<std::uint32_t>(value);
    switch (name) {
      case Register::control:
        if ((value & 2) != 0)
          for (std::uint32_t i = 0; i < number; ++i) counters[i] = 0;
        if ((value & 4) != 0) counters[31] = 0;
        pmcr = value & (long_events ? 0xf9 : wide ? 0x79 : 0x39);
        return;
      case Register::cycles:
        counters[31] = value;
        return;
      case Register::enable_set:
        enabled |= word & all();
        return;
      case Register::enable_clear:
        enabled &= ~word;
        return;
      case Register::overflow:
        flags &= ~word;
        return;
      case Register::select:
        selected = word & 31;
        return;
      case Register::event_type:
        types[typed()] = value & (!filters         ? 0xff
                                  : selected == 31 ? 0xf8000000
                                  : wide           ? 0xf80003ff
                                                   : 0xf80000ff);
        return;
      case Register::event_count:
        counters[selected] = word;
        return;
      default:
        throw std::string("there is no such register");
    }
  }

  std::uint64_t fraction_ = 0;
};

// Returns the observations that a test sets.
struct FakeObserver final : Observer {
  std::optional<std::string> trouble;  // said once
  bool clear = true;
  std::optional<pid_t> followed;

  Observation look() override { return {std::exchange(trouble, std::nullopt), clear}; }
  Result<void> follow(pid_t pid) override {
    followed = pid;
    return {};
  }
};

}  // namespace tacho::arm
