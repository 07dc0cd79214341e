// Waits for things of each kind, and prints for how many seconds each function took, by the clock:
// "naps 0.090312". The last line is the CPU time of the first thread: "cpu 0.101".
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>

namespace {

using std::chrono::milliseconds;

double seconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

void nap(long ms) {
  const timespec time{.tv_sec = 0, .tv_nsec = ms * 1'000'000};
  ::nanosleep(&time, nullptr);
}

std::mutex mutex;
int ends[2];

[[gnu::noinline]] void spins() {
  const double end = seconds(CLOCK_THREAD_CPUTIME_ID) + 0.1;
  while (seconds(CLOCK_THREAD_CPUTIME_ID) < end) {
  }
}

[[gnu::noinline]] void naps() {
  for (int i = 0; i < 3; ++i) nap(30);
}

[[gnu::noinline]] void reads_pipe() {
  char letter = 0;
  if (::pipe(ends) != 0) std::exit(1);
  std::thread writer([] {
    nap(50);
    if (::write(ends[1], "x", 1) != 1) std::exit(1);
  });
  if (::read(ends[0], &letter, 1) != 1) std::exit(1);
  writer.join();
}

[[gnu::noinline]] void polls() {
  pollfd nothing{.fd = ends[0], .events = POLLIN, .revents = 0};
  ::poll(&nothing, 1, 40);
}

[[gnu::noinline]] void locks() {
  std::mutex held;
  held.lock();
  std::thread holder([&held] {
    mutex.lock();
    held.unlock();
    nap(60);
    mutex.unlock();
  });
  held.lock();  // the holder has the mutex now
  held.unlock();
  mutex.lock();
  mutex.unlock();
  holder.join();
}

// Starts this program as a child, whose call chains do not have the caller's: see child().
pid_t start(const std::string& what, const std::string& with) {
  const char* const words[] = {"waits", what.c_str(), with.c_str(), nullptr};
  pid_t pid = 0;
  if (::posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, const_cast<char**>(words), environ) !=
      0)
    std::exit(1);
  return pid;
}

int child(const std::string& what, const char* with) {
  const int descriptor = std::atoi(with);
  if (what == "lock") return ::flock(::open(with, O_RDWR), LOCK_EX) == 0 ? 0 : 1;
  nap(45);
  const std::uint64_t one = 1;
  if (what == "write") return ::write(descriptor, &one, sizeof one) == sizeof one ? 0 : 1;
  return 0;
}

[[gnu::noinline]] void awaits_child() {
  ::waitpid(start("nap", "0"), nullptr, 0);
}

[[gnu::noinline]] void receives() {
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) std::exit(1);
  const pid_t child = start("write", std::to_string(sockets[1]));
  char letter = 0;
  if (::recv(sockets[0], &letter, 1, 0) != 1) std::exit(1);
  ::waitpid(child, nullptr, 0);
}

[[gnu::noinline]] void awaits_event() {
  const int event = ::eventfd(0, 0);
  const pid_t child = start("write", std::to_string(event));
  std::uint64_t value = 0;
  if (::read(event, &value, sizeof value) != sizeof value) std::exit(1);
  ::waitpid(child, nullptr, 0);
}

[[gnu::noinline]] void awaits_signal() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGALRM);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ::ualarm(35'000, 0);
  int which = 0;
  ::sigwait(&set, &which);
}

[[gnu::noinline]] void holds_file() {
  char name[] = "/tmp/waits-XXXXXX";
  const int file = ::mkstemp(name);
  if (file < 0 || ::flock(file, LOCK_EX) != 0) std::exit(1);
  const pid_t child = start("lock", name);
  nap(30);
  ::flock(file, LOCK_UN);
  ::waitpid(child, nullptr, 0);
  ::unlink(name);
}

void timed(const char* name, void (*function)()) {
  const double begin = seconds(CLOCK_MONOTONIC);
  function();
  std::printf("%s %.6f\n", name, seconds(CLOCK_MONOTONIC) - begin);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) return child(argv[1], argv[2]);
  timed("spins", spins);
  timed("naps", naps);
  timed("reads_pipe", reads_pipe);
  timed("polls", polls);
  timed("locks", locks);
  timed("awaits_child", awaits_child);
  timed("receives", receives);
  timed("awaits_event", awaits_event);
  timed("awaits_signal", awaits_signal);
  timed("holds_file", holds_file);
  std::printf("cpu %.6f\n", seconds(CLOCK_THREAD_CPUTIME_ID));
}
