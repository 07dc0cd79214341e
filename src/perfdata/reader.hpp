// Reads recordings in perf's format, from a file or a stream: yields their records in time order,
// in memory that does not grow with them. docs/reference/perf-data.md says what it understands and
// its bounds.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

// What was met and not yielded, so that nothing is passed over in silence.
struct Tally {
  std::uint64_t records = 0;  // that were met, of every type
  std::uint64_t samples = 0;  // that were yielded
  // By PERF_RECORD_*: types whose meaning is known and that a profile does not need, and types that
  // are newer than this reader.
  std::map<std::uint32_t, std::uint64_t> skipped, unknown;
  std::uint64_t unparsed = 0;          // records whose fields run past their end; not yielded
  std::uint64_t no_event = 0;          // samples whose id belongs to no event; not yielded
  std::uint64_t out_of_order = 0;      // records that were yielded after one of a later time
  std::uint64_t damaged_features = 0;  // that the recording tells of itself; not in description()
  std::uint64_t trace_bytes = 0;       // of AUXTRACE and TRACING_DATA
  std::uint64_t lost = 0;              // the sum of what LOST records say
  std::uint64_t lost_samples = 0;      // … LOST_SAMPLES records
  std::uint64_t throttles = 0;
};

class Reader {
 public:
  // "-" is standard input. An error: the file can't be read, or is no recording.
  static Result<std::unique_ptr<Reader>> open(const std::string& path);

  virtual ~Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // The next record in time order; nullptr at the end. It is valid until the next call. An error is
  // damage, with its offset and reason: every record before it has been yielded, and it stays.
  virtual Result<const Record*> next() = 0;

  // Of a pipe it grows as the stream is read; an event's index never changes.
  virtual const Description& description() const = 0;
  virtual const Tally& tally() const = 0;

 protected:
  Reader() = default;
};

}  // namespace tacho::perfdata
