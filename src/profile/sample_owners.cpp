#include "profile/sample_owners.hpp"

#include <functional>
#include <map>
#include <tuple>

#include "base/hash_seed.hpp"

namespace tacho {
namespace {

// What identifies a row: the parts of an owner that matter for this kind.
using OwnerKey = std::tuple<std::uint32_t, std::int32_t, std::int32_t, std::int32_t>;

OwnerKey owner_key(const SampleOwner& owner, OwnerKind kind) {
  switch (kind) {
    case OwnerKind::command:
      return {owner.command, 0, 0, 0};
    case OwnerKind::process:
      return {0, owner.pid, 0, 0};
    case OwnerKind::thread:
      return {0, owner.pid, owner.tid, 0};
    default:
      return {0, 0, 0, owner.cpu};
  }
}

std::optional<std::int32_t> known_number(std::int32_t number) {
  return number < 0 ? std::nullopt : std::optional(number);
}

OwnerRow owner_row(const SampleOwner& owner, OwnerKind kind, const std::string& command) {
  OwnerRow row{command, {}, {}, {}};
  const bool of_task = kind == OwnerKind::process || kind == OwnerKind::thread;
  if (of_task) row.pid = known_number(owner.pid);
  if (kind == OwnerKind::thread) row.tid = known_number(owner.tid);
  if (kind == OwnerKind::cpu) row.cpu = known_number(owner.cpu);
  return row;
}

}  // namespace

std::uint64_t SampleOwners::Mix::operator()(const SampleOwner& owner) const {
  const auto word = [](std::uint32_t high, std::uint32_t low) {
    return static_cast<std::uint64_t>(high) << 32 | low;
  };
  return hashed(word(owner.command, static_cast<std::uint32_t>(owner.cpu)),
                word(static_cast<std::uint32_t>(owner.pid), static_cast<std::uint32_t>(owner.tid)));
}

std::uint64_t SampleOwners::Mix::operator()(const std::string& text) const {
  return hashed(std::hash<std::string>()(text));
}

SampleCount& SampleOwners::at(std::size_t event, std::size_t owner) {
  if (event >= counts_.size()) counts_.resize(event + 1);
  if (owner >= counts_[event].size()) counts_[event].resize(owner + 1);
  return counts_[event][owner];
}

void SampleOwners::add(const perfdata::Sample& sample, const std::string& command,
                       std::uint64_t period) {
  const SampleOwner owner{commands_.number(command), sample.pid.value_or(-1),
                          sample.tid.value_or(-1),
                          sample.cpu ? static_cast<std::int32_t>(*sample.cpu) : -1};
  at(sample.event, owners_.number(owner)).add(period);
}

void SampleOwners::add_sum(const std::vector<std::size_t>& parts, std::size_t event) {
  for (const std::size_t part : parts)
    for (std::size_t i = 0; i < owners().size(); ++i) at(event, i) += count(part, i);
}

std::vector<OwnerRow> SampleOwners::rows(OwnerKind kind, std::size_t events,
                                         const ThreadNames& last_names) const {
  std::vector<OwnerRow> rows;
  std::map<OwnerKey, std::size_t> index;
  for (std::size_t i = 0; i < owners().size(); ++i) {
    const SampleOwner& owner = owners()[i];
    const auto [found, fresh] = index.try_emplace(owner_key(owner, kind), rows.size());
    if (fresh) {
      std::string command;
      if (kind == OwnerKind::command) command = commands()[owner.command];
      if (kind == OwnerKind::process) command = last_names.of(owner.pid);
      if (kind == OwnerKind::thread) command = last_names.of(owner.tid);
      rows.push_back(owner_row(owner, kind, command));
      rows.back().counts.resize(events);
    }
    for (std::size_t event = 0; event < events; ++event)
      rows[found->second].counts[event] += count(event, i);
  }
  return rows;
}

}  // namespace tacho
