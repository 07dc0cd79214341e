#include "profile/stripped_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace tacho {
namespace {

constexpr double kLeastStripped = 0.01;         // share of the samples
constexpr std::size_t kStrippedFilesNamed = 3;  // the rest is counted

struct StrippedFile {
  std::uint32_t module = 0;
  std::uint64_t samples = 0;  // in functions without a name
};

// Whether the file of a module is there and was stripped.
bool was_stripped(Resolver& resolver, std::uint32_t module) {
  symbols::Binary* binary = resolver.binary_of(module);
  return binary != nullptr && binary->is_stripped();
}

std::vector<StrippedFile> stripped_files(const Profile& profile, Resolver& resolver,
                                         std::size_t event) {
  std::vector<StrippedFile> files(profile.modules().size());
  std::vector<std::optional<bool>> stripped(files.size());  // nullopt: no sample so far
  for (std::size_t cell = 0; cell < profile.cells().size(); ++cell) {
    const std::uint64_t samples = profile.count(event, cell).samples;
    if (samples == 0) continue;
    const CodePlace& place = profile.cells()[cell];
    std::optional<bool>& of_module = stripped[place.module];
    if (!of_module) of_module = was_stripped(resolver, place.module);
    files[place.module].module = place.module;
    if (*of_module && !resolver.function(resolver.function_of(place)).known())
      files[place.module].samples += samples;
  }
  const auto least = kLeastStripped * static_cast<double>(profile.total(event).samples);
  std::erase_if(files, [&](const StrippedFile& each) {
    return each.samples == 0 || static_cast<double>(each.samples) < least;
  });
  std::ranges::stable_sort(files, std::ranges::greater(), &StrippedFile::samples);
  return files;
}

}  // namespace

std::vector<std::string> stripped_file_warnings(const Profile& profile, Resolver& resolver,
                                                std::size_t event) {
  std::vector<std::string> warnings;
  const std::vector<StrippedFile> files = stripped_files(profile, resolver, event);
  const std::size_t named =
      files.size() <= kStrippedFilesNamed + 1 ? files.size() : kStrippedFilesNamed;
  for (const StrippedFile& each : std::span(files).first(named))
    warnings.push_back(fmt::format("functions of {} have no names, because it was stripped",
                                   profile.modules()[each.module].path));
  if (named < files.size())
    warnings.push_back(fmt::format("{} more files were stripped, too", files.size() - named));
  if (!warnings.empty())
    warnings.back() +=
        "; install its debug symbols (Debian: the package's -dbgsym), or download them with "
        "--debuginfod";
  return warnings;
}

}  // namespace tacho
