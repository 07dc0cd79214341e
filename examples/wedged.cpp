// Two threads that take two locks in different orders: each waits for the other for ever. What does
// the program wait for? docs/tutorial/what-it-waits-for.md finds it out.
#include <chrono>
#include <mutex>
#include <thread>

namespace {

std::mutex accounts, journal;

void pause() {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

[[gnu::noinline]] void transfer() {
  const std::lock_guard first(accounts);
  pause();
  const std::lock_guard second(journal);
}

[[gnu::noinline]] void audit() {
  const std::lock_guard first(journal);
  pause();
  const std::lock_guard second(accounts);
}

}  // namespace

int main() {
  std::thread one(transfer), two(audit);
  one.join();
  two.join();
}
