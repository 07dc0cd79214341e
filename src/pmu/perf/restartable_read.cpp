#include "pmu/perf/restartable_read.hpp"

#include <linux/rseq.h>

#include <cstddef>

#include "pmu/perf/user_page.hpp"

// Of glibc: the offset of the thread's struct rseq from the thread pointer, and the size that glibc
// has registered, which is 0 if the kernel refused. Older and other C libraries have neither.
extern "C" {
[[gnu::weak]] extern const std::ptrdiff_t __rseq_offset;  // NOLINT
[[gnu::weak]] extern const unsigned int __rseq_size;      // NOLINT
}

namespace tacho {

volatile std::uint64_t* restartable_sequence() {
#if (defined(__x86_64__) && defined(__LP64__)) || defined(__aarch64__)
  if (&__rseq_offset == nullptr || &__rseq_size == nullptr || __rseq_size == 0) return nullptr;
  auto* const area = static_cast<std::byte*>(__builtin_thread_pointer()) + __rseq_offset;
  const auto cpu = *reinterpret_cast<volatile std::int32_t*>(area + offsetof(struct rseq, cpu_id));
  if (cpu < 0) return nullptr;  // not registered for this thread
  return reinterpret_cast<volatile std::uint64_t*>(area + offsetof(struct rseq, rseq_cs));
#else
  return nullptr;
#endif
}

// The descriptor of the sequence from label 5 to label 6 (struct rseq_cs): version, flags, start,
// length, and where an interrupted thread goes on. The kernel checks the signature before that
// place, which is the one that glibc registers.
#define TACHO_SEQUENCE                 \
  ".pushsection __rseq_cs, \"aw\"\n\t" \
  ".balign 32\n"                       \
  "4:\n\t"                             \
  ".long 0, 0\n\t"                     \
  ".quad 5f, 6f - 5f, 7f\n\t"          \
  ".popsection\n\t"

// The sequence must begin right behind the store that announces it. It is withdrawn at the end,
// because its descriptor is gone if the library is unloaded.
bool read_register_here([[maybe_unused]] const perf_event_mmap_page& page,
                        [[maybe_unused]] std::uint32_t index, [[maybe_unused]] std::uint64_t& value,
                        [[maybe_unused]] volatile std::uint64_t* announced) {
#if defined(__x86_64__) && defined(__LP64__)
  if (is_no_counter(index)) return false;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm goto(TACHO_SEQUENCE
           "leaq 4b(%%rip), %%rax\n\t"
           "movq %%rax, %[announced]\n"
           "5:\n\t"
           "cmpl %[index], %[now]\n\t"
           "jne %l[none]\n\t"
           "rdpmc\n"
           "6:\n\t"
           ".pushsection .text.tacho_interrupted, \"ax\"\n\t"
           ".byte 0x0f, 0xb9, 0x3d\n\t"
           ".long 0x53053053\n"
           "7:\n\t"
           "jmp %l[none]\n\t"
           ".popsection"
           : "=&a"(low), "=&d"(high), [announced] "=m"(*announced)
           : "c"(index - 1), [index] "r"(index), [now] "m"(page.index)
           : "cc", "memory"
           : none);
  *announced = 0;
  value = std::uint64_t{high} << 32U | low;
  return true;
none:
  *announced = 0;
  return false;
#elif defined(__aarch64__)
  const std::uint64_t entry = index % 64;
  std::uint64_t address = 0;
  asm goto(TACHO_SEQUENCE
           "adrp %[address], 4b\n\t"
           "add %[address], %[address], :lo12:4b\n\t"
           "str %[address], %[announced]\n"
           "5:\n\t"
           "ldr %w[address], %[now]\n\t"
           "cmp %w[address], %w[index]\n\t"
           "b.ne %l[none]\n\t" TACHO_READ_BY_TABLE
           "\n"
           "6:\n\t"
           "b 8f\n\t"
           ".inst 0xd428bc00\n"
           "7:\n\t"
           "hint #36\n\t"  // the kernel may have interrupted a jump, which BTI would check
           "b %l[none]\n"
           "8:"
           : [value] "=&r"(value), [address] "=&r"(address), [announced] "=Q"(*announced)
           : [entry] "r"(entry), [index] "r"(index), [now] "Q"(page.index)
           : "cc", "memory"
           : none);
  *announced = 0;
  return true;
none:
  *announced = 0;
  return false;
#else
  return false;
#endif
}

#undef TACHO_SEQUENCE

}  // namespace tacho
