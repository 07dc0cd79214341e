// Parses the kernel's samples. Finds the time and the id of an event in a record of any type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "perfdata/attr.hpp"
#include "perfdata/cursor.hpp"
#include "perfdata/group_counts.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

// The places of the fields in the samples of an event, and in the trailer of its other records
// (sample_id_all).
class SampleLayout {
 public:
  explicit SampleLayout(const Attr& attr);

  // `body` is a record without its header. Returns nullopt if the record does not have the field,
  // or is too short.
  OptionalU64 time_of_sample(Bytes body, bool swapped) const;
  OptionalU64 id_of_sample(Bytes body, bool swapped) const;
  OptionalU64 time_of_other(Bytes body, bool swapped) const;
  OptionalU64 id_of_other(Bytes body, bool swapped) const;
  // The process and the thread in the trailer.
  struct Task {
    std::int32_t pid = -1, tid = -1;
  };
  std::optional<Task> task_of_other(Bytes body, bool swapped) const;

  // The size in bytes of the trailer of records other than samples; 0 if they have none.
  std::size_t trailer() const { return trailer_; }

  // Whether both layouts have time and id at the same places.
  bool same_places(const SampleLayout& other) const;

  std::uint64_t type;         // PERF_SAMPLE_*
  std::uint64_t read_format;  // PERF_FORMAT_*
  std::uint64_t branch_type;  // PERF_SAMPLE_BRANCH_*
  std::uint64_t user_registers;
  std::uint64_t interrupt_registers;
  bool has_readings;        // samples have counts with the ids of their events
  bool counts_each_thread;  // these counts are of the sample's thread

 private:
  // Bytes from the start of a sample, or back from the end of another record.
  using Place = std::optional<std::uint8_t>;
  Place sample_time_, sample_id_, other_time_, other_id_;
  std::uint8_t trailer_ = 0;
};

class SampleParser {
 public:
  // Returns false if a field ends after the end of `body`. The spans of the sample point into
  // `body` and into this parser, and are valid until the next call. The caller sets the event of
  // the sample.
  bool parse(Bytes body, std::uint16_t misc, const SampleLayout& layout, bool swapped,
             Sample& sample);

  // The counts in the last sample, if its layout has_readings.
  std::span<const Reading> readings() const { return readings_; }

 private:
  void take_readings(Cursor& cursor, std::uint64_t format);
  void take_branches(Cursor& cursor, std::uint64_t branch_type, Sample& sample);

  std::vector<std::uint64_t> chain_, registers_;
  std::vector<Branch> branches_;
  std::vector<Reading> readings_;
};

// The mode of the processor, from the misc bits of a record.
Mode mode_of(std::uint16_t misc);

}  // namespace tacho::perfdata
