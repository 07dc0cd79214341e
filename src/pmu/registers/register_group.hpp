// A group of core events, which the bank's counters count, and of software events, which the kernel
// counts.
#pragma once

#include <memory>
#include <vector>

#include "pmu/registers/bank.hpp"

namespace tacho::arm {

class RegisterGroup final : public CounterGroup {
 public:
  struct Part {
    std::vector<Wanted> wanted;
    std::vector<std::size_t> places;  // their indices among the group's events
  };
  struct Beside {
    std::unique_ptr<CounterGroup> group;  // null: there are no software events
    std::vector<std::size_t> places;
    bool starts_at_exec = false;
  };

  RegisterGroup(Bank& bank, Part part, Beside beside);
  ~RegisterGroup() override;
  RegisterGroup(const RegisterGroup&) = delete;
  RegisterGroup& operator=(const RegisterGroup&) = delete;

  // If other groups have the counters, the group is on but does not run, as with the kernel's PMUs.
  Result<void> enable() override;
  Result<void> disable() override;
  Result<void> read(std::span<Reading> readings) override;

 private:
  std::vector<Reading> waited() const;

  Bank& bank_;
  Part part_;
  Beside beside_;
  bool on_ = false;
  const Bank::Allocation* allocation_ =
      nullptr;                    // while the group is on; null: there are not enough counters
  std::uint64_t waits_from_ = 0;  // if so: the bank's time when the group was turned on
  std::vector<Reading> counted_;  // from the earlier times when the group was on
};

}  // namespace tacho::arm
