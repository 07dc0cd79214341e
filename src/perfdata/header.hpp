// Reads the beginning of a recording: its kind and byte order, its events and where its data are.
// Reads the features of a file too, which follow the data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "perfdata/event_table.hpp"
#include "perfdata/input.hpp"
#include "perfdata/metadata.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

struct Start {
  // Where the data end according to the file's header. A stream does not state it.
  std::optional<std::uint64_t> data_end;
  std::uint64_t damaged_features = 0;
};

// Moves `input` to the first record. Fails if this is no recording, or if its events can't be read.
Result<Start> read_header(Input& input, Metadata& metadata);

// Whether the file at `path` begins as a recording does, of whatever byte order. False if it can't
// be read.
bool begins_as_recording(const std::string& path);

}  // namespace tacho::perfdata
