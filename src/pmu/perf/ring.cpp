#include "pmu/perf/ring.hpp"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cerrno>

namespace tacho {
namespace {

perf_event_mmap_page& control(void* page) {
  return *static_cast<perf_event_mmap_page*>(page);
}

// The kernel's positions have the size of its words. On 32-bit machines the upper half of the 64
// bits is 0, and the processor may have no atomic access to 64 bits.
using Word [[gnu::may_alias]] = unsigned long;
static_assert(sizeof(Word) == sizeof(__u64) || std::endian::native == std::endian::little);

Word* word(__u64& position) {
  return reinterpret_cast<Word*>(&position);  // NOLINT: the lower half
}

}  // namespace

void Ring::Unmap::operator()(void* page) const {
  ::munmap(page, size);
}

Result<Ring> Ring::map(int fd, std::size_t bytes) {
  const auto page_size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  int code = 0;
  for (std::size_t size = bytes; size >= page_size; size /= 2) {
    void* page = ::mmap(nullptr, page_size + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED) return Ring(page, page_size, size);
    code = errno;
    if (code != EPERM && code != ENOMEM) break;  // a smaller size would not help
  }
  return os_failure("cannot map a buffer for samples", code,
                    code == EPERM ? "end other recordings, or raise the sysctl "
                                    "kernel.perf_event_mlock_kb"
                                  : "");
}

std::span<const std::byte> Ring::records() {
  const unsigned long head =
      __atomic_load_n(word(control(page_.get()).data_head), __ATOMIC_ACQUIRE);
  const std::span<const std::byte> data(static_cast<std::byte*>(page_.get()) + page_size_, size_);
  const unsigned long begin = taken_;
  seen_ = head;
  const auto length = static_cast<std::size_t>(head - begin);
  const auto at = static_cast<std::size_t>(begin % size_);
  if (at + length <= size_) return data.subspan(at, length);
  straight_.assign(data.begin() + static_cast<std::ptrdiff_t>(at), data.end());
  straight_.insert(straight_.end(), data.begin(),
                   data.begin() + static_cast<std::ptrdiff_t>(length - (size_ - at)));
  return straight_;
}

void Ring::release() {
  taken_ = seen_;
  __atomic_store_n(word(control(page_.get()).data_tail), taken_, __ATOMIC_RELEASE);
}

}  // namespace tacho
