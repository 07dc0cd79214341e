// Recordings of two programs that are compared, several of each: whether they show how much two
// runs of one program differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/number.hpp"

namespace tacho {

// With fewer recordings on one side, no change could be significant: none has an interval.
inline constexpr std::size_t kFewestRecordings = 6;
// Advised. With so many pairs, one of 100 changes can be significant beside the others:
// fewest_pairs(100) in stats/paired_changes.hpp.
inline constexpr std::size_t kManyRecordings = 12;

// What the recordings say about changes of the programs.
enum class Evidence : std::uint8_t {
  pairs,     // the differences of pairs: first with first, second with second. If one side has more
             // recordings, its last ones are in no pair
  too_few,   // nothing: a side has fewer than kFewestRecordings
  machines,  // nothing: the recordings come from processors of different kinds
  blocks,    // nothing: recordings of one side were made one after the other, so a drift of the
             // machine is in the change, too
  equal,     // nothing: recordings of a side took the same samples, as those of a simulation do, so
             // their spread does not have the error of sampling
  damaged,   // nothing: a part of a recording could not be read, which would look like a change
};
std::string_view to_string(Evidence);  // as in JSON

// Where and when a recording was made.
struct RecordingOrigin {
  std::string host, kernel, cpu, architecture;
  std::optional<std::uint64_t> first_ns, last_ns;  // of its samples, by the clock of this kernel
};
using Origins = std::span<const RecordingOrigin>;

enum class RecordingOrder : std::uint8_t {
  in_turn,  // few recordings lie between the two of a pair; also of simulations, whose time is not
            // that of the machine
  blocks,   // three or more lie between the two of half of the pairs
  unknown,  // recordings have no times, or those of clocks of different kernels
};
RecordingOrder order_of(Origins before, Origins after);
std::string_view to_string(RecordingOrder);  // as in JSON
// What to say beside claims if the order is unknown.
inline constexpr std::string_view kUnknownOrder =
    "The recordings do not tell in which order they were made. If they were not made in turn, a "
    "change of the machine's speed looks like a change of the program.";

// What a comparison found in the samples.
struct SampleFaults {
  bool damaged = false;  // a part of a recording could not be read
  bool equal = false;    // the recordings of a side took the same samples
};
// Both sides have at least one recording. Recordings of a side with the same times are copies of
// one, and count as equal.
Evidence evidence_of(Origins before, Origins after, RecordingOrder, const SampleFaults&);

// The report that makes no claim.
struct NoClaim {
  std::string_view subcommand;     // "report"
  std::string_view recorded_with;  // options of `tacho record` that it needs, after a space
  std::string_view consequence;    // a sentence: what its intervals mean
};
// Says why nothing is claimed, and how to record the programs so that it can be. `before` and
// `after` are numbers of recordings. Not for Evidence::pairs.
std::string no_claim_text(Evidence, std::size_t before, std::size_t after, const NoClaim&,
                          const NumberStyle&);

}  // namespace tacho
