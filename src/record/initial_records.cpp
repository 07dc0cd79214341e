#include "record/initial_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "base/build_id.hpp"
#include "base/file.hpp"
#include "base/process_tree.hpp"

namespace tacho {
namespace {

using perfdata::Mapping;
using perfdata::Mode;
using Bytes = std::vector<std::byte>;

void append(Bytes& all, const Bytes& more) {
  all.insert(all.end(), more.begin(), more.end());
}

using perfdata::kAnonymous;
using perfdata::kDeleted;

// A mapping from a line of /proc/PID/maps: "start-end perms offset device inode path".
struct Mapped {
  Mapping mapping;
  std::string file;  // device and inode
};

// The kernel writes a newline in a path as \012; this function reverses that.
std::string unescaped(std::string path) {
  constexpr std::string_view kNewline = "\\012";
  for (std::size_t at = 0; (at = path.find(kNewline, at)) != path.npos; ++at)
    path.replace(at, kNewline.size(), "\n");
  return path;
}

// Returns nullopt for what can't be read.
std::optional<Mapped> parse_maps_line(const std::string& line, pid_t pid) {
  unsigned long long start = 0;
  unsigned long long end = 0;
  unsigned long long offset = 0;
  char readable = '-';
  char executable = '-';
  int file = 0;
  int path = 0;
  if (std::sscanf(line.c_str(), "%llx-%llx %c%*c%c%*c %llx %n%*s %*s %n", &start, &end, &readable,
                  &executable, &offset, &file, &path) < 5 ||
      path < file)
    return std::nullopt;
  const bool is_code = executable == 'x';
  if (!is_code && readable != 'r') return std::nullopt;
  const auto begin = static_cast<std::size_t>(file);
  const auto name_at = static_cast<std::size_t>(path);
  std::string name = unescaped(line.substr(name_at));
  return Mapped{.mapping = {.pid = pid,
                            .tid = pid,
                            .start = start,
                            .length = end - start,
                            .offset = offset,
                            .executable = is_code,
                            .build_id = {},
                            .path = name.empty() ? std::string(kAnonymous) : std::move(name)},
                .file = line.substr(begin, name_at - begin)};
}

// Reads the build IDs of files that are mapped already. (The kernel writes them into its records of
// later mappings.) The path of such a file may lead to another file by now.
class BuildIds {
 public:
  perfdata::BuildId of(const Mapped& mapped) {
    const auto [known, fresh] = ids_.try_emplace(mapped.file);
    if (fresh) known->second = perfdata::build_id_of(read(mapped.mapping));
    return known->second;
  }

 private:
  // Reads the mapping itself (which needs CAP_SYS_ADMIN), or else the path that the process sees.
  static std::vector<std::uint8_t> read(const Mapping& mapping) {
    const std::string process = fmt::format("/proc/{}", mapping.pid);
    auto id = read_build_id(fmt::format("{}/map_files/{:x}-{:x}", process, mapping.start,
                                        mapping.start + mapping.length),
                            "/", Links::all);
    if (!id.empty()) return id;
    if (!mapping.path.ends_with(kDeleted)) return read_build_id(mapping.path, process + "/root");
    std::error_code unknown;
    const bool program =
        std::filesystem::read_symlink(process + "/exe", unknown).native() == mapping.path;
    return program ? read_build_id(process + "/exe", "/", Links::all) : std::vector<std::uint8_t>();
  }

  std::map<std::string, perfdata::BuildId> ids_;  // by device and inode
};

// The devices of a process's file systems that a server or a program answers for, as
// /proc/PID/maps has them ("00:2d"): perhaps it does not answer.
std::set<std::string> remote_devices(pid_t pid) {
  constexpr auto kRemote = std::to_array<std::string_view>(
      {"fuse", "nfs", "cifs", "smb", "9p", "ceph", "afs", "lustre", "gluster", "virtiofs"});
  std::set<std::string> devices;
  std::istringstream mounts(read_file(fmt::format("/proc/{}/mountinfo", pid)).value_or(""));
  for (std::string line; std::getline(mounts, line);) {
    unsigned major = 0;
    unsigned minor = 0;
    const std::size_t type = line.find(" - ");
    if (type == line.npos || std::sscanf(line.c_str(), "%*s %*s %u:%u", &major, &minor) != 2)
      continue;
    const std::string_view name = std::string_view(line).substr(type + 3);
    if (std::ranges::any_of(kRemote, [&](std::string_view each) { return name.starts_with(each); }))
      devices.insert(fmt::format("{:02x}:{:02x}", major, minor));
  }
  return devices;
}

bool is_of_file(const Mapped& mapped) {
  return mapped.mapping.path.starts_with('/') && mapped.mapping.path != kAnonymous;
}

// The readable mappings of a process. A first thread that has ended has none.
std::vector<Mapped> mappings_of(std::span<const PresentThread> threads) {
  constexpr std::size_t kLongest = 64U << 20U;  // bytes of /proc/PID/maps
  std::vector<Mapped> mappings;
  for (const auto& [pid, tid] : threads) {
    std::istringstream maps(
        read_file(fmt::format("/proc/{}/task/{}/maps", pid, tid), kLongest).value_or(""));
    for (std::string line; std::getline(maps, line);)
      if (auto mapped = parse_maps_line(line, pid)) mappings.push_back(std::move(*mapped));
    if (!mappings.empty()) break;
  }
  return mappings;
}

// The threads are of one process. Only files of code on this machine are opened: others may be on a
// file system that does not answer.
Bytes records_of_process(std::span<const PresentThread> threads, bool with_data,
                         const perfdata::Trailer& trailer, BuildIds& ids) {
  Bytes records;
  for (const auto& [pid, tid] : threads)
    if (const char state = thread_state(tid); state == 'R' || is_waiting(state))
      append(records,
             perfdata::encode(perfdata::Command{.pid = pid, .tid = tid, .name = thread_name(tid)},
                              trailer));
  std::vector<Mapped> mappings = mappings_of(threads);
  const std::set<std::string> remote = remote_devices(threads.front().pid);
  std::set<std::string> with_code;  // files
  for (const Mapped& each : mappings)
    if (each.mapping.executable) with_code.insert(each.file);
  for (Mapped& each : mappings) {
    const bool is_code = each.mapping.executable;
    if (!is_code && !(with_data && is_of_file(each) && with_code.contains(each.file))) continue;
    const bool is_remote = remote.contains(each.file.substr(0, each.file.find(' ')));
    if (is_code && is_of_file(each) && !is_remote) each.mapping.build_id = ids.of(each);
    append(records, perfdata::encode(each.mapping, trailer));
  }
  return records;
}

struct Module {
  unsigned long long start = 0;
  unsigned long long length = 0;
  std::string name;
};

// The modules in /proc/modules, whose lines are "name size uses users state address".
std::vector<Module> kernel_modules() {
  constexpr std::size_t kLongest = 4U << 20U;  // bytes of /proc/modules
  std::vector<Module> modules;
  std::istringstream text(read_file("/proc/modules", kLongest).value_or(""));
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    Module module;
    std::string uses;
    std::string users;
    std::string state;
    std::string address;
    words >> module.name >> module.length >> uses >> users >> state >> address;
    module.start = std::strtoull(address.c_str(), nullptr, 16);
    if (module.start != 0) modules.push_back(std::move(module));
  }
  std::ranges::sort(modules, {}, &Module::start);
  return modules;
}

struct Symbol {
  std::string name;
  unsigned long long address = 0;
};

// The first symbol of the kernel's text in /proc/kallsyms: _text, or _stext if the kernel lists
// only functions. The address is 0 if it is hidden. The file is sorted, so its beginning is enough:
// the whole file takes 100 ms to read.
Symbol kernel_text() {
  constexpr std::size_t kEnough = 4096;  // lines
  std::FILE* symbols = std::fopen("/proc/kallsyms", "re");
  if (symbols == nullptr) return {};
  Symbol found;
  std::array<char, 512> line{};
  for (std::size_t i = 0; i < kEnough && found.address == 0; ++i) {
    unsigned long long address = 0;
    std::array<char, 256> name{};
    if (std::fgets(line.data(), line.size(), symbols) == nullptr) break;
    if (std::sscanf(line.data(), "%llx %*c %255s", &address, name.data()) == 2 &&
        (std::string_view(name.data()) == "_text" || std::string_view(name.data()) == "_stext"))
      found = {name.data(), address};
  }
  std::fclose(symbols);
  return found;
}

}  // namespace

Bytes records_of_threads(std::span<const PresentThread> threads, bool with_data,
                         const perfdata::Trailer& trailer) {
  BuildIds ids;
  Bytes records;
  while (!threads.empty()) {
    const auto next = std::ranges::find_if(
        threads, [&](const PresentThread& each) { return each.pid != threads.front().pid; });
    const auto of_process = threads.first(static_cast<std::size_t>(next - threads.begin()));
    append(records, records_of_process(of_process, with_data, trailer, ids));
    threads = threads.subspan(of_process.size());
  }
  return records;
}

Bytes records_of_kernel(const perfdata::Trailer& trailer) {
  const auto [name, text] = kernel_text();
  if (text == 0) return {};
  const std::vector<Module> modules = kernel_modules();
  // The kernel ends at the first module after it, or at the last page: its addresses are error
  // codes.
  const auto next = std::ranges::upper_bound(modules, text, {}, &Module::start);
  const auto end =
      next == modules.end() ? std::numeric_limits<unsigned long long>::max() - 4095 : next->start;
  Bytes records =
      perfdata::encode(Mapping{.start = text,
                               .length = end - text,
                               .offset = text,
                               .mode = Mode::kernel,
                               .build_id = {},
                               .path = fmt::format("{}{}", perfdata::kKernelPath, name)},
                       trailer);
  for (const Module& module : modules)
    append(records, perfdata::encode(Mapping{.start = module.start,
                                             .length = module.length,
                                             .mode = Mode::kernel,
                                             .build_id = {},
                                             .path = "[" + module.name + "]"},
                                     trailer));
  return records;
}

}  // namespace tacho
