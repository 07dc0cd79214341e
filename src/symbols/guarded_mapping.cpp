#include "symbols/guarded_mapping.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <set>

namespace tacho::symbols {

// Entries are never removed from the list, because the handler may be walking it. Those whose
// mapping has ended are used again, unless there is a warning about it.
struct GuardedMapping::Entry {
  std::atomic<std::uintptr_t> start = 0, end = 0;  // both 0: no mapping
  std::atomic<bool> has_zeros = false;             // instead of what the file had
  Entry* next = nullptr;
  Entry* next_free = nullptr;
  bool changed = false;  // known when the mapping has ended
  std::string path;
  struct stat before{};
};

namespace {

using Entry = GuardedMapping::Entry;

std::atomic<Entry*> entries = nullptr;
Entry* free_entries = nullptr;
std::mutex entries_change;
struct sigaction before_tacho{};
std::uintptr_t page_size = 0;

// What a handler may call is used here alone. mmap(2) is a system call without a lock.
void put_zeros(int number, siginfo_t* info, void* /*context*/) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Entry* entry = entries.load(); info->si_code > 0 && entry != nullptr; entry = entry->next) {
    const std::uintptr_t end = entry->end.load();
    if (at < entry->start.load() || at >= end) continue;
    const std::uintptr_t page = at / page_size * page_size;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives the address
    void* const zeros = ::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (zeros == MAP_FAILED) break;
    entry->has_zeros = true;
    return;
  }
  // Not of a mapping here. A fault comes again when this returns; a sent signal is sent again.
  ::sigaction(number, &before_tacho, nullptr);
  if (info->si_code <= 0) ::raise(number);
}

void install_handler() {
  static const bool installed = [] {
    page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action{};
    action.sa_sigaction = put_zeros;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    return ::sigaction(SIGBUS, &action, &before_tacho) == 0;
  }();
  static_cast<void>(installed);
}

Entry* free_entry() {
  if (free_entries != nullptr) return std::exchange(free_entries, free_entries->next_free);
  auto* made = new Entry();
  made->next = entries.load();
  entries = made;
  return made;
}

// Whether the file was written to since it was mapped. Another file at its path is no change: the
// mapping still has the old one.
bool is_rewritten(const Entry& entry) {
  const struct stat& before = entry.before;
  struct stat now{};
  return ::stat(entry.path.c_str(), &now) == 0 && now.st_dev == before.st_dev &&
         now.st_ino == before.st_ino &&
         (now.st_size != before.st_size || now.st_mtim.tv_sec != before.st_mtim.tv_sec ||
          now.st_mtim.tv_nsec != before.st_mtim.tv_nsec);
}

bool is_changed(const Entry& entry) {
  return entry.changed || entry.has_zeros.load() || (entry.end.load() != 0 && is_rewritten(entry));
}

}  // namespace

GuardedMapping::GuardedMapping(const void* start, std::size_t size, int descriptor,
                               std::string path) {
  struct stat status{};
  if (start == nullptr || ::fstat(descriptor, &status) != 0) return;
  install_handler();
  const std::lock_guard lock(entries_change);
  entry_ = free_entry();
  entry_->path = std::move(path);
  entry_->before = status;
  entry_->start = reinterpret_cast<std::uintptr_t>(start);
  entry_->end = (entry_->start + size + page_size - 1) / page_size * page_size;
}

GuardedMapping::~GuardedMapping() {
  if (entry_ == nullptr) return;
  const std::lock_guard lock(entries_change);
  entry_->changed = is_changed(*entry_);
  entry_->start = entry_->end = 0;
  if (entry_->changed) return;
  entry_->next_free = free_entries;
  free_entries = entry_;
}

std::vector<std::string> warnings_of_changed_files() {
  const std::lock_guard lock(entries_change);
  std::set<std::string> warnings;
  for (const Entry* entry = entries.load(); entry != nullptr; entry = entry->next)
    if (is_changed(*entry))
      warnings.insert(fmt::format(
          "'{}' was cut off or changed while it was read: names, lines and instructions of it may "
          "be missing or wrong. Run the command again",
          entry->path));
  return {warnings.begin(), warnings.end()};
}

}  // namespace tacho::symbols
