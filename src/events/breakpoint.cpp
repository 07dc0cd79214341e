#include "events/breakpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "events/abi.hpp"
#include "events/format_term.hpp"
#include "events/modifiers.hpp"

namespace tacho {
namespace {

constexpr std::string_view kPrefix = "mem:";
constexpr std::string_view kSpelling = "write mem:ADDRESS[/BYTES][:rwx], as in mem:0x404028/8:w";

struct Access {
  char letter;
  std::uint32_t type;
};
constexpr auto kAccesses = std::to_array<Access>(
    {{'r', abi::kBreakpointReads}, {'w', abi::kBreakpointWrites}, {'x', abi::kBreakpointExecutes}});

// Removes and returns the text before the first character of `stops`.
std::string_view take_until(std::string_view& text, std::string_view stops) {
  const std::string_view taken = text.substr(0, text.find_first_of(stops));
  text.remove_prefix(taken.size());
  return taken;
}

}  // namespace

bool is_breakpoint_like(std::string_view text) {
  return text.starts_with(kPrefix) && text.size() > kPrefix.size() && text[kPrefix.size()] >= '0' &&
         text[kPrefix.size()] <= '9';
}

Result<std::optional<Event>> breakpoint_event(std::string_view spec) {
  if (!is_breakpoint_like(spec)) return std::nullopt;
  const auto bad = [&](std::string_view reason, std::string_view remedy = kSpelling) {
    return failure(fmt::format("event '{}': {}", spec, reason), std::string(remedy));
  };
  std::string_view rest = spec.substr(kPrefix.size());
  const auto address = parse_number(take_until(rest, "/:"));
  if (!address) return bad(fmt::format("the address: {}", address.error().what));
  std::optional<std::uint64_t> bytes;
  if (rest.starts_with('/')) {
    rest.remove_prefix(1);
    const auto number = parse_number(take_until(rest, ":"));
    if (!number) return bad(fmt::format("the bytes: {}", number.error().what));
    if (*number != 1 && *number != 2 && *number != 4 && *number != 8)
      return bad("a breakpoint watches 1, 2, 4 or 8 bytes");
    bytes = *number;
  }
  Event event;
  event.type = abi::kBreakpoint;
  if (rest.starts_with(':')) rest.remove_prefix(1);
  for (; !rest.empty(); rest.remove_prefix(1)) {
    const auto* access = std::ranges::find(kAccesses, rest.front(), &Access::letter);
    if (access == kAccesses.end()) break;
    event.access |= access->type;
  }
  if (event.access == 0) event.access = abi::kBreakpointReads | abi::kBreakpointWrites;
  const bool executes = (event.access & abi::kBreakpointExecutes) != 0;
  if (executes && event.access != abi::kBreakpointExecutes)
    return bad("x excludes r and w: no breakpoint watches both data and instructions",
               "ask for two events: mem:ADDRESS:x and mem:ADDRESS:rw");
  constexpr std::uint64_t kDataBytes = 4;
  event.config1 = *address;
  event.config2 = bytes.value_or(executes ? sizeof(long) : kDataBytes);
  event.name = spec;
  // Modifiers follow the access directly, as perf accepts them (`:wu`), or after a colon.
  if (rest.starts_with(':')) rest.remove_prefix(1);
  TACHO_TRY(apply_modifiers(rest, spec, event));
  return event;
}

}  // namespace tacho
