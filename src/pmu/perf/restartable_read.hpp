// Reads a counter's register where cores are unequal. If the kernel moves the thread to a core of
// another PMU between the reading of the page's index and that of the register, the register may
// not exist there, and the program would get a signal. So both are one restartable sequence
// (rseq(2)): if the kernel interrupts the thread in between, the thread goes on behind the
// sequence.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>

namespace tacho {

// The place where the calling thread announces a restartable sequence to the kernel. Null if there
// is none: the C library is not glibc 2.35 or later, the kernel is older than Linux 4.18, or tacho
// has no sequence for this architecture. It has one for x86-64 and arm64, the only ones whose
// kernel opens registers of unequal cores.
volatile std::uint64_t* restartable_sequence();

// Reads the register of the page's event, if the page still has this index. Returns false without
// reading if it does not, if the index has no register, or if the kernel interrupted the sequence.
// `announced` is the calling thread's restartable_sequence().
bool read_register_here(const perf_event_mmap_page& page, std::uint32_t index, std::uint64_t& value,
                        volatile std::uint64_t* announced);

}  // namespace tacho
