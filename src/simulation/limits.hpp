// What a model can hold: the bounds of its values, for files and for what a machine tells.
#pragma once

#include <cstdint>

namespace tacho {

struct Limits {
  std::uint64_t least;
  std::uint64_t most;
};

namespace limits {

inline constexpr Limits kFrequency{1'000'000, 100'000'000'000};
inline constexpr Limits kWidth{1, 8};
inline constexpr Limits kPercent{0, 100};
inline constexpr Limits kExecution{1, 1'000};  // cycles from issue to the use of a result
inline constexpr Limits kAccess{1, 100'000};   // the same of a load
inline constexpr Limits kAdded{0, 100'000};    // cycles that something costs besides

inline constexpr Limits kCacheSize{1 << 10, 1 << 30};
inline constexpr Limits kWays{1, 64};
inline constexpr Limits kLine{32, 256};
// The simulator keeps 32 bits of a line's number beyond the set's: with 1 KiB in a way that is
// 4 TiB, more than a process under Valgrind spans.
inline constexpr std::uint64_t kLeastWay = 1 << 10;

inline constexpr Limits kPage{1 << 10, 1 << 30};
inline constexpr Limits kTlbEntries{1, 1 << 16};
inline constexpr Limits kFullTlb{1, 4096};  // entries when each page may be in any
inline constexpr Limits kVictims{0, 64};

inline constexpr Limits kCounters{1, 1 << 20};
inline constexpr Limits kHistory{1, 20};
inline constexpr Limits kTargets{0, 1 << 20};
inline constexpr Limits kReturns{0, 64};

}  // namespace limits
}  // namespace tacho
