#include "blocks/run_code.hpp"

#include <algorithm>

namespace tacho {
namespace {

constexpr std::uint64_t kPiece = 256;  // bytes that are decoded in one call

}  // namespace

const RunCode::Decoded* RunCode::decoded(std::uint64_t address, std::uint64_t end) {
  if (const auto found = decoded_.find(address); found != decoded_.end()) return &found->second;
  const std::uint64_t last = std::max(address, std::min(end, address + kPiece));
  const auto instructions = binary_.instructions(address, last);
  if (!instructions) return nullptr;
  for (const symbols::Instruction& each : *instructions) {
    if (!decoded_.try_emplace(each.address, Decoded{each.size, each.flow, false}).second) break;
    if (each.target) targets_.push_back(*each.target);
  }
  const auto found = decoded_.find(address);
  return found == decoded_.end() ? nullptr : &found->second;
}

RunCode::Walk RunCode::walk(std::uint64_t start, std::uint64_t end, std::uint64_t most) {
  Walk walk;
  for (std::uint64_t at = start;;) {
    if (walk.followed == most) {
      walk.cut = true;
      return walk;
    }
    const Decoded* here = decoded(at, end);
    if (here == nullptr || here->flow == symbols::Flow::unknown) return walk;
    ++walk.followed;
    if (at == end) break;
    at += here->size;
    walk.possible = here->flow != symbols::Flow::away && at <= end;
    if (!walk.possible) return walk;
  }
  targets_.push_back(start);
  walk.instructions = static_cast<std::uint32_t>(walk.followed);
  return walk;
}

std::vector<std::uint64_t> RunCode::instructions(std::uint64_t start, std::uint64_t end) {
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t at = start; at <= end;) {
    const Decoded* here = decoded(at, end);
    if (here == nullptr) break;
    addresses.push_back(at);
    at += here->size;
  }
  return addresses;
}

void RunCode::find_basic_blocks() {
  for (const std::uint64_t target : targets_)
    if (const auto found = decoded_.find(target); found != decoded_.end())
      found->second.starts_block = true;
  targets_.clear();
}

std::vector<std::uint64_t> RunCode::basic_blocks(std::uint64_t start, std::uint64_t end) const {
  std::vector<std::uint64_t> starts;
  bool begins = true;
  for (std::uint64_t at = start; at <= end;) {
    const auto found = decoded_.find(at);
    if (found == decoded_.end()) return {};
    if (begins || found->second.starts_block) starts.push_back(at);
    begins = found->second.flow == symbols::Flow::conditional;
    at += found->second.size;
  }
  return starts;
}

}  // namespace tacho
