#include "locate/named_recordings.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace tacho {
namespace {

Result<void> check_distinct(std::string_view option, const std::vector<std::string>& files) {
  std::set<std::pair<dev_t, ino_t>> seen;
  for (const std::string& file : files) {
    struct stat status{};
    if (::stat(file == "-" ? "/dev/stdin" : file.c_str(), &status) != 0) continue;
    if (!seen.emplace(status.st_dev, status.st_ino).second)
      return failure(fmt::format("{} has the recording '{}' twice", option, file),
                     "give each recording once: it is one run of the program");
  }
  return {};
}

}  // namespace

Result<void> keep_recording(const std::string& input, const std::string& output) {
  std::error_code none;
  const std::string read = input == "-" ? "/dev/stdin" : input;
  if (output.empty() || !std::filesystem::equivalent(read, output, none)) return {};
  return failure(fmt::format("'{}' is the recording that is read: it would be overwritten", output),
                 "write into another file");
}

Result<void> check_recordings(const std::vector<std::string>& files,
                              const std::vector<std::string>& compare, const std::string& output) {
  for (const auto& [option, named] : {std::pair("-i", &files), std::pair("--compare", &compare)}) {
    for (const std::string& file : *named) {
      if (file.starts_with("--"))
        return failure(fmt::format("{} needs a recording, and '{}' follows it", option, file),
                       fmt::format("give a file; './{}' is a file of this name", file));
      TACHO_TRY(keep_recording(file, output));
    }
    TACHO_TRY(check_distinct(option, *named));
  }
  if (std::ranges::count(files, "-") + std::ranges::count(compare, "-") > 1)
    return failure("standard input cannot be two recordings", "give one of them as a file");
  return {};
}

}  // namespace tacho
