#include "process/containers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <vector>

#include "base/file.hpp"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kIdDigits = 64;
constexpr std::size_t kFewestDigits = 8;

bool is_hexadecimal(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == text.npos;
}

// The ID in the name of a group, as in docker-ID.scope, libpod-ID.scope, crio-ID.scope,
// cri-containerd-ID.scope, or ID alone. Empty if it has none.
std::string_view id_in(std::string_view name) {
  if (name.ends_with(".scope")) name.remove_suffix(6);
  const std::string_view id = name.substr(name.rfind('-') + 1);
  return id.size() == kIdDigits && is_hexadecimal(id) ? id : std::string_view();
}

// The groups of all containers, by ID.
std::multimap<std::string, std::string> groups_below(const std::string& hierarchy) {
  std::multimap<std::string, std::string> groups;
  std::error_code error;
  for (fs::recursive_directory_iterator each(hierarchy, error), end; !error && each != end;
       each.increment(error)) {
    if (!each->is_directory(error)) continue;
    const std::string name = each->path().filename();
    const std::string_view id = id_in(name);
    if (id.empty()) continue;
    groups.emplace(id, each->path().native().substr(hierarchy.size() + 1));
    each.disable_recursion_pending();  // what runs in it belongs to it
  }
  return groups;
}

// The text of a JSON file between "KEY":" and the next quote; empty if there is none. The names of
// containers have no characters that JSON spells otherwise.
std::string json_value(std::string_view json, std::string_view key) {
  const std::string mark = fmt::format("\"{}\":\"", key);
  const std::size_t at = json.find(mark);
  if (at == json.npos) return {};
  const std::string_view rest = json.substr(at + mark.size());
  return std::string(rest.substr(0, rest.find('"')));
}

using Ids = std::set<std::string>;

// Docker: a folder for each container, whose name is its ID.
void add_from_docker(std::string_view name, const std::string& root, Ids& ids) {
  std::error_code error;
  for (const auto& each : fs::directory_iterator(root + "/var/lib/docker/containers", error)) {
    const std::string text = read_file(each.path() / "config.v2.json").value_or("");
    if (json_value(text, "Name") == fmt::format("/{}", name)) ids.insert(each.path().filename());
  }
}

// Podman: one list of all containers, each {"id":"…","names":["…"],…}.
void add_from_podman(std::string_view name, const std::string& root, Ids& ids) {
  const std::string list =
      read_file(root + "/var/lib/containers/storage/overlay-containers/containers.json")
          .value_or("");
  for (std::size_t at = list.find("\"id\":\""); at != list.npos;) {
    const std::size_t next = list.find("\"id\":\"", at + 1);
    const std::string_view one = std::string_view(list).substr(at, next - at);
    if (one.contains(fmt::format("\"names\":[\"{}\"", name))) ids.insert(json_value(one, "id"));
    at = next;
  }
}

// Kubernetes: the log of a container is POD_NAMESPACE_CONTAINER-ID.log.
void add_from_kubernetes(std::string_view name, const std::string& root, Ids& ids) {
  std::error_code error;
  for (const auto& each : fs::directory_iterator(root + "/var/log/containers", error)) {
    const std::string log = each.path().stem();
    const std::string_view id = id_in(log);
    if (id.empty() || log.size() <= id.size()) continue;
    const std::string whole = log.substr(0, log.size() - id.size() - 1);
    const std::string framed = '_' + whole + '_';
    if (framed.contains(fmt::format("_{}_", name))) ids.emplace(id);
  }
}

Ids ids_of(std::string_view container, const std::string& root,
           const std::multimap<std::string, std::string>& groups) {
  Ids ids;
  if (container.size() >= kFewestDigits && is_hexadecimal(container))
    for (const auto& [id, path] : groups)
      if (id.starts_with(container)) ids.insert(id);
  if (!ids.empty()) return ids;
  add_from_docker(container, root, ids);
  add_from_podman(container, root, ids);
  add_from_kubernetes(container, root, ids);
  std::erase_if(ids, [&](const std::string& id) { return !groups.contains(id); });
  return ids;
}

}  // namespace

Result<std::string> cgroup_of_container(std::string_view container, const std::string& hierarchy,
                                        const std::string& root) {
  const auto groups = groups_below(hierarchy);
  const Ids ids = ids_of(container, root, groups);
  if (ids.empty())
    return failure(
        fmt::format("no container '{}' runs here ({} containers have a control group below {})",
                    container, groups.size(), hierarchy),
        "give its ID, which 'docker ps', 'podman ps' or 'crictl ps' tells, or its group with -G");
  if (ids.size() > 1)
    return failure(fmt::format("'{}' is the name of {} containers: {}", container, ids.size(),
                               fmt::join(ids, ", ")),
                   "give the ID of one of them");
  return groups.find(*ids.begin())->second;
}

}  // namespace tacho
