#include "pmu/registers/group.hpp"

#include <utility>

namespace tacho::arm {
namespace {

void add(const std::vector<Reading>& more, std::vector<Reading>& readings) {
  for (std::size_t i = 0; i < readings.size(); ++i) readings[i] += more[i];
}

}  // namespace

RegisterGroup::RegisterGroup(Bank& bank, Part part, Beside beside)
    : bank_(bank),
      part_(std::move(part)),
      beside_(std::move(beside)),
      counted_(part_.wanted.size()) {}

RegisterGroup::~RegisterGroup() {
  if (loan_ != nullptr) bank_.take_back(loan_);
}

Result<void> RegisterGroup::enable() {
  // The first time, the exec turns on what starts there.
  if (beside_.group && !std::exchange(beside_.starts_at_exec, false))
    if (auto on = beside_.group->enable(); !on) return on;
  if (part_.wanted.empty() || on_) return {};
  on_ = true;
  loan_ = bank_.lend(part_.wanted).value_or(nullptr);
  waits_from_ = bank_.enabled_ns();
  return {};
}

Result<void> RegisterGroup::disable() {
  if (std::exchange(on_, false)) {
    if (loan_ == nullptr) bank_.look();
    add(loan_ != nullptr ? bank_.take_back(std::exchange(loan_, nullptr)) : waited(), counted_);
  }
  return beside_.group ? beside_.group->disable() : Result<void>();
}

// On, and not running.
std::vector<Reading> RegisterGroup::waited() const {
  return std::vector(
      counted_.size(),
      Reading{.value = 0, .enabled_ns = bank_.enabled_ns() - waits_from_, .running_ns = 0});
}

Result<void> RegisterGroup::read(std::span<Reading> readings) {
  std::vector<Reading> counted = counted_;
  if (on_) {
    bank_.look();
    add(loan_ != nullptr ? bank_.counted(*loan_) : waited(), counted);
  }
  for (std::size_t i = 0; i < counted.size(); ++i) readings[part_.places[i]] = counted[i];
  if (!beside_.group) return {};
  std::vector<Reading> others(beside_.places.size());
  const auto read = beside_.group->read(others);
  for (std::size_t i = 0; i < others.size(); ++i) readings[beside_.places[i]] = others[i];
  return read;
}

}  // namespace tacho::arm
