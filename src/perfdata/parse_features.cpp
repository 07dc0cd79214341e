#include "perfdata/parse_features.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "perfdata/format_constants.hpp"
#include "perfdata/non_sample_records.hpp"
#include "perfdata/recorder_notes.hpp"
#include "perfdata/sample.hpp"

namespace tacho::perfdata {
namespace {

// Most words of a command line, or groups of events. The limit bounds memory: an element takes more
// bytes in memory than in the file.
constexpr std::uint32_t kMostOfAList = 1 << 16;

template <std::string Description::* kText>
bool parse_text(Cursor section, Description& description) {
  description.*kText = section.counted_text();
  return section.ok();
}

bool parse_cpu_count(Cursor section, Description& description) {
  const std::uint32_t available = section.u32();
  const std::uint32_t online = section.u32();
  if (!section.ok()) return false;
  description.cpus_available = available;
  description.cpus_online = online;
  return true;
}

bool parse_memory(Cursor section, Description& description) {
  description.memory_kb = section.u64();
  return section.ok();
}

bool parse_command_line(Cursor section, Description& description) {
  description.command.clear();
  const std::uint32_t count = section.u32();
  if (count > kMostOfAList) return false;
  for (std::uint32_t i = 0; i < count && section.ok(); ++i)
    description.command.emplace_back(section.counted_text());
  return section.ok();
}

bool parse_sample_time(Cursor section, Description& description) {
  const std::uint64_t first = section.u64();
  const std::uint64_t last = section.u64();
  if (!section.ok()) return false;
  description.first_sample_ns = first;
  description.last_sample_ns = last;
  return true;
}

bool parse_build_ids(Cursor section, Description& description) {
  while (section.left() > 0) {
    Cursor header = section;
    header.skip(6);  // type and misc
    const std::uint16_t size = header.u16();
    if (!parse_build_id(Cursor(section.bytes(size), section.swapped()), description)) return false;
  }
  return section.ok();
}

bool parse_groups(Cursor section, Description& description) {
  description.groups.clear();
  const std::uint32_t count = section.u32();
  if (count > kMostOfAList) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    Description::Group group;
    group.name = section.counted_text();
    group.leader = section.u32();
    group.size = section.u32();
    if (!section.ok()) return false;
    description.groups.push_back(std::move(group));
  }
  return section.ok();
}

bool parse_version(Cursor section, Description& description) {
  take_version(std::string(section.counted_text()), description);
  return section.ok();
}

struct FeatureParser {
  std::uint64_t feature;
  bool (*parse)(Cursor section, Description& description);
};

constexpr auto kParsers = std::to_array<FeatureParser>({
    {format::kFeatureBuildId, parse_build_ids},
    {format::kFeatureHost, parse_text<&Description::host>},
    {format::kFeatureKernel, parse_text<&Description::kernel>},
    {format::kFeatureVersion, parse_version},
    {format::kFeatureArchitecture, parse_text<&Description::architecture>},
    {format::kFeatureCpuCount, parse_cpu_count},
    {format::kFeatureCpuDescription, parse_text<&Description::cpu>},
    {format::kFeatureCpuId, parse_text<&Description::cpu_id>},
    {format::kFeatureMemory, parse_memory},
    {format::kFeatureCommandLine, parse_command_line},
    {format::kFeatureGroups, parse_groups},
    {format::kFeatureSampleTime, parse_sample_time},
});

const FeatureParser* find_parser(std::uint64_t feature) {
  const auto* found = std::ranges::find(kParsers, feature, &FeatureParser::feature);
  return found == kParsers.end() ? nullptr : found;
}

}  // namespace

bool wants_feature(std::uint64_t feature) {
  return feature == format::kFeatureEventDescription || find_parser(feature) != nullptr;
}

bool parse_feature(std::uint64_t feature, Cursor section, Description& description) {
  const FeatureParser* parser = find_parser(feature);
  return parser == nullptr || parser->parse(section, description);
}

bool parse_event_names(Cursor section, std::vector<EventName>& names) {
  const std::uint32_t count = section.u32();
  const std::uint32_t attr_size = section.u32();
  if (attr_size < format::kSmallestAttr) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    EventName name;
    section.skip(attr_size);
    const std::uint64_t ids = section.u32();
    name.name = section.counted_text();
    if (ids > 0) name.id = Cursor(section).u64();
    section.skip(ids * 8);
    if (!section.ok()) return false;
    names.push_back(std::move(name));
  }
  return section.ok();
}

bool parse_build_id(Cursor record, Description& description) {
  record.skip(4);
  const std::uint16_t misc = record.u16();
  record.skip(2);
  Description::BuildIdOf build_id;
  build_id.mode = mode_of(misc);
  build_id.pid = record.i32();
  constexpr std::size_t kMost = 20;  // bytes: SHA-1
  const Bytes bytes = record.bytes(kMost);
  const std::size_t size = record.u8();  // valid only if misc has kBuildIdSize
  record.skip(3);
  build_id.id = to_build_id(bytes, (misc & format::kBuildIdSize) != 0 ? size : kMost);
  build_id.path = record.text(record.left());
  if (!record.ok()) return false;
  description.build_ids.push_back(std::move(build_id));
  return true;
}

}  // namespace tacho::perfdata
