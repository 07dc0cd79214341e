#include "record/tracepoint_formats.hpp"

#include <filesystem>
#include <set>
#include <string>

#include "base/file.hpp"

namespace tacho {

perfdata::TracingFormats tracepoint_formats(std::span<const EventGroup> groups) {
  perfdata::TracingFormats formats;
  std::set<std::string> seen;
  for (const EventGroup& group : groups)
    for (const Event& event : group) {
      if (event.tracepoint.empty() || !seen.insert(event.tracepoint).second) continue;
      const auto format = read_file(event.tracepoint + "/format");
      if (!format) continue;
      const std::filesystem::path system = std::filesystem::path(event.tracepoint).parent_path();
      formats.tracepoints.push_back({system.filename(), *format});
      if (!formats.header_page.empty()) continue;
      const std::string events = system.parent_path();
      formats.header_page = read_file(events + "/header_page").value_or("");
      formats.header_event = read_file(events + "/header_event").value_or("");
    }
  return formats;
}

}  // namespace tacho
