#include "sampling/present.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <sstream>
#include <string>

#include "base/file.hpp"
#include "pmu/targets.hpp"

namespace tacho {
namespace {

using perfdata::Mapping;
using perfdata::Mode;
using Bytes = std::vector<std::byte>;

void append(Bytes& all, const Bytes& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// The entries of /proc that are numbers.
std::vector<pid_t> processes() {
  std::vector<pid_t> numbers;
  std::error_code error;
  for (std::filesystem::directory_iterator entries("/proc", error), end; !error && entries != end;
       entries.increment(error)) {
    const std::string name = entries->path().filename();
    pid_t number = 0;
    const auto [rest, wrong] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (wrong == std::errc() && rest == name.data() + name.size()) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

// A line of /proc/PID/maps: "start-end perms offset device inode path".
std::optional<Mapping> mapping_of(const std::string& line, pid_t pid) {
  unsigned long long start = 0;
  unsigned long long end = 0;
  unsigned long long offset = 0;
  char executable = '-';
  int path = 0;
  if (std::sscanf(line.c_str(), "%llx-%llx %*c%*c%c%*c %llx %*s %*s %n", &start, &end, &executable,
                  &offset, &path) < 4 ||
      executable != 'x')
    return std::nullopt;
  std::string name = path > 0 ? line.substr(static_cast<std::size_t>(path)) : std::string();
  return Mapping{.pid = pid,
                 .tid = pid,
                 .start = start,
                 .length = end - start,
                 .offset = offset,
                 .build_id = {},
                 .path = name.empty() ? "//anon" : std::move(name)};
}

Bytes of_process(pid_t pid, const perfdata::Trailer& trailer) {
  constexpr std::size_t kLongest = 64U << 20U;
  const std::string folder = fmt::format("/proc/{}", pid);
  Bytes records;
  for (const pid_t tid : threads_of(pid).value_or(std::vector<pid_t>()))
    append(records,
           perfdata::encode(
               perfdata::Command{.pid = pid,
                                 .tid = tid,
                                 .name = first_line(fmt::format("{}/task/{}/comm", folder, tid))},
               trailer));
  std::istringstream maps(read_file(folder + "/maps", kLongest).value_or(""));
  for (std::string line; std::getline(maps, line);)
    if (const auto mapping = mapping_of(line, pid))
      append(records, perfdata::encode(*mapping, trailer));
  return records;
}

struct Module {
  unsigned long long start = 0;
  unsigned long long length = 0;
  std::string name;
};

// Lines of /proc/modules: "name size uses users state address".
std::vector<Module> kernel_modules() {
  constexpr std::size_t kLongest = 4U << 20U;
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

// Where /proc/kallsyms, which is sorted, has the kernel's text begin; 0 where that is hidden. The
// whole of it takes the kernel 100 ms to write: the beginning does.
unsigned long long kernel_text() {
  constexpr std::size_t kEnough = 4096;  // lines
  std::FILE* symbols = std::fopen("/proc/kallsyms", "re");
  if (symbols == nullptr) return 0;
  unsigned long long found = 0;
  std::array<char, 512> line{};
  for (std::size_t i = 0; i < kEnough && found == 0; ++i) {
    unsigned long long address = 0;
    std::array<char, 256> name{};
    if (std::fgets(line.data(), line.size(), symbols) == nullptr) break;
    if (std::sscanf(line.data(), "%llx %*c %255s", &address, name.data()) == 2 &&
        (std::string_view(name.data()) == "_text" || std::string_view(name.data()) == "_stext"))
      found = address;
  }
  std::fclose(symbols);
  return found;
}

}  // namespace

Bytes present_processes(std::optional<pid_t> pid, const perfdata::Trailer& trailer) {
  if (pid) return of_process(*pid, trailer);
  Bytes records;
  for (const pid_t each : processes()) append(records, of_process(each, trailer));
  return records;
}

Bytes present_kernel(const perfdata::Trailer& trailer) {
  const unsigned long long text = kernel_text();
  if (text == 0) return {};
  const std::vector<Module> modules = kernel_modules();
  const auto behind = std::ranges::upper_bound(modules, text, {}, &Module::start);
  // The last page's addresses are errors, not places.
  const auto end = behind == modules.end() ? std::numeric_limits<unsigned long long>::max() - 4095
                                           : behind->start;
  Bytes records = perfdata::encode(Mapping{.start = text,
                                           .length = end - text,
                                           .offset = text,
                                           .mode = Mode::kernel,
                                           .build_id = {},
                                           .path = "[kernel.kallsyms]_text"},
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
