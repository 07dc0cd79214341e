// Gathers what a recording tells of itself, from a file's header and sections or from a stream's
// records, within bounds: a stream that goes on telling does not fill the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "perfdata/attr.hpp"
#include "perfdata/cursor.hpp"
#include "perfdata/event_table.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

class Metadata {
 public:
  // Larger than a system's list of build-ids. What goes beyond is refused as damage is.
  static constexpr std::size_t kAllowance = std::size_t{8} << 20;

  Description description;
  EventTable events;

  // All of them say false for damage.
  bool add_event(const Attr& attr, std::vector<std::uint64_t> ids);
  bool add_feature(std::uint64_t feature, Bytes section);
  // The names that old recordings have, by the events' config: an array of them, 72 bytes each.
  bool add_event_types(Bytes array);
  // perf's own records of a stream, with their headers.
  bool add_attr_record(Bytes record);
  bool add_build_id_record(Bytes record);
  bool add_event_type_record(Bytes record);
  bool add_update_record(Bytes record);
  bool add_feature_record(Bytes record);

 private:
  bool allow(Bytes bytes);
  Cursor cursor(Bytes bytes) const { return {bytes, description.swapped}; }
  Cursor body(Bytes record) const;

  bool add_event_names(Bytes section);

  std::unordered_map<std::uint64_t, std::string> names_by_id_;  // of events that may come later
  std::map<std::uint64_t, std::string> old_names_;
  static constexpr std::size_t kMostOldNames = 1024;
  std::size_t allowed_ = kAllowance;
};

}  // namespace tacho::perfdata
