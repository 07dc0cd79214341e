#include "compare/layout.hpp"

#include <algorithm>
#include <string>

namespace tacho {
namespace {

constexpr const char* kVariable = "TACHO_LAYOUT=";
constexpr std::size_t kMostShuffled = 4096;  // bytes: a page; the kernel aligns the stack to 16

// The bytes on the stack of strings and of the pointers to them.
std::size_t size_of(const std::vector<std::string>& strings) {
  std::size_t size = 0;
  for (const std::string& each : strings) size += each.size() + 1 + sizeof(char*);
  return size;
}

}  // namespace

MemoryLayouts::MemoryLayouts(const std::vector<ComparedCommand>& commands) {
  for (const ComparedCommand& command : commands)
    // The kernel copies the name of the file, too, which is the first word.
    padding_.push_back(size_of(command.words) + size_of(command.environment) +
                       command.words.front().size());
  const std::size_t largest = padding_.empty() ? 0 : std::ranges::max(padding_);
  for (std::size_t& size : padding_) size = largest - size;
}

void MemoryLayouts::apply(MemoryLayout layout, std::size_t command, Launch& launch,
                          std::mt19937_64& random) const {
  if (layout == MemoryLayout::kernel) return;
  const bool fixed = layout == MemoryLayout::fixed;
  const std::size_t size = fixed ? padding_[command] : random() % kMostShuffled;
  launch.environment.push_back(kVariable + std::string(size, 'x'));
  launch.fixed_addresses = fixed;
}

}  // namespace tacho
