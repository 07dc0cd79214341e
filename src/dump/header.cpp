#include "dump/header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <string_view>

#include "base/text_layout.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

std::string safe(std::string_view text) {
  return printable(text, std::numeric_limits<std::size_t>::max());
}

std::string hex(std::uint64_t value) {
  return fmt::format("0x{:x}", value);
}

std::string event_line(const perfdata::RecordedEvent& event) {
  return fmt::format(
      "# event : name = {}, id = {{ {} }}, type = {}, config = {}, {} = {}, sample_type = {}, "
      "read_format = {}, branch_sample_type = {}, precise_ip = {}, sample_id_all = {}\n",
      safe(event.name), fmt::join(event.ids, ", "), event.type, hex(event.config),
      event.frequency > 0 ? "sample_freq" : "sample_period",
      event.frequency > 0 ? event.frequency : event.period, hex(event.sample_type),
      hex(event.read_format), hex(event.branch_sample_type), event.precise,
      event.sample_id_all ? 1 : 0);
}

std::string build_id_line(const perfdata::Description::BuildIdOf& each) {
  return fmt::format("# build id : {} {}\n", each.id.hex(), safe(each.path));
}

Json event_json(const perfdata::RecordedEvent& event) {
  return {{"name", event.name},
          {"ids", event.ids},
          {"type", event.type},
          {"config", hex(event.config)},
          {"config1", hex(event.config1)},
          {"config2", hex(event.config2)},
          {"period", event.period > 0 ? Json(event.period) : Json()},
          {"frequency", event.frequency > 0 ? Json(event.frequency) : Json()},
          {"sample_type", hex(event.sample_type)},
          {"read_format", hex(event.read_format)},
          {"branch_sample_type", hex(event.branch_sample_type)},
          {"precise", event.precise},
          {"sample_id_all", event.sample_id_all}};
}

}  // namespace

std::string header_text(const perfdata::Description& recording) {
  std::string text = "# ========\n";
  const auto line = [&](std::string_view name, const auto& value) {
    text += fmt::format("# {} : {}\n", name, value);
  };
  const auto words = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) line(name, safe(value));
  };
  words("hostname", recording.host);
  words("os release", recording.kernel);
  words("perf version", recording.perf_version);
  words("arch", recording.architecture);
  if (recording.cpus_online) line("nrcpus online", *recording.cpus_online);
  if (recording.cpus_available) line("nrcpus avail", *recording.cpus_available);
  words("cpudesc", recording.cpu);
  words("cpuid", recording.cpu_id);
  if (recording.memory_kb > 0) line("total memory", fmt::format("{} kB", recording.memory_kb));
  words("cmdline", fmt::format("{}", fmt::join(recording.command, " ")));
  line("kind", recording.pipe ? "stream" : "file");
  if (recording.swapped) line("byte order", "the other one than this machine's");
  for (const perfdata::RecordedEvent& event : recording.events) text += event_line(event);
  if (recording.first_sample_ns) line("time of first sample", *recording.first_sample_ns);
  if (recording.last_sample_ns) line("time of last sample", *recording.last_sample_ns);
  for (const auto& each : recording.build_ids) text += build_id_line(each);
  return text + "# ========\n#\n";
}

std::string header_json(const perfdata::Description& recording) {
  Json events = Json::array();
  for (const perfdata::RecordedEvent& event : recording.events) events.push_back(event_json(event));
  Json build_ids = Json::array();
  for (const auto& each : recording.build_ids)
    build_ids.push_back({{"build_id", each.id.hex()}, {"path", each.path}, {"pid", each.pid}});
  const auto number = [](const auto& value) { return value ? Json(*value) : Json(); };
  return written(Json{{"recording",
                       {{"stream", recording.pipe},
                        {"swapped", recording.swapped},
                        {"unfinished", recording.unfinished},
                        {"host", json_text(recording.host)},
                        {"kernel", json_text(recording.kernel)},
                        {"recorder", json_text(recording.perf_version)},
                        {"architecture", json_text(recording.architecture)},
                        {"cpus_online", number(recording.cpus_online)},
                        {"cpus_available", number(recording.cpus_available)},
                        {"cpu", json_text(recording.cpu)},
                        {"cpu_id", json_text(recording.cpu_id)},
                        {"memory_kb", recording.memory_kb},
                        {"command", json_list(recording.command)},
                        {"events", events},
                        {"build_ids", build_ids},
                        {"first_sample_ns", number(recording.first_sample_ns)},
                        {"last_sample_ns", number(recording.last_sample_ns)}}}});
}

}  // namespace tacho
