// The parts of cache names, their numbers (PERF_COUNT_HW_CACHE_*) and the valid combinations.
#include "events/cache_names.hpp"

#include <array>
#include <cstdint>
#include <span>

#include "events/abi.hpp"
#include "events/spelling.hpp"

namespace tacho {
namespace {

enum Operation : unsigned { kRead = 0, kWrite = 1, kPrefetch = 2 };
constexpr unsigned kAccess = 0;
constexpr unsigned kMiss = 1;

struct Cache {
  std::array<std::string_view, 5> spellings;  // the usual spelling first; unused places are empty
  unsigned operations;                        // one bit for each operation that the kernel allows
  std::string_view description;
};

constexpr unsigned bit(Operation operation) {
  return 1U << operation;
}
constexpr unsigned kAllOperations = bit(kRead) | bit(kWrite) | bit(kPrefetch);

// The index in each table is the kernel's number.
constexpr auto kCaches = std::to_array<Cache>({
    {{"L1-dcache", "l1-d", "l1d", "L1-data"}, kAllOperations, "the first-level data cache"},
    {{"L1-icache", "l1-i", "l1i", "L1-instruction"},
     bit(kRead) | bit(kPrefetch),
     "the first-level instruction cache"},
    {{"LLC", "L2"}, kAllOperations, "the last-level cache"},
    {{"dTLB", "d-tlb", "Data-TLB"}, kAllOperations, "the data TLB"},
    {{"iTLB", "i-tlb", "Instruction-TLB"}, bit(kRead), "the instruction TLB"},
    {{"branch", "branches", "bpu", "btb", "bpc"}, bit(kRead), "the branch predictor"},
    {{"node"}, kAllOperations, "the memory of the own NUMA node"},
});

struct Part {
  std::array<std::string_view, 4> spellings;
  std::string_view plural;  // as in "dTLB-loads"; the first spelling is used in "-load-misses"
};
constexpr auto kOperations = std::to_array<Part>({
    {{"load", "loads", "read"}, "loads"},
    {{"store", "stores", "write"}, "stores"},
    {{"prefetch", "prefetches", "speculative-read", "speculative-load"}, "prefetches"},
});
constexpr auto kResults = std::to_array<Part>({
    {{"refs", "Reference", "ops", "access"}, "accesses"},
    {{"misses", "miss"}, "misses"},
});

// Removes the longest spelling that `rest` begins with, if a whole word of the name ends there.
bool take(std::string_view& rest, std::span<const std::string_view> spellings) {
  std::size_t longest = 0;
  for (std::string_view spelling : spellings) {
    const std::size_t size = spelling.size();
    if (size <= longest || !same_letters(rest.substr(0, size), spelling)) continue;
    if (rest.size() == size || rest[size] == '-') longest = size;
  }
  if (longest == 0) return false;
  rest.remove_prefix(longest == rest.size() ? longest : longest + 1);
  return true;
}

std::optional<unsigned> take_part(std::string_view& rest, std::span<const Part> parts) {
  for (unsigned number = 0; number < parts.size(); ++number)
    if (take(rest, parts[number].spellings)) return number;
  return std::nullopt;
}

}  // namespace

std::optional<Event> cache_event(std::string_view name) {
  if (name.ends_with('-')) return std::nullopt;
  for (unsigned cache = 0; cache < kCaches.size(); ++cache) {
    std::string_view rest = name;
    if (!take(rest, kCaches[cache].spellings)) continue;
    std::optional<unsigned> operation;
    std::optional<unsigned> result;
    while (!rest.empty()) {
      if (!operation && (operation = take_part(rest, kOperations))) continue;
      if (!result && (result = take_part(rest, kResults))) continue;
      return std::nullopt;
    }
    const unsigned op = operation.value_or(kRead);
    if ((kCaches[cache].operations & (1U << op)) == 0) return std::nullopt;
    Event event;
    event.domain = Domain::core;
    event.type = abi::kCache;
    event.config = cache | std::uint64_t{op} << abi::kCacheOperationShift |
                   std::uint64_t{result.value_or(kAccess)} << abi::kCacheResultShift;
    return event;
  }
  return std::nullopt;
}

std::vector<CacheName> cache_names() {
  std::vector<CacheName> names;
  for (const Cache& cache : kCaches) {
    for (unsigned op = 0; op < kOperations.size(); ++op) {
      if ((cache.operations & (1U << op)) == 0) continue;
      const std::string stem(cache.spellings[0]);
      const std::string plural(kOperations[op].plural);
      names.push_back({stem + "-" + plural, plural + " of " + std::string(cache.description)});
      names.push_back({stem + "-" + std::string(kOperations[op].spellings[0]) + "-" +
                           std::string(kResults[kMiss].plural),
                       plural + " that missed " + std::string(cache.description)});
    }
  }
  return names;
}

}  // namespace tacho
