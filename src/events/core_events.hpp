// The events of one kind of ARM core, by the numbers that its counters take: data/events/*.toml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tacho {

struct CoreEvent {
  std::string name;
  std::uint16_t number = 0;
  std::string means;              // one line
  std::vector<std::string> also;  // other names: perf's generic ones, libpfm4's
  std::string caveat;             // what to know before believing it; may be empty
};

struct CoreEvents {
  std::string name;               // "Cortex-A7"
  std::uint32_t implementer = 0;  // of the main identification register
  std::uint32_t part = 0;
  std::string architecture;  // "armv6", "armv7", "aarch64"
  std::string source;        // where the numbers are from
  std::vector<CoreEvent> events;

  // By any of its names, whatever the case of their letters.
  const CoreEvent* find(std::string_view name) const;
  const CoreEvent* find(std::uint16_t number) const;
};

// Errors name `path` and the line.
Result<CoreEvents> parse_core_events(std::string_view text, const std::string& path);
Result<CoreEvents> load_core_events(const std::string& path);

}  // namespace tacho
