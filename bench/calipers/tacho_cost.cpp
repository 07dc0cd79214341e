// Measures what an empty region of tacho costs, beside the bare reads that it needs at least.
//
//   tacho_cost N                 with the first N software events (0: the clock alone)
//   tacho_cost off               while regions are off, beside a loop that does nothing
//   tacho_cost threads THREADS   CPU time of 10,000 regions in each of THREADS threads
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <tacho/tacho.h>
#include <unistd.h>
#include <tacho/caliper.hpp>
#include <tacho/report.hpp>
#include <tacho/ticks.hpp>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>

#include "in_turn.hpp"

namespace {

constexpr int kRegions = 10'000;  // in each thread

void two_ordered_reads(int times) {
  for (int i = 0; i < times; ++i) {
    (void)tacho::ordered_ticks();
    (void)tacho::ordered_ticks();
  }
}

void empty_regions(int times) {
  for (int i = 0; i < times; ++i) {
    TACHO_REGION("empty");
  }
}

void nothing(int times) {
  for (int i = 0; i < times; ++i) asm volatile("" ::: "memory");
}

void begins_and_ends(int times) {
  static tacho::RegionSite site("empty");
  for (int i = 0; i < times; ++i) {
    site.begin();
    site.end();
  }
}

void begins_and_ends_in_c(int times) {
  static const tacho_region region = tacho_region_named("empty");
  for (int i = 0; i < times; ++i) {
    tacho_region_begin(region);
    tacho_region_end(region);
  }
}

// A plain group of events: the least that a read of the kernel's counts costs.
class BareGroup {
 public:
  explicit BareGroup(std::size_t events) {
    constexpr std::array kConfigs = {PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES,
                                     PERF_COUNT_SW_CPU_MIGRATIONS, PERF_COUNT_SW_PAGE_FAULTS_MIN};
    for (std::size_t i = 0; i < events; ++i) {
      perf_event_attr attributes{};
      attributes.size = sizeof attributes;
      attributes.type = PERF_TYPE_SOFTWARE;
      attributes.config = kConfigs[i];
      attributes.read_format =
          PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
      const auto fd = ::syscall(SYS_perf_event_open, &attributes, 0, -1, leader_, 0);
      if (fd < 0) {
        std::perror("perf_event_open");
        std::exit(1);
      }
      if (leader_ < 0) leader_ = static_cast<int>(fd);
    }
  }
  void read_twice(int times) const {
    std::array<std::uint64_t, 8> values;
    for (int i = 0; i < 2 * times; ++i)
      if (::read(leader_, values.data(), sizeof values) <= 0) std::exit(1);
  }

 private:
  int leader_ = -1;
};

void cost_while_off() {
  print_in_turn({{"loop", nothing},
                 {"region", empty_regions},
                 {"begin() and end()", begins_and_ends},
                 {"C", begins_and_ends_in_c}});
}

int cost(std::size_t events) {
  if (events > software_events().size()) return 2;
  tacho::regions_on();
  const std::vector<std::string> names(software_events().begin(),
                                       software_events().begin() + static_cast<long>(events));
  for (const tacho::Error& error : tacho::count_in_regions(names)) {
    std::fprintf(stderr, "%s\n", error.what.c_str());
    return 1;
  }
  const BareGroup group(events);
  std::vector<Timed> all = {{"region", empty_regions}, {"two ordered reads", two_ordered_reads}};
  if (events > 0)
    all.push_back({"two grouped read(2)", [&](int times) { group.read_twice(times); }});
  print_in_turn(all);
  return 0;
}

double cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

int in_threads(int count) {
  tacho::regions_on();
  std::vector<double> took(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (double& mine : took)
    threads.emplace_back([&mine] {
      empty_regions(1000);  // opens the counters and warms the caches
      const double begun = cpu_ns();
      empty_regions(kRegions);
      mine = (cpu_ns() - begun) / kRegions;
    });
  for (std::thread& thread : threads) thread.join();
  std::ranges::nth_element(took, took.begin() + count / 2);
  std::printf("region\t%.2f\n", took[static_cast<std::size_t>(count / 2)]);
  const auto expected = static_cast<std::uint64_t>(count) * (kRegions + 1000);
  const auto report = tacho::region_report();
  if (report.regions.at(0).executions != expected) {
    std::fprintf(stderr, "the report has %llu executions, not %llu\n",
                 static_cast<unsigned long long>(report.regions.at(0).executions),
                 static_cast<unsigned long long>(expected));
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "threads") == 0) return in_threads(std::atoi(argv[2]));
  if (argc == 2 && std::strcmp(argv[1], "off") == 0) {
    cost_while_off();
    return 0;
  }
  if (argc == 2) return cost(static_cast<std::size_t>(std::atoi(argv[1])));
  std::fputs("usage: tacho_cost N | off | threads THREADS\n", stderr);
  return 2;
}
