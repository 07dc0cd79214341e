// The events of one kind of ARM core with the numbers that select them; read from
// data/events/*.toml.
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
  std::vector<std::string> also;  // other names: perf's generic names, libpfm4's names
  std::string caveat;             // a known fault of the count; may be empty
};

struct CoreEvents {
  std::string name;               // "Cortex-A7"
  std::uint32_t implementer = 0;  // field of the Main ID Register
  std::uint32_t part = 0;         // field of the Main ID Register
  std::string architecture;       // "armv6", "armv7", "aarch64"
  std::string source;             // the document that the numbers come from
  std::vector<CoreEvent> events;

  // The event with this name, whose case makes no difference, or with this number; null if there is
  // none.
  const CoreEvent* find(std::string_view name) const;
  const CoreEvent* find(std::uint16_t number) const;
};

// Errors name `path` and the line.
Result<CoreEvents> parse_core_events(std::string_view text, const std::string& path);
Result<CoreEvents> load_core_events(const std::string& path);

}  // namespace tacho
