// Recordings of two programs that are compared, several of each: whether they show how much two
// runs of one program differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/number.hpp"
#include "base/result.hpp"

namespace tacho {

// With fewer recordings on one side, no change could be significant: none has an interval.
inline constexpr std::size_t kFewestRecordings = 6;
// Advised. With so many pairs, one of 100 changes can be significant beside the others:
// fewest_pairs(100) in stats/paired_changes.hpp.
inline constexpr std::size_t kManyRecordings = 12;

// What the recordings say about changes of the programs.
enum class Evidence : std::uint8_t {
  pairs,    // the differences of pairs: first with first, second with second. If one side has more
            // recordings, its last ones are in no pair
  too_few,  // nothing: a side has fewer than kFewestRecordings
  blocks,   // nothing: one side was recorded before the other, so a drift of the machine is in the
            // change, too
  equal,    // nothing: the recordings of a side took the same samples, as those of a simulation do,
            // so their spread does not have the error of sampling
  damaged,  // nothing: a part of a recording could not be read, which would look like a change
};
std::string_view to_string(Evidence);  // as in JSON

// Where and when a recording was made.
struct RecordedTime {
  std::string host, kernel;
  std::optional<std::uint64_t> first_ns, last_ns;  // of its samples, by the clock of this kernel
};

// True if all recordings of one side ended before those of the other began. Recordings of
// simulations, whose time starts at 0, overlap. False if it is not known.
bool recorded_in_blocks(std::span<const RecordedTime> before, std::span<const RecordedTime> after);

// An error if a recording is twice among these of one option: one run would count as two that do
// not differ.
Result<void> check_distinct(std::string_view option, const std::vector<std::string>& files);

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
