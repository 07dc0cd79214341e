// Files that are mapped into memory, and that another program may shorten or rewrite meanwhile. The
// kernel answers a read behind the new end with SIGBUS (mmap(2)), which would end tacho. A handler
// puts zeros there instead, so that what was read so far can be shown, with a warning.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tacho::symbols {

class GuardedMapping {
 public:
  GuardedMapping() = default;
  // The mapping of the file that is open as `descriptor`, from `start` on. `path` is for the
  // warning. The mapping must exist as long as this object.
  GuardedMapping(const void* start, std::size_t size, int descriptor, std::string path);
  GuardedMapping(GuardedMapping&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
  GuardedMapping& operator=(GuardedMapping&& other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }
  ~GuardedMapping();

  struct Entry;

 private:
  Entry* entry_ = nullptr;  // one of a list that the handler walks
};

// One line for each file that changed while it was mapped by this process, or could not be read to
// its end.
std::vector<std::string> warnings_of_changed_files();

}  // namespace tacho::symbols
