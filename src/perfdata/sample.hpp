// Takes the kernel's samples apart, and finds in any record what says when and of which event it
// is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "perfdata/attr.hpp"
#include "perfdata/cursor.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

// Where the samples of an event, and what stands at the end of its other records (sample_id_all),
// have their fields.
class SampleLayout {
 public:
  explicit SampleLayout(const Attr& attr);

  // Of a record's bytes behind its header. Nothing when it does not tell, or is too short.
  OptionalU64 time_of_sample(Bytes body, bool swapped) const;
  OptionalU64 id_of_sample(Bytes body, bool swapped) const;
  OptionalU64 time_of_other(Bytes body, bool swapped) const;
  OptionalU64 id_of_other(Bytes body, bool swapped) const;

  // Of the record's end, where other records have these fields; 0 when they have none.
  std::size_t trailer() const { return trailer_; }

  // That both find time and id at the same places.
  bool same_places(const SampleLayout& other) const;

  std::uint64_t type;         // PERF_SAMPLE_*
  std::uint64_t read_format;  // PERF_FORMAT_*
  std::uint64_t branch_type;  // PERF_SAMPLE_BRANCH_*
  std::uint64_t user_registers;
  std::uint64_t interrupt_registers;

 private:
  using Place = std::optional<std::uint8_t>;  // in bytes from the start, or back from the end
  Place sample_time_, sample_id_, other_time_, other_id_;
  std::uint8_t trailer_ = 0;
};

class SampleParser {
 public:
  // False when a field runs past the end. The sample's spans point into `body` and into this, until
  // the next call. Its event is the caller's to tell.
  bool parse(Bytes body, std::uint16_t misc, const SampleLayout& layout, bool swapped,
             Sample& sample);

 private:
  void take_branches(Cursor& cursor, std::uint64_t branch_type, Sample& sample);

  std::vector<std::uint64_t> chain_, registers_;
  std::vector<Branch> branches_;
};

// The processor's mode, of a record's misc bits.
Mode mode_of(std::uint16_t misc);

}  // namespace tacho::perfdata
