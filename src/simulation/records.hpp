// The records that the simulator writes (docs/explanation/simulator.md): bytes go in as the file
// grows, slices come out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace tacho {

// What can happen in a slice of a simulation that samples.
namespace happened {
struct TakenBranch {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint64_t cycles = 0;  // since the one before; 0: not known
  std::uint8_t kind = 0;     // PERF_BR_* of Linux
  bool mispredicted = false;
};
struct Sample {
  std::uint64_t event = 0;  // of those that were asked for
  std::uint64_t period = 0;
  std::uint64_t ip = 0;
  std::vector<TakenBranch> branches;   // newest first
  std::vector<std::uint64_t> callers;  // where each call returns to, innermost first
};
struct Mapping {  // of code
  std::uint64_t start = 0, length = 0, offset = 0;
  std::string path;  // empty: of no file
};
struct Name {               // of the thread
  bool of_program = false;  // which begins now
  std::string text;
};
struct Began {  // the thread
  std::uint32_t parent_process = 0, parent_thread = 0;
};
struct Ended {};  // the thread
}  // namespace happened

struct Happening {
  std::uint64_t cycle = 0;  // of the slice
  std::uint32_t thread = 0;
  std::variant<happened::Sample, happened::Mapping, happened::Name, happened::Began,
               happened::Ended>
      what;
};

// What one process did in one stretch of simulated time: a count a column.
struct Slice {
  std::uint32_t process = 0;
  std::vector<std::uint64_t> counts;
  std::vector<Happening> happenings;  // in order
};

// Holds the bytes that have not been decoded yet, and nothing else that grows with the file but
// the numbers of its processes. A batch that is cut short waits for its rest; at the end of the
// file it is left out.
class Records {
 public:
  // The next bytes of the file, in pieces of any size.
  void add(std::string_view bytes) { waiting_.append(bytes); }

  // The next slice; none when it takes more bytes. Damage is an error that names the place in the
  // file and the reason, and stays: nothing behind it can be believed.
  Result<std::optional<Slice>> next();

  // The names of the columns, the same for all processes; empty until the first batch has come.
  const std::vector<std::string>& columns() const { return columns_; }

 private:
  Result<bool> open_batch();
  Result<void> take_columns(std::string_view body);
  Result<std::uint64_t> number();
  Result<std::vector<Happening>> happenings();
  std::unexpected<Error> damage(std::string_view reason);
  void drop_decoded();

  std::string waiting_;     // from `dropped_` in the file on
  std::size_t at_ = 0;      // in waiting_: all before it is decoded
  std::size_t slices_ = 0;  // in waiting_: the end of the slices' batch that is being decoded
  std::uint64_t dropped_ = 0;
  std::uint32_t process_ = 0;  // that has written the batch
  bool tells_ = false;         // the batch has a slice with what happened in it
  std::vector<std::string> columns_;
  std::set<std::uint32_t> known_;  // processes that have named their columns
  std::optional<Error> damage_;
};

}  // namespace tacho
