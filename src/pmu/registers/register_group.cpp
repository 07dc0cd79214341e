#include "pmu/registers/register_group.hpp"

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
  if (allocation_ != nullptr) bank_.release(allocation_);
}

Result<void> RegisterGroup::enable() {
  // If the group starts at the exec, the first call has nothing to turn on.
  if (beside_.group && !std::exchange(beside_.starts_at_exec, false))
    if (auto on = beside_.group->enable(); !on) return on;
  if (part_.wanted.empty() || on_) return {};
  on_ = true;
  allocation_ = bank_.allocate(part_.wanted).value_or(nullptr);
  waits_from_ = bank_.enabled_ns();
  return {};
}

Result<void> RegisterGroup::disable() {
  if (std::exchange(on_, false)) {
    if (allocation_ == nullptr) bank_.look();
    add(allocation_ != nullptr ? bank_.release(std::exchange(allocation_, nullptr)) : waited(),
        counted_);
  }
  return beside_.group ? beside_.group->disable() : Result<void>();
}

// The readings of a group that is on but does not run.
std::vector<Reading> RegisterGroup::waited() const {
  return std::vector(
      counted_.size(),
      Reading{.value = 0, .enabled_ns = bank_.enabled_ns() - waits_from_, .running_ns = 0});
}

Result<void> RegisterGroup::read(std::span<Reading> readings) {
  std::vector<Reading> counted = counted_;
  if (on_) {
    bank_.look();
    add(allocation_ != nullptr ? bank_.counted(*allocation_) : waited(), counted);
  }
  for (std::size_t i = 0; i < counted.size(); ++i) readings[part_.places[i]] = counted[i];
  if (!beside_.group) return {};
  std::vector<Reading> others(beside_.places.size());
  const auto read = beside_.group->read(others);
  for (std::size_t i = 0; i < others.size(); ++i) readings[beside_.places[i]] = others[i];
  return read;
}

}  // namespace tacho::arm
