// Identifies the running kernel and its host, to compare them with those of a recording.
#pragma once

#include <string>

namespace tacho::symbols {

// The build ID in hex, from /sys/kernel/notes; empty if that has none.
std::string running_kernel_build_id();
std::string running_kernel_release();  // as uname -r prints it
std::string host_name();

}  // namespace tacho::symbols
