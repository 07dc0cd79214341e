// Touches known numbers of pages inside and outside of the region "hot". Most modes print nothing;
// `asked` prints "done" for each number of its standard input.
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "tacho/caliper.hpp"
#include "tacho/control.hpp"
#include "tacho/tacho.h"

namespace {

constexpr long kHot = 1500, kCold = 6000;  // pages

void touch(long pages) {
  const auto size = static_cast<std::size_t>(pages) * 4096;
  char* const memory = static_cast<char*>(
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ::madvise(memory, size, MADV_NOHUGEPAGE);
  for (std::size_t at = 0; at < size; at += 4096) memory[at] = 1;
  ::munmap(memory, size);
}

void hot() {
  TACHO_REGION("hot");
  touch(kHot);
}

void cold() {
  TACHO_REGION("cold");
  touch(kCold);
}

// Ten executions of each.
void loop() {
  for (int i = 0; i < 10; ++i) {
    hot();
    cold();
  }
}

void in_threads() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([] {
      for (int j = 0; j < 10; ++j) hot();
    });
  for (std::thread& thread : threads) thread.join();
}

template <class Work>
void in_child(Work work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
}

// Each child has a connection of its own, after its parent had one.
void in_processes() {
  hot();
  for (int i = 0; i < 3; ++i) in_child(loop);
  cold();
}

void recursive(int depth) {
  TACHO_REGION("hot");
  touch(kHot);
  if (depth > 1) recursive(depth - 1);
  touch(kHot);
}

// A process is killed in the region.
void killed() {
  in_child([] {
    TACHO_REGION("hot");
    touch(kHot);
    ::raise(SIGKILL);
  });
  cold();
}

// A thread ends in the region.
void thread_ends() {
  std::thread([] {
    static tacho::RegionSite site("hot");
    site.begin();
    touch(kHot);
  }).join();
  cold();
}

// The region ends while regions are off.
void turned_off() {
  static tacho::RegionSite site("hot");
  site.begin();
  touch(kHot);
  tacho::regions_off();
  site.end();
  cold();
}

// A daemon closes all descriptors, and uses their numbers again. Nobody answers on its own socket.
void reused() {
  hot();
  for (int fd = 3; fd < 64; ++fd) ::close(fd);
  int sockets[2] = {-1, -1};
  ::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
  hot();
  char byte = 0;
  if (::recv(sockets[1], &byte, 1, MSG_DONTWAIT) > 0) std::abort();
}

// Processes that begin at the same time.
void together() {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    for (int j = 0; j < 20; ++j) {
      TACHO_REGION("hot");
      touch(25);
    }
    ::_exit(0);
  }
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
}

void* begin_and_end(void*) {
  static tacho::RegionSite site("hot");
  for (;;) {
    site.begin();
    site.end();
    ::pthread_testcancel();
  }
}

void cancelled() {
  for (int i = 0; i < 50; ++i) {
    pthread_t thread{};
    ::pthread_create(&thread, nullptr, begin_and_end, nullptr);
    ::usleep(300);
    ::pthread_cancel(thread);
    ::pthread_join(thread, nullptr);
  }
}

// Turns counting on and off by itself, in C++ and in C. Prints how often tacho obeyed.
void controlled() {
  int obeyed = 0;
  for (int i = 0; i < 10; ++i) {
    obeyed += tacho::control(tacho::Counting::on) ? 1 : 0;
    touch(kHot);
    obeyed += tacho_control(false) ? 1 : 0;
    touch(kCold);
  }
  std::printf("%d\n", obeyed);
}

// A child turns it on and off, too, after its parent had a connection.
void controlled_by_a_child() {
  tacho::control(tacho::Counting::on);
  tacho::control(tacho::Counting::off);
  in_child([] {
    controlled();
    std::fflush(stdout);
  });
  touch(kCold);
}

void asked() {
  long pages = 0;
  while (std::scanf("%ld", &pages) == 1) {
    touch(pages);
    std::puts("done");
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "loop";
  if (mode == "loop") loop();
  if (mode == "threads") in_threads();
  if (mode == "processes") in_processes();
  if (mode == "recursive") recursive(3);
  if (mode == "killed") killed();
  if (mode == "thread_ends") thread_ends();
  if (mode == "turned_off") turned_off();
  if (mode == "reused") reused();
  if (mode == "together") together();
  if (mode == "cancelled") cancelled();
  if (mode == "controlled") controlled();
  if (mode == "controlled_by_a_child") controlled_by_a_child();
  if (mode == "asked") asked();
}
