// The bounds of a model's values. They hold for model files and for the model of this machine.
#pragma once

#include <cstdint>

namespace tacho {

struct Limits {
  std::uint64_t least;
  std::uint64_t most;
};

namespace limits {

inline constexpr Limits kFrequency{1'000'000, 100'000'000'000};  // Hz
inline constexpr Limits kWidth{1, 8};                            // instructions issued in a cycle
inline constexpr Limits kUnits{1, 8};                            // instructions begun in a cycle
inline constexpr Limits kWindow{1, 4'096};                       // instructions in flight
inline constexpr Limits kMisses{1, 64};                          // lines asked for at a time
inline constexpr Limits kStoreBuffer{1, 256};
inline constexpr Limits kWalks{1, 8};  // page table walks at a time
inline constexpr Limits kPercent{0, 100};
inline constexpr Limits kErrorPercent{0, 1'000};  // of the model's cycles
inline constexpr Limits kExecution{1, 1'000};     // cycles from issue to the use of a result
inline constexpr Limits kAccess{1, 100'000};  // cycles from a load's issue to the use of its value
inline constexpr Limits kAdded{0, 100'000};   // cycles that a miss or a misprediction adds

inline constexpr Limits kCacheSize{1 << 10, 1 << 30};  // bytes
inline constexpr Limits kWays{1, 64};
inline constexpr Limits kLine{32, 256};       // bytes
inline constexpr Limits kBandwidth{1, 1024};  // bytes a cycle
// The least size of a way in bytes. The simulator keeps 32 bits of a line's number in addition to
// the set's number: with ways of 1 KiB that is 4 TiB. Its addresses are below 128 GiB
// (simulator/address_map.h).
inline constexpr std::uint64_t kLeastWay = 1 << 10;

inline constexpr Limits kStreams{1, 64};    // that a prefetcher follows
inline constexpr Limits kDistance{1, 256};  // lines

inline constexpr Limits kPage{1 << 10, 1 << 30};  // bytes
inline constexpr Limits kTlbEntries{1, 1 << 16};
inline constexpr Limits kFullTlb{1, 4096};  // entries of a fully associative TLB
inline constexpr Limits kVictims{0, 64};    // entries of the victim cache

inline constexpr Limits kCounters{1, 1 << 20};  // of a branch predictor
inline constexpr Limits kHistory{1, 20};        // bits
inline constexpr Limits kHistories{1, 8};       // tables of a TAGE predictor
inline constexpr Limits kTageHistory{1, 128};   // branches
inline constexpr Limits kTagged{16, 1 << 16};   // entries of each table
inline constexpr Limits kLoops{0, 1 << 12};     // entries of a loop predictor
inline constexpr Limits kTargets{0, 1 << 20};   // entries for targets of indirect jumps
inline constexpr Limits kReturns{0, 64};        // entries of the return stack

}  // namespace limits
}  // namespace tacho
