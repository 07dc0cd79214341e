// The running kernel, as far as it must be the one that was recorded.
#pragma once

#include <string>

namespace tacho::symbols {

// In hex, from /sys/kernel/notes; empty when the kernel does not tell it.
std::string running_kernel_build_id();
std::string running_kernel_release();  // as uname -r
std::string host_name();

}  // namespace tacho::symbols
