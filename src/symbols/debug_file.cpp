#include "symbols/debug_file.hpp"

#include <array>
#include <cerrno>
#include <filesystem>

namespace tacho::symbols {
namespace {

namespace fs = std::filesystem;

std::string_view without_zeros(std::string_view id) {
  while (id.ends_with("00")) id.remove_suffix(2);
  return id;
}

std::optional<ElfFile> open_if_there(const std::string& path, std::string& refused) {
  auto file = ElfFile::open(path);
  if (file) return std::move(*file);
  const int code = file.error().code;
  if (code != ENOENT && code != ENOTDIR) refused = file.error().what;
  return std::nullopt;
}

std::optional<ElfFile> open_of_build(const std::string& path, const std::string& build_id,
                                     std::string& refused) {
  auto file = open_if_there(path, refused);
  if (!file || !same_build_id(file->build_id(), build_id)) return std::nullopt;
  return file;
}

// CRC-32 as in .gnu_debuglink, which is that of ISO 3309 and gzip.
std::uint32_t crc32(std::span<const std::byte> bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < made.size(); ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? 0xedb88320U : 0U);
      made[i] = value;
    }
    return made;
  }();
  std::uint32_t crc = ~0U;
  for (const std::byte byte : bytes)
    crc = crc >> 8 ^ table[(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xff];
  return ~crc;
}

constexpr std::uint64_t kMostHoles = 64 << 20;  // bytes: the CRC of terabytes of zeros takes hours

std::optional<ElfFile> find_by_link(const ElfFile& of, const DebugPlaces& places,
                                    std::string& refused) {
  const auto link = of.debug_link();
  if (!link || link->name.empty() || link->name.contains('/')) return std::nullopt;
  std::error_code ignored;
  const fs::path folder = fs::weakly_canonical(of.path(), ignored).parent_path();
  std::vector<fs::path> candidates{folder / link->name, folder / ".debug" / link->name};
  for (const std::string& directory : places.directories)
    candidates.push_back(fs::path(directory) / folder.relative_path() / link->name);
  for (const fs::path& path : candidates) {
    auto file = open_if_there(path.string(), refused);
    if (!file || fs::equivalent(path, of.path(), ignored)) continue;
    const bool same = of.build_id().empty() || file->build_id().empty()
                          ? file->holes() < kMostHoles && crc32(file->all()) == link->crc
                          : same_build_id(file->build_id(), of.build_id());
    if (same) return file;
  }
  return std::nullopt;
}

}  // namespace

bool same_build_id(std::string_view a, std::string_view b) {
  return !a.empty() && without_zeros(a) == without_zeros(b);
}

std::optional<ElfFile> find_debug_file(const ElfFile& of, const DebugPlaces& places,
                                       std::string& refused) {
  const std::string& id = of.build_id();
  if (id.size() > 2)
    for (const std::string& directory : places.directories)
      if (auto file = open_of_build(
              directory + "/.build-id/" + id.substr(0, 2) + '/' + id.substr(2) + ".debug", id,
              refused))
        return file;
  if (auto file = find_by_link(of, places, refused)) return file;
  if (places.download && !id.empty())
    if (const auto path = places.download(id)) return open_of_build(*path, id, refused);
  return std::nullopt;
}

}  // namespace tacho::symbols
