// Threads that wait for ever: for a lock, a condition, a pipe, a time, and for the end of a thread.
// One more waits for half a second, again and again. With an argument, the first thread has a large
// stack. A thread has a name with characters that mislead who reads /proc.
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex held;

[[gnu::noinline]] void awaits_lock() {
  const std::lock_guard lock(held);
}

[[gnu::noinline]] void awaits_condition() {
  ::pthread_setname_np(::pthread_self(), "a) R 1\nb");
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock lock(mutex);
  condition.wait(lock, [] { return false; });
}

[[gnu::noinline]] void reads_pipe() {
  int ends[2];
  char letter = 0;
  if (::pipe(ends) != 0 || ::read(ends[0], &letter, 1) != 1) std::exit(1);
}

[[gnu::noinline]] void sleeps() {
  std::this_thread::sleep_for(std::chrono::hours(1));
}

[[gnu::noinline]] void naps() {
  for (;;) std::this_thread::sleep_for(std::chrono::milliseconds(500));
}

[[gnu::noinline]] void waits_deep(std::thread& thread) {
  volatile char room[200'000] = {};
  thread.join();
  if (room[0] != 0) std::exit(1);
}

}  // namespace

int main(int count, char**) {
  held.lock();
  std::vector<std::thread> threads;
  for (void (*function)() : {awaits_lock, awaits_condition, reads_pipe, sleeps, naps})
    threads.emplace_back(function);
  if (count > 1) waits_deep(threads.front());
  threads.front().join();
}
