#include "symbols/debug_file.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "base/fd.hpp"

namespace tacho::symbols {
namespace {

namespace fs = std::filesystem;

std::optional<ElfFile> of_build(const std::string& path, const std::string& build_id) {
  auto file = ElfFile::open(path);
  if (!file || !same_build_id(file->build_id(), build_id)) return std::nullopt;
  return std::move(*file);
}

// CRC-32 as .gnu_debuglink has it: the one of ISO 3309 and gzip.
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

std::optional<ElfFile> by_link(const ElfFile& of, const DebugPlaces& places) {
  const auto link = of.debug_link();
  if (!link || link->name.empty() || link->name.contains('/')) return std::nullopt;
  std::error_code ignored;
  const fs::path folder = fs::weakly_canonical(of.path(), ignored).parent_path();
  std::vector<fs::path> candidates{folder / link->name, folder / ".debug" / link->name};
  for (const std::string& directory : places.directories)
    candidates.push_back(fs::path(directory) / folder.relative_path() / link->name);
  for (const fs::path& path : candidates) {
    auto file = ElfFile::open(path.string());
    if (!file || fs::equivalent(path, of.path(), ignored)) continue;
    const bool same = of.build_id().empty() || file->build_id().empty()
                          ? crc32(file->all()) == link->crc
                          : same_build_id(file->build_id(), of.build_id());
    if (same) return std::move(*file);
  }
  return std::nullopt;
}

// What `debuginfod-find debuginfo ID` prints: the path in its cache. It asks the servers that
// $DEBUGINFOD_URLS names.
std::optional<std::string> downloaded(std::string build_id) {
  int ends[2];
  if (::pipe(ends) != 0) return std::nullopt;
  const Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_addclose(&actions, read_end.get());
  std::string program = "debuginfod-find";
  std::string what = "debuginfo";
  std::array<char*, 4> words{program.data(), what.data(), build_id.data(), nullptr};
  pid_t child = -1;
  const int failed =
      ::posix_spawnp(&child, program.c_str(), &actions, nullptr, words.data(), ::environ);
  ::posix_spawn_file_actions_destroy(&actions);
  write_end.reset();
  if (failed != 0) return std::nullopt;
  std::string path;
  std::array<char, 4096> buffer;
  for (ssize_t got = 0; (got = ::read(read_end.get(), buffer.data(), buffer.size())) > 0;)
    path.append(buffer.data(), static_cast<std::size_t>(got));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  while (path.ends_with('\n')) path.pop_back();
  if (status != 0 || path.empty()) return std::nullopt;
  return path;
}

}  // namespace

std::optional<ElfFile> find_debug_file(const ElfFile& of, const DebugPlaces& places) {
  const std::string& id = of.build_id();
  if (id.size() > 2)
    for (const std::string& directory : places.directories)
      if (auto file = of_build(
              directory + "/.build-id/" + id.substr(0, 2) + '/' + id.substr(2) + ".debug", id))
        return file;
  if (auto file = by_link(of, places)) return file;
  if (places.debuginfod && !id.empty())
    if (const auto path = downloaded(id)) return of_build(*path, id);
  return std::nullopt;
}

}  // namespace tacho::symbols
