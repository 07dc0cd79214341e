#include "perfdata/metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "perfdata/event_name.hpp"
#include "perfdata/format_constants.hpp"
#include "perfdata/parse_features.hpp"
#include "perfdata/recorded_tracepoints.hpp"

namespace tacho::perfdata {
namespace {

bool is_unknown_tracepoint(const RecordedEvent& event) {
  return event.type == format::kTracepointType && event.format.empty();
}

}  // namespace

bool Metadata::allow(Bytes bytes) {
  if (bytes.size() > allowed_) return false;
  allowed_ -= bytes.size();
  return true;
}

Cursor Metadata::body(Bytes record) const {
  return cursor(record.subspan(format::kRecordHeader));
}

bool Metadata::add_event(const Attr& attr, std::vector<std::uint64_t> ids) {
  if (!events.add(attr, ids)) return false;
  RecordedEvent event = attr.event;
  event.name = generic_name(event);
  if (event.name.empty() && old_names_.contains(event.config))
    event.name = old_names_[event.config];
  event.ids = std::move(ids);
  if (!event.ids.empty())
    if (const auto named = names_by_id_.find(event.ids.front()); named != names_by_id_.end())
      event.name = named->second;
  description.events.push_back(std::move(event));
  return true;
}

bool Metadata::add_feature(std::uint64_t feature, Bytes section) {
  if (!allow(section)) return false;
  if (feature == format::kFeatureEventDescription) return add_event_names(section);
  return parse_feature(feature, cursor(section), description);
}

// Names without ids are in the order of the events.
bool Metadata::add_event_names(Bytes section) {
  std::vector<EventName> names;
  const bool whole = parse_event_names(cursor(section), names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::optional<std::size_t> event = names[i].id ? events.find(*names[i].id) : i;
    if (event && *event < description.events.size() && !names[i].name.empty())
      description.events[*event].name = names[i].name;
    if (names[i].id) names_by_id_.try_emplace(*names[i].id, std::move(names[i].name));
  }
  return whole;
}

bool Metadata::add_event_types(Bytes array) {
  if (!allow(array)) return false;
  Cursor types = cursor(array);
  while (types.left() > 0) {
    const std::uint64_t config = types.u64();
    const std::string_view name = types.text(format::kEventTypeName);
    if (!types.ok() || old_names_.size() >= kMostOldNames) return false;
    old_names_.try_emplace(config, name);
    for (RecordedEvent& event : description.events)
      if (event.name.empty() && event.config == config) event.name = name;
  }
  return true;
}

bool Metadata::add_attr_record(Bytes record) {
  const std::optional<Attr> attr = parse_attr(body(record).rest(), description.swapped);
  if (!attr) return false;
  Cursor rest = body(record);
  rest.skip(attr->size);
  std::vector<std::uint64_t> ids;
  rest.u64s(rest.left() / 8, ids);
  return add_event(*attr, std::move(ids));
}

bool Metadata::add_build_id_record(Bytes record) {
  return allow(record) && parse_build_id(cursor(record), description);
}

bool Metadata::add_event_type_record(Bytes record) {
  return add_event_types(body(record).bytes(8 + format::kEventTypeName));
}

bool Metadata::add_update_record(Bytes record) {
  constexpr std::uint64_t kName = 2;  // PERF_EVENT_UPDATE__NAME; others are units and scales
  Cursor update = body(record);
  const bool names = update.u64() == kName;
  const std::optional<std::size_t> event = events.find(update.u64());
  const std::string_view name = update.text(update.left());
  if (names && event && !name.empty()) description.events[*event].name = name;
  return update.ok();
}

bool Metadata::lacks_tracepoints() const {
  return std::ranges::any_of(description.events, is_unknown_tracepoint);
}

void Metadata::add_tracing_data(Bytes data) {
  constexpr std::size_t kMostTimes = 8;
  if (tracing_data_ == kMostTimes || !lacks_tracepoints()) return;
  ++tracing_data_;
  const auto tracepoints = recorded_tracepoints(data);
  for (RecordedEvent& event : description.events) {
    const auto found = tracepoints.find(event.config);
    if (!is_unknown_tracepoint(event) || found == tracepoints.end()) continue;
    if (const std::size_t size = found->second.format.size(); size <= allowed_formats_) {
      event.format = found->second.format;
      allowed_formats_ -= size;
    }
    if (event.name.empty())
      event.name = fmt::format("{}:{}", found->second.system, found->second.name);
  }
}

bool Metadata::add_feature_record(Bytes record) {
  Cursor feature = body(record);
  const std::uint64_t which = feature.u64();
  return feature.ok() && (!wants_feature(which) || add_feature(which, feature.rest()));
}

}  // namespace tacho::perfdata
