// The beginning of a recording: of which kind and byte order it is, its events, where its data are,
// and what a file tells behind them.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "perfdata/event_table.hpp"
#include "perfdata/input.hpp"
#include "perfdata/metadata.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

struct Start {
  std::optional<std::uint64_t> data_end;  // of a file, as it tells it; nothing of a stream
  std::uint64_t damaged_features = 0;
};

// Leaves `input` at the first record. An error: this is no recording, or one without readable
// events.
Result<Start> read_header(Input& input, Metadata& metadata);

}  // namespace tacho::perfdata
