// What may go wrong with regions, each by its name: faults NAME… runs them one after the other, and
// leaves with 0.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <string>
#include <tacho/caliper.hpp>
#include <tacho/report.hpp>
#include <thread>
#include <vector>

namespace {

std::string directory;  // of the program, where its plugins lie

void page_faults(int times) {
  constexpr std::size_t kPage = 4096;
  const auto size = kPage * static_cast<std::size_t>(times);
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, size, MADV_NOHUGEPAGE);
  for (std::size_t at = 0; at < size; at += kPage) static_cast<volatile char*>(memory)[at] = 1;
  munmap(memory, size);
}

void plain() {
  for (int i = 0; i < 50; ++i) {
    TACHO_REGION("plain");
    page_faults(7);
  }
}

void nested() {
  for (int i = 0; i < 50; ++i) {
    TACHO_REGION("outer");
    page_faults(2);
    TACHO_REGION("inner");
    page_faults(5);
  }
}

int refused() {
  int count = 0;
  for (const tacho::Error& error : tacho::count_in_regions({"page-faults", "no-such-event"})) {
    std::printf("%s (%d)\n", error.what.c_str(), error.code);
    ++count;
  }
  return count;
}

void ask() {
  refused();
}

void ask_too_late() {
  {
    TACHO_REGION("early");
  }
  refused();
}

void file_limit() {
  const rlimit none = {3, 3};
  setrlimit(RLIMIT_NOFILE, &none);
}

// In the child the region that was open at the fork ends without effect.
void fork_inside() {
  static tacho::RegionSite site("around the fork");
  site.begin();
  const pid_t child = fork();
  if (child == 0) {
    site.end();
    for (int i = 0; i < 3; ++i) {
      TACHO_REGION("in the child");
      page_faults(4);
    }
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  site.end();
  if (status != 0) std::printf("the child ended with %x\n", static_cast<unsigned>(status));
}

// A thread of the child's asks for reports, again and again, while the child's own part begins.
void report_in_child() {
  plain();
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      std::atomic<bool> asks{false};
      std::atomic<bool> done{false};
      std::thread reporter([&] {
        while (!done) {
          (void)tacho::region_report();
          asks = true;
        }
      });
      while (!asks) std::this_thread::yield();
      plain();
      done = true;
      reporter.join();
      _exit(tacho::region_report().regions.at(0).executions == 50 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) std::printf("the child ended with %x\n", static_cast<unsigned>(status));
  }
}

void thread_end() {
  static tacho::RegionSite site("left open");
  std::thread([] { site.begin(); }).join();
}

void exec_inside() {
  TACHO_REGION("around the exec");
  execlp("true", "true", nullptr);
}

void unload(const char* name) {
  for (int i = 0; i < 3; ++i) {
    void* const plugin = dlopen((directory + name).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) {
      std::printf("%s\n", dlerror());
      return;
    }
    const auto run = reinterpret_cast<void (*)()>(dlsym(plugin, "run_plugin"));
    run();
    std::thread(run).join();
    dlclose(plugin);
  }
}

void plugin() {
  unload("/plugin.so");
}
void own_copy() {
  unload("/own_copy.so");
}

void any_bytes() {
  static tacho::RegionSite site(std::string_view("q\"uote\\\n\0\xff, €", 15));
  site.begin();
  site.end();
}

void long_names() {
  static const std::string lengthy(100'000, 'x');
  static const std::string wide(u8"\u65e5\u672c\u8a9e\u306e\u95a2\u6570\u540d\u524d");
  static tacho::RegionSite sites[] = {tacho::RegionSite(lengthy), tacho::RegionSite(wide),
                                      tacho::RegionSite("short")};
  for (tacho::RegionSite& site : sites) {
    site.begin();
    site.end();
  }
}

// Far above what the clock costs, and below what asking the kernel for task-clock does.
void brief() {
  for (int i = 0; i < 2'000; ++i) {
    TACHO_REGION("brief");
    for (const std::uint64_t begun = tacho::ticks(); tacho::ticks() - begun < 250;) {
    }
  }
}

// A thousand recursive executions, each of 3,000 ticks: little beside what counters cost that are
// read by system calls.
void recursive() {
  static tacho::RegionSite site("recursive");
  for (int i = 0; i < 10; ++i) {
    site.begin();
    for (int k = 0; k < 1'000; ++k) {
      site.begin();
      for (const std::uint64_t begun = tacho::ticks(); tacho::ticks() - begun < 3'000;) {
      }
      site.end();
    }
    site.end();
  }
}

// 300 regions, three executions of each, with memory for the figures of some; as many again in a
// second thread.
void no_memory() {
  std::deque<std::string> names;
  std::deque<tacho::RegionSite> sites;
  for (int i = 0; i < 300; ++i)
    sites.emplace_back(names.emplace_back("region " + std::to_string(i)));
  const auto run = [&] {
    for (int i = 0; i < 3; ++i)
      for (tacho::RegionSite& site : sites) {
        site.begin();
        site.end();
      }
  };
  const auto begin_thread = [] { TACHO_REGION("first"); };
  begin_thread();
  std::atomic<bool> may_run{false};
  std::atomic<bool> has_begun{false};
  std::thread other([&] {
    begin_thread();
    has_begun = true;
    while (!may_run) std::this_thread::yield();
    run();
  });
  while (!has_begun) std::this_thread::yield();
  unsigned long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  const rlim_t whole = limit.rlim_cur;
  limit.rlim_cur = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (3 << 20);
  setrlimit(RLIMIT_AS, &limit);
  run();
  may_run = true;
  other.join();
  limit.rlim_cur = whole;
  setrlimit(RLIMIT_AS, &limit);
}

struct Table {
  void insert(int) { TACHO_FUNCTION_REGION(); }
  void insert(const char*) { TACHO_FUNCTION_REGION(); }
};

// The name is gone when its region first begins.
void named() {
  std::vector<tacho::RegionSite*> shards;
  for (int i = 0; i < 3; ++i) {
    std::string name = "shard " + std::to_string(i);
    shards.push_back(&tacho::region_named(name));
    name.assign(name.size(), 'x');
  }
  for (int times = 0; times < 3; ++times)
    for (tacho::RegionSite* shard : shards) const tacho::Region region(*shard);
  if (&tacho::region_named("shard 1") == shards[1]) std::puts("same site");
  Table().insert(1);
  Table().insert(2);
  Table().insert("three");
}

double resident_kib() {
  unsigned long all = 0;
  unsigned long resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024;
}

// Prints the KiB that each of 2,000 regions takes when its thread has ended, and how many more a
// report takes.
void memory() {
  constexpr int kRegions = 2'000;
  std::deque<std::string> names;
  std::deque<tacho::RegionSite> sites;
  for (int i = 0; i < kRegions; ++i)
    sites.emplace_back(names.emplace_back("region " + std::to_string(i)));
  {
    TACHO_REGION("first");
  }
  const auto run = [&] {
    for (int i = 0; i < 10; ++i)
      for (tacho::RegionSite& site : sites) {
        site.begin();
        site.end();
      }
  };
  const double before = resident_kib();
  run();
  const double ran = resident_kib();
  std::thread(run).join();
  const double ended = resident_kib();
  const tacho::RegionReport report = tacho::region_report();
  std::printf("%.1f %.1f %.1f\n", (ran - before) / kRegions, (ended - ran) / kRegions,
              (resident_kib() - ended) / kRegions);
}

// Takes all memory, for good.
void no_memory_left() {
  const rlimit none = {1, 1};
  setrlimit(RLIMIT_AS, &none);
  for (std::size_t size = 1 << 20; size > 0; size /= 2)
    while (std::malloc(size) != nullptr) {
    }
}

// Longer than the suspend that suspended.c makes up.
void rest() {
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
}

void close_all() {
  for (int fd = 3; fd < 100; ++fd) close(fd);
  // Something else takes the collector's number.
  for (int i = 0; i < 20; ++i)
    if (dup(1) < 0) return;
}

struct Fault {
  const char* name;
  void (*run)();
};
constexpr Fault kFaults[] = {{"on", [] { tacho::regions_on(); }},
                             {"plain", plain},
                             {"nested", nested},
                             {"ask", ask},
                             {"ask_too_late", ask_too_late},
                             {"file_limit", file_limit},
                             {"fork_inside", fork_inside},
                             {"report_in_child", report_in_child},
                             {"thread_end", thread_end},
                             {"exec_inside", exec_inside},
                             {"plugin", plugin},
                             {"own_copy", own_copy},
                             {"any_bytes", any_bytes},
                             {"long_names", long_names},
                             {"brief", brief},
                             {"recursive", recursive},
                             {"named", named},
                             {"memory", memory},
                             {"no_memory", no_memory},
                             {"no_memory_left", no_memory_left},
                             {"rest", rest},
                             {"close_all", close_all}};

}  // namespace

int main(int argc, char** argv) {
  directory = argv[0];
  directory.resize(directory.rfind('/'));
  setvbuf(stdout, nullptr, _IONBF, 0);
  for (int i = 1; i < argc; ++i)
    for (const Fault& fault : kFaults)
      if (std::strcmp(argv[i], fault.name) == 0) fault.run();
}
