#include "events/modifiers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "events/abi.hpp"

namespace tacho {
namespace {

constexpr std::string_view kLetters = "ukhGHIpDPSWeb";
// Without e, which may be an attribute of libpfm4's, and b.
constexpr std::string_view kUnambiguous = "ukhGHIpPDSW";
constexpr std::string_view kModifierNames =
    "the modifiers are u, k, h, G, H, I, p, pp, ppp, P, D, S, W and e";

struct Unsupported {
  char letter;
  std::string_view reason;
  std::string_view remedy;
};
constexpr auto kUnsupported = std::to_array<Unsupported>({
    {'b', "BPF programs do not count for tacho", "leave :b out"},
});

// An error if the letter can't be used behind the letters `seen`.
Result<void> check_letter(char letter, std::string_view seen, std::string_view spec) {
  const auto bad = [spec](std::string_view reason, std::string_view remedy) {
    return failure(fmt::format("event '{}': {}", spec, reason), std::string(remedy));
  };
  if (kLetters.find(letter) == std::string_view::npos)
    return bad(fmt::format("no modifier '{}'", letter), kModifierNames);
  for (const Unsupported& row : kUnsupported)
    if (row.letter == letter)
      return bad(fmt::format("modifier '{}' is not supported: {}", letter, row.reason), row.remedy);
  if (letter != 'p' && seen.find(letter) != std::string_view::npos)
    return bad(fmt::format("modifier '{}' is given twice", letter), "give it once");
  return {};
}

}  // namespace

Result<void> apply_modifiers(std::string_view letters, std::string_view spec, Event& event) {
  bool user = !event.any_level && !event.exclude_user;
  bool kernel = !event.any_level && !event.exclude_kernel;
  bool hypervisor = !event.any_level && !event.exclude_hv;
  bool guest = false;
  bool host = false;
  int precise = 0;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    TACHO_TRY(check_letter(letters[i], letters.substr(0, i), spec));
    switch (letters[i]) {
      case 'u':
        user = true;
        break;
      case 'k':
        kernel = true;
        break;
      case 'h':
        hypervisor = true;
        break;
      case 'G':
        guest = true;
        break;
      case 'H':
        host = true;
        break;
      case 'I':
        event.exclude_idle = true;
        break;
      case 'D':
        event.pinned = true;
        break;
      case 'e':
        event.exclusive = true;
        break;
      case 'W':
        event.weak = true;
        break;
      case 'S':
        event.sampling.by_leader = true;
        break;
      case 'p':
        ++precise;
        break;
      case 'P':
        event.lower_precise = true;
        break;
    }
  }
  if (precise > abi::kMaxPrecise)
    return failure(fmt::format("event '{}': more than three p's", spec),
                   "precision goes from :p to :ppp");
  if (precise > 0 && event.lower_precise)
    return failure(fmt::format("event '{}': P and p exclude each other", spec),
                   "P is the highest level that works; p, pp and ppp are certain levels");
  if (precise > 0) event.precise = static_cast<std::uint8_t>(precise);
  if (event.lower_precise) event.precise = abi::kMaxPrecise;
  if (user || kernel || hypervisor) {
    event.any_level = false;
    event.exclude_user = !user;
    event.exclude_kernel = !kernel;
    event.exclude_hv = !hypervisor;
  }
  if (guest || host) {
    event.exclude_host = !host;
    event.exclude_guest = !guest;
    event.names_guests = true;
  }
  return {};
}

bool are_modifiers(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kLetters) == std::string_view::npos;
}

std::pair<std::string_view, std::string_view> split_modifiers(std::string_view spec) {
  const std::size_t end = spec.find_last_of(":/");
  if (end == std::string_view::npos || !are_modifiers(spec.substr(end + 1))) return {spec, {}};
  // The slash that closes a pmu/…/ belongs to the name, the colon does not.
  return {spec.substr(0, spec[end] == '/' ? end + 1 : end), spec.substr(end + 1)};
}

std::string with_modifiers(std::string_view spec, std::string_view letters) {
  auto [name, own] = split_modifiers(spec);
  // A letter may be an attribute of libpfm4's: `X:e` counts edges.
  if (own.find_first_not_of(kUnambiguous) != std::string_view::npos) {
    name = spec;
    own = {};
  }
  std::string merged(own);
  for (char letter : letters)
    if (own.find(letter) == std::string_view::npos) merged += letter;
  if (merged.empty()) return std::string(name);
  return fmt::format("{}{}{}", name, name.ends_with('/') ? "" : ":", merged);
}

}  // namespace tacho
