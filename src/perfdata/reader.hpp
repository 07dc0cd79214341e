// Reads recordings in perf's format from a file or a stream. Yields the records in time order, in
// bounded memory. docs/reference/perf-data.md lists what the reader understands, and its limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

// Counts of records that were read, and of those that were not yielded.
struct Tally {
  std::uint64_t records = 0;  // read, of every type
  std::uint64_t samples = 0;  // yielded
  // Records not yielded, by PERF_RECORD_*. `skipped`: known types that a profile does not need.
  // `unknown`: types that are newer than this reader.
  std::map<std::uint32_t, std::uint64_t> skipped, unknown;
  std::uint64_t unparsed = 0;          // records with a field after their end; not yielded
  std::uint64_t no_event = 0;          // samples whose id belongs to no event; not yielded
  std::uint64_t out_of_order = 0;      // records yielded after a record with a later time
  std::uint64_t damaged_features = 0;  // features that are missing in description()
  std::uint64_t trace_bytes = 0;       // in AUXTRACE and TRACING_DATA
  std::uint64_t lost = 0;              // the sum of the counts in LOST records
  std::uint64_t lost_samples = 0;      // the sum of the counts in LOST_SAMPLES records
  std::uint64_t throttles = 0;

  Tally& operator+=(const Tally&);
};

// A record as it is in the recording, before it is left out, decompressed or sorted by time.
struct RawRecord {
  std::uint32_t type = 0;  // PERF_RECORD_*
  std::uint16_t misc = 0;
  std::span<const std::byte> bytes;  // with its header
  std::uint64_t offset = 0;          // as in Record
  bool was_compressed = false;       // it comes from a COMPRESSED record
  std::optional<std::size_t> event;  // in Description::events; none for perf's own records
};

class Reader {
 public:
  // "-" is standard input. Fails if the file can't be read or is no recording. directory_reader.hpp
  // opens directories, too.
  static Result<std::unique_ptr<Reader>> open(const std::string& path);

  virtual ~Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Returns the next record in time order, or nullptr at the end. It is valid until the next call.
  // An error is damage, with its offset and reason. The reader yields all records before the damage
  // first. Each further call returns the same error.
  virtual Result<const Record*> next() = 0;

  // From now on, next() calls `watcher` with each record that it takes from the recording, in the
  // order of the recording. What the span points to is valid during the call.
  virtual void watch(std::function<void(const RawRecord&)> watcher) = 0;

  // The description of a pipe grows as the stream is read. The index of an event never changes.
  virtual const Description& description() const = 0;
  virtual const Tally& tally() const = 0;

 protected:
  Reader() = default;
};

// The reader of a recording, and those of files that have only records with the same description.
Result<std::vector<std::unique_ptr<Reader>>> open_with_parts(const std::string& path,
                                                             std::span<const std::string> parts);

}  // namespace tacho::perfdata
