// What a made-up machine shows of itself: the files of its PMUs and of its kernel, mounted in a
// mount namespace that the command alone has.
#pragma once

#include "base/result.hpp"
#include "machine.hpp"

namespace made_up {

// Gives the calling process, which has one thread, a mount namespace with the machine's files.
// Without privileges it enters a user namespace. Nothing is left behind when the process ends.
tacho::Result<void> set_the_stage(const Machine& machine);

// Keeps the calling process to the machine's CPUs.
tacho::Result<void> keep_to_cpus(const Machine& machine);

}  // namespace made_up
