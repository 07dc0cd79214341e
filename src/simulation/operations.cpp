#include "simulation/operations.hpp"

#include <algorithm>
#include <charconv>

namespace tacho {
namespace {

constexpr unsigned kMostCycles = 1'000;
constexpr unsigned kMostSlots = 100;

// Takes a number from the front of the text.
std::optional<unsigned> take_number(std::string_view& text, unsigned most) {
  unsigned value = 0;
  const auto [behind, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value > most) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(behind - text.data()));
  return value;
}

std::optional<std::uint32_t> mask_of(std::string_view names, std::string_view ports) {
  std::uint32_t mask = 0;
  for (const char name : names) {
    const std::size_t port = ports.find(name);
    if (port == std::string_view::npos) return std::nullopt;
    mask |= std::uint32_t{1} << port;
  }
  return mask;
}

bool add_use(std::string_view word, std::string_view ports, Operation& to) {
  unsigned count = 1;
  unsigned cycles = 0;
  if (const std::size_t star = word.find('*'); star != std::string_view::npos) {
    std::string_view number = word.substr(0, star);
    const auto value = take_number(number, kMostSlots);
    if (!value || *value == 0 || !number.empty()) return false;
    count = *value;
    word.remove_prefix(star + 1);
  }
  if (const std::size_t slash = word.find('/'); slash != std::string_view::npos) {
    std::string_view number = word.substr(slash + 1);
    const auto value = take_number(number, kMostCycles);
    if (!value || *value == 0 || !number.empty()) return false;
    cycles = *value;
    word = word.substr(0, slash);
  } else {
    to.slots += count;
  }
  const auto mask = mask_of(word, ports);
  if (!mask || *mask == 0 || to.uses.size() == kMostUses || to.slots > kMostSlots) return false;
  to.uses.push_back({*mask, count * std::max(cycles, 1U)});
  return to.uses.back().cycles <= kMostCycles;
}

}  // namespace

std::optional<Operation> parse_operation(std::string_view text, std::string_view ports) {
  Operation operation;
  const auto latency = take_number(text, kMostCycles);
  if (!latency) return std::nullopt;
  operation.latency = *latency;
  while (!text.empty()) {
    if (text.front() != ' ') return std::nullopt;
    text.remove_prefix(1);
    const std::string_view word = text.substr(0, text.find(' '));
    if (!add_use(word, ports, operation)) return std::nullopt;
    text.remove_prefix(word.size());
  }
  return operation;
}

std::optional<std::size_t> described_class(
    std::size_t index, const std::array<bool, kOperationClasses.size()>& described) {
  while (!described[index]) {
    const auto like =
        std::ranges::find(kOperationClasses, kOperationClasses[index].like, &OperationClass::name);
    if (like == kOperationClasses.end()) return std::nullopt;
    index = static_cast<std::size_t>(like - kOperationClasses.begin());
  }
  return index;
}

}  // namespace tacho
