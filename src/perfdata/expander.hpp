// The decompressors of whole files: gzip and xz by their libraries, zstd by Decompressor.
#pragma once

#include <functional>
#include <string>

#include "base/result.hpp"
#include "perfdata/cursor.hpp"
#include "perfdata/input.hpp"

namespace tacho::perfdata {

// Takes the next expanded bytes. Returns an error if there shall be no more.
using Sink = std::function<Result<void>(Bytes)>;

// Each expands all that is left of the input. An error is of the sink, or says what is damaged
// without naming the file.
Result<void> expand_gzip(Input&, const Sink&);
Result<void> expand_xz(Input&, const Sink&);

}  // namespace tacho::perfdata
