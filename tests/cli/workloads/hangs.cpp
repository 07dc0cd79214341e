// Threads that wait for ever: for a lock, a condition, a pipe, a time, and for the end of a thread.
// One more waits for half a second, again and again.
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

}  // namespace

int main() {
  held.lock();
  std::vector<std::thread> threads;
  for (void (*function)() : {awaits_lock, awaits_condition, reads_pipe, sleeps, naps})
    threads.emplace_back(function);
  for (std::thread& thread : threads) thread.join();
}
