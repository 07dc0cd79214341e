// The Thread of the calling thread, and its destructor.
#include "caliper/thread.hpp"

namespace tacho::caliper {

constinit Thread no_thread;
constinit thread_local Thread* this_thread = &no_thread;

Thread::~Thread() {
  delete[] records;
}

}  // namespace tacho::caliper
