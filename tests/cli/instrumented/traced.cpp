// Executions whose times the program itself knows: traced exact | many N | forks | threads N
//
// exact: prints a line "name thread before after" of each execution, in ns of CLOCK_MONOTONIC: read
// just before the execution begins and just after it ends. many: N executions of "kind 0" and of
// "kind 1" each, in turn, inside one of "rare". Prints the same line of "rare". forks: one
// execution of "parent", and one of "child" in a child. Prints their two processes. threads: N
// threads, one after the other, each with one execution of "brief".
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tacho/caliper.hpp>
#include <thread>

namespace {

std::int64_t now() {
  timespec clock{};
  clock_gettime(CLOCK_MONOTONIC, &clock);
  return std::int64_t{1000000000} * clock.tv_sec + clock.tv_nsec;
}

template <class Body>
void timed(const char* name, Body body) {
  const std::int64_t before = now();
  body();
  const std::int64_t after = now();
  std::printf("%s %ld %lld %lld\n", name, static_cast<long>(syscall(SYS_gettid)),
              static_cast<long long>(before), static_cast<long long>(after));
}

void spin(std::int64_t ns) {
  for (const std::int64_t end = now() + ns; now() < end;) {
  }
}

void inner(int i) {
  TACHO_REGION("inner");
  spin(1000 * (i % 5));
}

void outer() {
  TACHO_REGION("outer");
  for (int i = 0; i < 20; ++i) timed("inner", [i] { inner(i); });
}

void exact() {
  const auto several = [] {
    for (int i = 0; i < 10; ++i) timed("outer", outer);
  };
  std::thread other(several);
  several();
  other.join();
}

void kind(int which) {
  if (which == 0) {
    TACHO_REGION("kind 0");
  } else {
    TACHO_REGION("kind 1");
  }
}

void many(int count) {
  timed("rare", [count] {
    TACHO_REGION("rare");
    for (int i = 0; i < 2 * count; ++i) kind(i % 2);
  });
}

void in_child() {
  TACHO_REGION("child");
}

void forks() {
  {
    TACHO_REGION("parent");
  }
  const pid_t child = fork();
  if (child == 0) {
    in_child();
    std::exit(0);
  }
  std::printf("%d %d\n", static_cast<int>(getpid()), static_cast<int>(child));
  waitpid(child, nullptr, 0);
}

void threads(int count) {
  for (int i = 0; i < count; ++i) std::thread([] { TACHO_REGION("brief"); }).join();
}

}  // namespace

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "exact";
  const int count = argc > 2 ? std::atoi(argv[2]) : 1;
  if (std::strcmp(what, "many") == 0)
    many(count);
  else if (std::strcmp(what, "forks") == 0)
    forks();
  else if (std::strcmp(what, "threads") == 0)
    threads(count);
  else
    exact();
}
