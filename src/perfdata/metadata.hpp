// Collects what a recording states about itself, from the header and sections of a file or from the
// records of a stream. Memory is bounded, however many such records a stream has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/hash_seed.hpp"
#include "perfdata/attr.hpp"
#include "perfdata/cursor.hpp"
#include "perfdata/event_table.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

class Metadata {
 public:
  // Most bytes of features: more than the build IDs of a whole system take. Further features count
  // as damaged.
  static constexpr std::size_t kAllowance = std::size_t{8} << 20;

  Description description;
  EventTable events;

  // Each of these functions returns false if the bytes are damaged.
  bool add_event(const Attr& attr, std::vector<std::uint64_t> ids);
  bool add_feature(std::uint64_t feature, Bytes section);
  // Names of events by their config, as old recordings have them: an array with 72 bytes for each.
  bool add_event_types(Bytes array);
  // perf's own records in a stream, with their headers.
  bool add_attr_record(Bytes record);
  bool add_build_id_record(Bytes record);
  bool add_event_type_record(Bytes record);
  bool add_update_record(Bytes record);
  bool add_feature_record(Bytes record);

  // A system's tracepoints have about 2 MB of formats, and the symbols of the kernel are as large.
  static constexpr std::size_t kMostTracingData = std::size_t{32} << 20;
  // Whether the format of a tracepoint is not known yet.
  bool lacks_tracepoints() const;
  // Gives such tracepoints their format, and those without a name their name. Only the first few
  // calls count: a recording has such data once.
  void add_tracing_data(Bytes data);

 private:
  bool allow(Bytes bytes);
  Cursor cursor(Bytes bytes) const { return {bytes, description.swapped}; }
  Cursor body(Bytes record) const;

  bool add_event_names(Bytes section);

  // Their events may follow later.
  std::unordered_map<std::uint64_t, std::string, NumberHash> names_by_id_;
  std::map<std::uint64_t, std::string> old_names_;
  static constexpr std::size_t kMostOldNames = 1024;
  std::size_t allowed_ = kAllowance;
  std::size_t allowed_formats_ = std::size_t{1} << 20;  // bytes: a format has 1 or 2 KB
  std::size_t tracing_data_ = 0;                        // calls of add_tracing_data()
};

}  // namespace tacho::perfdata
