// Decodes the records that the simulator writes (docs/explanation/simulator.md): takes bytes as the
// file grows and returns slices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "simulation/slice.hpp"

namespace tacho {

// Keeps the bytes that are not decoded yet. Beside them, only the set of processes grows with the
// file. An incomplete batch waits for its rest; at the end of the file it is left out.
class Records {
 public:
  // The next bytes of the file, in pieces of any size.
  void add(std::string_view bytes) { waiting_.append(bytes); }

  // The next slice; nothing if more bytes are needed. Damage is an error that gives the place in
  // the file and the reason. Every later call returns the same error, because the rest is
  // unreliable.
  Result<std::optional<Slice>> next();

  // Whether the first process in the file has written its last batch, which is that of its end.
  bool complete() const { return complete_; }

  // The names of the columns, the same for all processes; empty before the first batch.
  const std::vector<std::string>& columns() const { return columns_; }

 private:
  Result<bool> open_batch();
  Result<void> take_columns(std::string_view body);
  Result<std::uint64_t> number();
  Result<std::vector<TraceRecord>> trace();
  std::unexpected<Error> damage(std::string_view reason);
  void drop_decoded();

  std::string waiting_;        // the bytes of the file from `dropped_` on
  std::size_t at_ = 0;         // in waiting_: where the bytes that are not decoded begin
  std::size_t batch_end_ = 0;  // in waiting_: the end of the batch of slices that is being decoded
  std::uint64_t dropped_ = 0;
  std::uint32_t process_ = 0;  // the process that wrote the batch
  bool traced_ = false;        // the batch has one slice, with its trace
  std::vector<std::string> columns_;
  std::set<std::uint32_t> known_;       // processes whose columns are known
  std::optional<std::uint32_t> first_;  // the process that began the file
  bool complete_ = false;
  std::optional<Error> damage_;
};

}  // namespace tacho
