// Cache events. Their names consist of a cache, an operation and a result, as in perf.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/event.hpp"

namespace tacho {

// The encoding of `L1-dcache-load-misses`, `l1-d-loads`, `LLC-stores`, `branch-loads`…: a cache,
// then at most one operation and one result in any order. The default operation is load, the
// default result is access. Case makes no difference. Returns nothing for other text and for pairs
// that the kernel rejects (`iTLB-stores`). The event's `name` is left empty.
std::optional<Event> cache_event(std::string_view name);

struct CacheName {
  std::string name;
  std::string description;
};

// All cache events with their usual names.
std::vector<CacheName> cache_names();

}  // namespace tacho
