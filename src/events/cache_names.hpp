// Cache events, whose names perf puts together: a cache, an operation, a result.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/event.hpp"

namespace tacho {

// The encoding of `L1-dcache-load-misses`, `l1-d-loads`, `LLC-stores`, `branch-loads`…: a cache,
// then at most one operation and one result in any order (loads and accesses where none is named),
// whatever the case of the letters. Nothing for other text and for pairs that the kernel rejects
// (`iTLB-stores`). `name` is left empty.
std::optional<Event> cache_event(std::string_view name);

struct CacheName {
  std::string name;
  std::string description;
};

// Every cache event under its usual name.
std::vector<CacheName> cache_names();

}  // namespace tacho
