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

void SampleOwners::add(const perfdata::Sample& sample, const std::string& command,
                       std::uint64_t period) {
  const SampleOwner owner{commands_.number(command), sample.pid.value_or(-1),
                          sample.tid.value_or(-1),
                          sample.cpu ? static_cast<std::int32_t>(*sample.cpu) : -1};
  counts_.at(sample.event, owners_.number(owner)).add(period);
}

OwnerRows SampleOwners::rows(OwnerKind kind, const ThreadNames& last_names) const {
  OwnerRows made;
  std::map<OwnerKey, std::size_t> index;
  for (const SampleOwner& owner : owners()) {
    const auto [found, fresh] = index.try_emplace(owner_key(owner, kind), made.rows.size());
    made.row_of.push_back(found->second);
    if (!fresh) continue;
    std::string command;
    if (kind == OwnerKind::command) command = commands()[owner.command];
    if (kind == OwnerKind::process) command = last_names.of(owner.pid);
    if (kind == OwnerKind::thread) command = last_names.of(owner.tid);
    made.rows.push_back(owner_row(owner, kind, command));
  }
  return made;
}

}  // namespace tacho
