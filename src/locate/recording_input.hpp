// Opens and reads the recording that a user names, and says in warnings what makes it doubtful.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "locate/module_file.hpp"
#include "locate/sample_choice.hpp"
#include "locate/sample_filter.hpp"
#include "perfdata/reader.hpp"
#include "wall/wall_reader.hpp"

namespace tacho {

struct RecordingInput {
  std::string file = "perf.data";  // "-" is standard input; may be a pattern (perf.data.*)
  std::vector<std::string> more;   // further files with pieces of the same recording
  std::string event;               // empty: the user does not choose one
  std::string symfs;               // directory below which recorded files are looked for
  bool debuginfod = false;         // download missing debug information
  SampleChoice choice;
  WallView view = WallView::none;  // whether the time off the CPU is read as samples
  std::string kallsyms, vmlinux;   // of the recorded kernel; empty: not given
};

// Errors: the file is no recording, or debug information cannot be downloaded although it is
// wanted.
Result<std::unique_ptr<perfdata::Reader>> open_recording(const RecordingInput&);

// The filter of the samples that the user chose. The recording is read an additional time if only
// that tells when its samples begin and end. Errors: a stream can't tell it.
Result<SampleFilter> sample_filter(const RecordingInput&, const perfdata::Description&);

struct ReadThrough {
  std::optional<Error> damage;        // that ended the reading
  std::vector<std::string> warnings;  // what makes the recording doubtful; the damage, too
};
// Calls `visit` with every record up to the end of the recording or to the first damage.
ReadThrough read_through(perfdata::Reader&,
                         const std::function<void(const perfdata::Record&)>& visit);

// Where names of functions come from.
SymbolSources symbol_sources(const RecordingInput&);

// The event that a user means by `name`. The remedy of the error names the recorded events.
Result<std::size_t> named_event(std::string_view name, const perfdata::Description&);
Result<std::size_t> named_event(std::string_view name, std::span<const std::string> events);

}  // namespace tacho
