// The layouts of the sections are in tools/perf/Documentation/perf.data-file-format.txt of Linux.
#include "perfdata/encode_features.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "base/byte_writer.hpp"
#include "perfdata/format_constants.hpp"
#include "perfdata/recorder_notes.hpp"

namespace tacho::perfdata {
namespace {

using Events = std::span<const WrittenEvent>;

constexpr std::size_t kNameAlignment = 64;  // bytes: NAME_ALIGN of perf

// Adds the padded length (32 bits), then the text.
void add_string(ByteWriter& out, std::string_view text) {
  const std::size_t at = out.size();
  out.add(std::uint32_t{0});
  out.set(at, static_cast<std::uint32_t>(out.add_padded(text, kNameAlignment)));
}

std::vector<std::byte> text(const std::string& value) {
  ByteWriter out;
  if (!value.empty()) add_string(out, value);
  return out.take();
}

void add_strings(ByteWriter& out, const std::vector<std::string>& values) {
  out.add(static_cast<std::uint32_t>(values.size()));
  for (const std::string& value : values) add_string(out, value);
}

std::vector<std::byte> build_ids(const Description& d, Events) {
  ByteWriter all;
  for (const Description::BuildIdOf& file : d.build_ids) {
    ByteWriter out;
    const auto mode = file.mode == Mode::kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
    out.add(perf_event_header{.type = format::kBuildId,
                              .misc = static_cast<std::uint16_t>(mode | format::kBuildIdSize),
                              .size = 0});
    out.add(file.pid);
    out.add(file.id.bytes);
    out.add(file.id.size);
    out.add(std::array<std::uint8_t, 3>{});
    out.add_padded(file.path, kNameAlignment);
    out.set(offsetof(perf_event_header, size), static_cast<std::uint16_t>(out.size()));
    all.add_bytes(out.bytes());
  }
  return all.take();
}

std::vector<std::byte> version(const Description& d, Events) {
  return text(version_with_notes(d));
}

std::vector<std::byte> cpu_numbers(const Description& d, Events) {
  ByteWriter out;
  if (!d.cpus_available || !d.cpus_online) return {};
  out.add(*d.cpus_available);
  out.add(*d.cpus_online);
  return out.take();
}

std::vector<std::byte> memory(const Description& d, Events) {
  ByteWriter out;
  if (d.memory_kb > 0) out.add(d.memory_kb);
  return out.take();
}

std::vector<std::byte> command_line(const Description& d, Events) {
  ByteWriter out;
  if (!d.command.empty()) add_strings(out, d.command);
  return out.take();
}

std::vector<std::byte> event_descriptions(const Description&, Events events) {
  ByteWriter out;
  if (events.empty()) return {};
  out.add(static_cast<std::uint32_t>(events.size()));
  out.add(static_cast<std::uint32_t>(events.front().attributes.size()));
  for (const WrittenEvent& event : events) {
    out.add_bytes(event.attributes);
    out.add(static_cast<std::uint32_t>(event.ids.size()));
    add_string(out, event.name);
    for (const std::uint64_t id : event.ids) out.add(id);
  }
  return out.take();
}

std::vector<std::byte> topology(const Description& d, Events) {
  ByteWriter out;
  if (d.topology.places.empty()) return {};
  add_strings(out, d.topology.cores);
  add_strings(out, d.topology.threads);
  for (const auto& place : d.topology.places) {
    out.add(place.core);
    out.add(place.package);
  }
  return out.take();
}

std::vector<std::byte> tracing_data(const Description& d, Events) {
  return d.tracing_data;
}

std::vector<std::byte> memory_nodes(const Description& d, Events) {
  ByteWriter out;
  if (d.memory_nodes.empty()) return {};
  out.add(static_cast<std::uint32_t>(d.memory_nodes.size()));
  for (const Description::MemoryNode& node : d.memory_nodes) {
    out.add(node.node);
    out.add(node.total_kb);
    out.add(node.free_kb);
    add_string(out, node.cpus);
  }
  return out.take();
}

std::vector<std::byte> caches(const Description& d, Events) {
  constexpr std::uint32_t kVersion = 1;
  ByteWriter out;
  if (d.caches.empty()) return {};
  out.add(kVersion);
  out.add(static_cast<std::uint32_t>(d.caches.size()));
  for (const Description::Cache& cache : d.caches) {
    for (const std::uint32_t number : {cache.level, cache.line, cache.sets, cache.ways})
      out.add(number);
    for (const std::string& text : {cache.type, cache.size, cache.cpus}) add_string(out, text);
  }
  return out.take();
}

std::vector<std::byte> pmus(const Description& d, Events) {
  ByteWriter out;
  if (d.pmus.empty()) return {};
  out.add(static_cast<std::uint32_t>(d.pmus.size()));
  for (const Description::PmuType& pmu : d.pmus) {
    out.add(pmu.type);
    add_string(out, pmu.name);
  }
  return out.take();
}

// Whether a sample of any event has a branch stack.
bool has_branch_stacks(Events events) {
  return std::ranges::any_of(events, [](const WrittenEvent& event) {
    std::uint64_t sample_type = 0;
    constexpr std::size_t kAt = offsetof(perf_event_attr, sample_type);
    if (event.attributes.size() >= kAt + sizeof sample_type)
      std::memcpy(&sample_type, event.attributes.data() + kAt, sizeof sample_type);
    return (sample_type & PERF_SAMPLE_BRANCH_STACK) != 0;
  });
}

std::vector<std::byte> groups(const Description& d, Events) {
  ByteWriter out;
  if (d.groups.empty()) return {};
  out.add(static_cast<std::uint32_t>(d.groups.size()));
  for (const Description::Group& group : d.groups) {
    add_string(out, group.name.empty() ? "{anon_group}" : group.name);
    out.add(static_cast<std::uint32_t>(group.leader));
    out.add(static_cast<std::uint32_t>(group.size));
  }
  return out.take();
}

std::vector<std::byte> sample_times(const Description& d, Events) {
  ByteWriter out;
  if (!d.first_sample_ns || !d.last_sample_ns) return {};
  out.add(*d.first_sample_ns);
  out.add(*d.last_sample_ns);
  return out.take();
}

template <std::string Description::* kMember>
std::vector<std::byte> text_of(const Description& d, Events) {
  return text(d.*kMember);
}

struct Feature {
  std::size_t bit;
  std::vector<std::byte> (*encode)(const Description&, Events);
};

std::vector<std::byte> nothing(const Description&, Events) {
  return {};
}

constexpr std::array kFeatures = {
    Feature{format::kFeatureTracingData, tracing_data},
    Feature{format::kFeatureBuildId, build_ids},
    Feature{format::kFeatureHost, text_of<&Description::host>},
    Feature{format::kFeatureKernel, text_of<&Description::kernel>},
    Feature{format::kFeatureVersion, version},
    Feature{format::kFeatureArchitecture, text_of<&Description::architecture>},
    Feature{format::kFeatureCpuCount, cpu_numbers},
    Feature{format::kFeatureCpuDescription, text_of<&Description::cpu>},
    Feature{format::kFeatureCpuId, text_of<&Description::cpu_id>},
    Feature{format::kFeatureMemory, memory},
    Feature{format::kFeatureCommandLine, command_line},
    Feature{format::kFeatureEventDescription, event_descriptions},
    Feature{format::kFeatureTopology, topology},
    Feature{format::kFeatureMemoryNodes, memory_nodes},
    Feature{format::kFeatureBranchStack, nothing},
    Feature{format::kFeaturePmus, pmus},
    Feature{format::kFeatureGroups, groups},
    Feature{format::kFeatureCaches, caches},
    Feature{format::kFeatureSampleTime, sample_times}};

}  // namespace

std::vector<FeatureSection> encode_features(const Description& description, Events events) {
  std::vector<FeatureSection> sections;
  for (const Feature& feature : kFeatures) {
    auto bytes = feature.encode(description, events);
    // The section of branch stacks is empty: its presence says that there are some.
    const bool states = feature.bit == format::kFeatureBranchStack && has_branch_stacks(events);
    if (!bytes.empty() || states) sections.push_back({feature.bit, std::move(bytes)});
  }
  return sections;
}

}  // namespace tacho::perfdata
