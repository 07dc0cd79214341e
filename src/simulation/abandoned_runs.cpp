#include "simulation/abandoned_runs.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace tacho {
namespace {

constexpr const char* kMark = "running";
constexpr const char* kUnlockedMark = "running.new";
constexpr std::size_t kMostFiles = 100'000;  // of a run: a log for each process

// Names of the files that tacho and its simulator make: see RunDirectory.
bool is_of_simulation(std::string_view name) {
  constexpr std::array kNames = {"model", "records", "records.limited", "sampling", "running.new"};
  return name.starts_with("log.") || std::ranges::find(kNames, name) != kNames.end();
}

bool may_be_run(std::string_view name) {
  const std::string_view pattern = kRunDirectoryName;
  return name.size() == pattern.size() && name.starts_with(pattern.substr(0, pattern.find('X')));
}

using Listing = std::unique_ptr<DIR, decltype([](DIR* each) { ::closedir(each); })>;

Listing list(int directory) {
  const int own = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  Listing listing(own >= 0 ? ::fdopendir(own) : nullptr);
  if (!listing && own >= 0) ::close(own);
  return listing;
}

// The names in a directory, without its mark; nothing if there is a name that is not a
// simulation's.
std::optional<std::vector<std::string>> files_of_run(int directory) {
  std::vector<std::string> names;
  const Listing listing = list(directory);
  if (!listing) return std::nullopt;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || name == kMark) continue;
    if (!is_of_simulation(name) || names.size() == kMostFiles) return std::nullopt;
    names.emplace_back(name);
  }
  return names;
}

// Removes one directory if its run goes on no more. Nobody else can have put anything there,
// because only this user may enter it; it is opened once, so it cannot be exchanged meanwhile.
void remove_if_abandoned(int parent, const char* name) {
  const Fd directory(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status{};
  constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
  if (!directory || ::fstat(directory.get(), &status) != 0 || status.st_uid != ::geteuid() ||
      (status.st_mode & kOthers) != 0)
    return;
  const Fd mark(::openat(directory.get(), kMark, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!mark || ::flock(mark.get(), LOCK_EX | LOCK_NB) != 0) return;  // its run goes on
  const auto files = files_of_run(directory.get());
  if (!files) return;
  for (const std::string& file : *files) ::unlinkat(directory.get(), file.c_str(), 0);
  ::unlinkat(directory.get(), kMark, 0);  // the last one: if tacho is killed now, another goes on
  ::unlinkat(parent, name, AT_REMOVEDIR);
}

}  // namespace

Result<Fd> mark_run(const std::string& directory) {
  const std::string unlocked = fmt::format("{}/{}", directory, kUnlockedMark);
  Fd mark(::open(unlocked.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!mark) return os_failure(fmt::format("cannot make '{}'", unlocked), errno);
  // It gets its name when it is locked, so it is never seen without its lock. A file system that
  // has no locks has no mark, and nothing is swept there.
  if (::flock(mark.get(), LOCK_EX | LOCK_NB) == 0)
    (void)::rename(unlocked.c_str(), fmt::format("{}/{}", directory, kMark).c_str());
  return mark;
}

void remove_abandoned_runs(const std::filesystem::path& parent) {
  const Fd opened(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return;
  std::vector<std::string> names;
  if (const Listing listing = list(opened.get()))
    while (const dirent* entry = ::readdir(listing.get()))
      if (may_be_run(entry->d_name)) names.emplace_back(entry->d_name);
  for (const std::string& name : names) remove_if_abandoned(opened.get(), name.c_str());
}

}  // namespace tacho
