// The priority of a thread that must not wait long for a CPU.
#pragma once

namespace tacho {

// While this exists, the calling thread gets a CPU before others, where that is permitted (root,
// CAP_SYS_NICE). Made after a command was forked, which would inherit it. To be destroyed by the
// same thread.
class FirstOnCpu {
 public:
  FirstOnCpu();
  ~FirstOnCpu();
  FirstOnCpu(const FirstOnCpu&) = delete;
  FirstOnCpu& operator=(const FirstOnCpu&) = delete;

 private:
  int before_ = 0;  // nice value
};

}  // namespace tacho
