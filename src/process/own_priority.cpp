#include "process/own_priority.hpp"

#include <sys/resource.h>
#include <unistd.h>

namespace tacho {
namespace {

// Linux has a nice value for each thread, which setpriority(2) finds by its number.
void set_nice(int value) {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), value);
}

}  // namespace

FirstOnCpu::FirstOnCpu() : before_(::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()))) {
  constexpr int kFirst = -20;
  set_nice(kFirst);
}

FirstOnCpu::~FirstOnCpu() {
  set_nice(before_);
}

}  // namespace tacho
