// Events of the core, counted by the bank's counters, with the kernel's software events beside
// them.
#pragma once

#include <memory>
#include <vector>

#include "pmu/registers/bank.hpp"

namespace tacho::arm {

class RegisterGroup final : public CounterGroup {
 public:
  struct Part {
    std::vector<Wanted> wanted;
    std::vector<std::size_t> places;  // of the group's events
  };
  struct Beside {
    std::unique_ptr<CounterGroup> group;  // null: there is nothing beside
    std::vector<std::size_t> places;
    bool starts_at_exec = false;
  };

  RegisterGroup(Bank& bank, Part part, Beside beside);
  ~RegisterGroup() override;
  RegisterGroup(const RegisterGroup&) = delete;
  RegisterGroup& operator=(const RegisterGroup&) = delete;

  // Where others hold counters that it needs, it is on and never runs, as with the kernel's PMUs.
  Result<void> enable() override;
  Result<void> disable() override;
  Result<void> read(std::span<Reading> readings) override;

 private:
  std::vector<Reading> waited() const;

  Bank& bank_;
  Part part_;
  Beside beside_;
  bool on_ = false;
  const Bank::Loan* loan_ = nullptr;  // while it is on; null if there were not enough counters
  std::uint64_t waits_from_ = 0;      // then: the bank's time when it was turned on
  std::vector<Reading> counted_;      // of the part's events, while it was on before
};

}  // namespace tacho::arm
