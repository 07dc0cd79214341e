// NoCancel: pthread_cancel() waits while the library works. Its functions are noexcept, and a
// cancellation inside of them would end the program.
#pragma once

#include <pthread.h>

namespace tacho::caliper {

class NoCancel {
 public:
  NoCancel() noexcept { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NoCancel() { ::pthread_setcancelstate(before_, nullptr); }
  NoCancel(const NoCancel&) = delete;
  NoCancel& operator=(const NoCancel&) = delete;

 private:
  int before_ = 0;
};

}  // namespace tacho::caliper
