#include "events/tracepoint.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.hpp"
#include "events/abi.hpp"
#include "events/format_term.hpp"
#include "events/sysfs_pmu.hpp"

namespace tacho {
namespace {

bool is_part(std::string_view text) {
  return !text.empty() && text[0] != '.' &&
         text.find_first_of(std::string_view("/*?\0", 4)) == std::string_view::npos;
}

// Probes in programs are tracepoints, too, but they happen in user mode. perf probe -x names their
// categories probe_….
bool is_in_kernel(std::string_view category) {
  return category != "uprobes" && !category.starts_with("probe_");
}

}  // namespace

Result<std::optional<Event>> Tracepoints::event(std::string_view category, std::string_view name,
                                                std::string_view spec) const {
  if (!is_part(category) || !is_part(name)) return std::nullopt;
  int forbidden = 0;
  bool mounted = false;
  std::string forbidden_root;
  for (const std::string& root : roots_) {
    const std::string folder = fmt::format("{}/events/{}/{}", root, category, name);
    const std::string path = folder + "/id";
    const auto text = read_file(path);
    if (text) {
      const auto id = parse_number(std::string_view(*text).substr(0, text->find('\n')));
      if (!id) return failure(fmt::format("event '{}': '{}': {}", spec, path, id.error().what));
      Event event;
      event.name = spec;
      event.domain = Domain::software;
      event.type = abi::kTracepoint;
      event.config = *id;
      event.tracepoint = folder;
      event.counts_in_kernel = is_in_kernel(category);
      return event;
    }
    if (text.error().code == EACCES || text.error().code == EPERM) {
      if (forbidden == 0) forbidden_root = root;
      forbidden = text.error().code;
    } else if (::access((root + "/events").c_str(), F_OK) == 0) {
      mounted = true;
    }
  }
  if (mounted) return std::nullopt;
  if (forbidden != 0)
    return os_failure(
        fmt::format("event '{}': cannot read the tracepoints in '{}'", spec, forbidden_root),
        forbidden,
        fmt::format("run tacho as root, or let others read them: mount -o remount,mode=755 {}",
                    forbidden_root));
  const std::string root = roots_.empty() ? "/sys/kernel/tracing" : roots_[0];
  return os_failure(
      fmt::format("event '{}': no tracepoints in '{}', tracefs is not mounted there", spec, root),
      ENOENT, fmt::format("mount it as root: mount -t tracefs -o mode=755 nodev {}", root));
}

std::vector<std::string> Tracepoints::categories() const {
  for (const std::string& root : roots_) {
    std::vector<std::string> found = directory_names(root + "/events");
    // The directory has a few control files beside the categories' directories.
    std::erase_if(found, [&](const std::string& name) {
      return ::access(fmt::format("{}/events/{}/.", root, name).c_str(), F_OK) != 0;
    });
    if (!found.empty()) return found;
  }
  return {};
}

std::vector<std::string> Tracepoints::names(std::string_view category) const {
  if (!is_part(category)) return {};
  std::vector<std::string> names;
  for (const std::string& root : roots_) {
    const std::string directory = fmt::format("{}/events/{}", root, category);
    for (const std::string& name : directory_names(directory))
      if (::access(fmt::format("{}/{}/id", directory, name).c_str(), F_OK) == 0)
        names.push_back(fmt::format("{}:{}", category, name));
    if (!names.empty()) break;
  }
  return names;
}

}  // namespace tacho
