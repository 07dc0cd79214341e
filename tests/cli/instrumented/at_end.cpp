// Regions wherever code runs while a process ends: at_end return | exit | quick_exit | thread
#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <tacho/caliper.hpp>
#include <thread>

namespace {

struct Global {
  Global() { TACHO_REGION("global constructor"); }
  ~Global() { TACHO_REGION("global destructor"); }
};
Global global;

struct OfThread {
  ~OfThread() { TACHO_REGION("thread_local destructor"); }
};
thread_local OfThread of_thread;

void use_of_thread() {
  OfThread* volatile used = &of_thread;
  (void)used;
}

void in_handler() {
  TACHO_REGION("handler");
}

char key_value;
void in_key_destructor(void*) {
  TACHO_REGION("key destructor");
}

void thread_with_key() {
  pthread_key_t key;
  if (pthread_key_create(&key, in_key_destructor) != 0) std::abort();
  std::thread([key] {
    pthread_setspecific(key, &key_value);
    use_of_thread();
    TACHO_REGION("in thread");
  }).join();
}

}  // namespace

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "return";
  std::atexit(in_handler);
  std::at_quick_exit(in_handler);
  if (std::strcmp(how, "thread") == 0)
    thread_with_key();
  else
    use_of_thread();
  {
    TACHO_REGION("main");
  }
  if (std::strcmp(how, "exit") == 0) std::exit(0);
  if (std::strcmp(how, "quick_exit") == 0) std::quick_exit(0);
}
