// Where a recording is written to: a file (writer.hpp) or a stream (stream_writer.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.hpp"
#include "perfdata/inventory.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

class RecordingOutput {
 public:
  virtual ~RecordingOutput() = default;

  // Sets the features that describe a recording which ends before finish() is called. To be called
  // before start().
  virtual void set_preliminary_features(const Description& description,
                                        std::span<const WrittenEvent> events) = 0;
  // Writes what comes before the records. The attributes of all events must have the same size.
  virtual Result<void> start(std::span<const WrittenEvent> events) = 0;
  // Appends whole records, in pieces. On a full disk a file keeps those that fit. After an error
  // nothing more is written, and each call returns the same error.
  virtual Result<void> append(std::span<const std::span<const std::byte>> pieces) = 0;
  // The bytes of all records that were appended and kept.
  virtual std::uint64_t appended() const = 0;
  // Writes the final features, which complete the recording.
  virtual Result<void> finish(const Description& description,
                              std::span<const WrittenEvent> events) = 0;
  // Leaves no trace if nothing was written.
  virtual void discard() const = 0;

  // The size of the recording in bytes.
  virtual std::uint64_t size() const = 0;
  virtual const std::string& path() const = 0;

 protected:
  RecordingOutput() = default;
  RecordingOutput(RecordingOutput&&) = default;
  RecordingOutput& operator=(RecordingOutput&&) = default;
};

}  // namespace tacho::perfdata
