// Where the threads of running programs wait when a recording begins. The kernel's records only
// tell of waits that begin later, but a program that hangs has begun its wait long before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "perfdata/inventory.hpp"
#include "record/present_threads.hpp"

namespace tacho {

// The addresses of the kernel's functions, by name. Empty if the kernel hides them from this user.
using KernelAddresses = std::unordered_map<std::string, std::uint64_t>;
// Reads /proc/kallsyms, which takes 100 ms.
KernelAddresses kernel_addresses();

// Returns a sample of `event` for each of these threads that waits. /proc has the functions of the
// kernel, the instruction and stack pointers, and the stack. So no thread is disturbed, and other
// registers are not known. A sample without a call chain says that the thread runs or is ready. A
// sample has the time at which all this had been read: it is void if the thread has been switched
// before, since the recording began. Leaves out what has ended, and what this user may not read.
// `stack_bytes`: the most of each stack.
std::vector<std::byte> samples_of_threads(std::span<const PresentThread> threads,
                                          std::uint32_t stack_bytes,
                                          const perfdata::WrittenEvent& event,
                                          const KernelAddresses& addresses,
                                          const std::function<std::uint64_t()>& now);

// The same for threads that are known to run or to be ready at this time.
std::vector<std::byte> samples_of_runnable(std::span<const PresentThread> threads,
                                           std::uint64_t time_ns,
                                           const perfdata::WrittenEvent& event);

}  // namespace tacho
