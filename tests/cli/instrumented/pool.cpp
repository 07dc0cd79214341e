// Regions around threads and processes that the program starts. It prints the page faults of the
// whole process, or of its child, around each region, as getrusage(2) has them.
//   pool [thread | children]     the scope that the program chooses; default: none
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <tacho/caliper.hpp>
#include <thread>
#include <vector>

namespace {

void page_faults(int count) {
  constexpr std::size_t kPage = 4096;
  const std::size_t size = static_cast<std::size_t>(count) * kPage;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, size, MADV_NOHUGEPAGE);
  for (std::size_t at = 0; at < size; at += kPage) static_cast<volatile char*>(memory)[at] = 1;
  munmap(memory, size);
}

long faults_of(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

// Works when it is asked to.
class Worker {
 public:
  Worker() : thread_([this] { serve(); }) {}
  ~Worker() {
    ask();
    thread_.join();
  }
  void work() {
    ask();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !asked_; });
  }

 private:
  void ask() {
    const std::lock_guard lock(mutex_);
    asked_ = true;
    changed_.notify_all();
  }
  void serve() {
    for (int i = 0; i < 2; ++i) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return asked_; });
      page_faults(700);
      asked_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool asked_ = false;
  std::thread thread_;
};

void around(const char* name, int who, void (*work)()) {
  tacho::RegionSite& site = tacho::region_named(name);
  const long before = faults_of(who);
  {
    const tacho::Region region(site);
    work();
  }
  std::printf("%s %ld\n", name, faults_of(who) - before);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    const auto scope = std::strcmp(argv[1], "children") == 0 ? tacho::CountScope::with_children
                                                             : tacho::CountScope::this_thread;
    for (const tacho::Error& error : tacho::count_in_regions({"page-faults", "task-clock"}, scope))
      std::printf("%s\n", error.what.c_str());
  }
  static Worker early;
  {
    TACHO_REGION("first");
  }
  static Worker late;
  around("started", RUSAGE_SELF, [] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back([] { page_faults(500); });
    for (std::thread& thread : threads) thread.join();
  });
  around("pool", RUSAGE_SELF, [] { late.work(); });
  around("older pool", RUSAGE_SELF, [] { early.work(); });
  around("process", RUSAGE_CHILDREN, [] {
    const pid_t child = fork();
    if (child == 0) {
      page_faults(900);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  });
}
