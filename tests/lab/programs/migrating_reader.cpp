// migrating_reader MILLISECONDS: a thread reads its own counters from user space, as fast as it
// can. Another thread moves it from CPU to CPU, and threads on each CPU preempt it. No reading may
// be below the one before, and each must lie between two readings by the kernel. Prints the numbers
// of all these, a word and a number a line.
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>
#include <vector>

#include "events/catalogue.hpp"
#include "pmu/perf/perf_event.hpp"
#include "pmu/perf/self_group.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using Values = std::array<std::uint64_t, tacho::SelfGroup::kMost>;

constexpr int kAgainstKernel = 64;  // readings from user space for each comparison with the kernel
constexpr std::chrono::microseconds kMoveEvery{700};
constexpr std::chrono::microseconds kPreemptEvery{150};

struct Seen {
  std::uint64_t reads = 0;
  std::uint64_t backward = 0;
  std::uint64_t outside = 0;  // not between the kernel's readings before and after
  std::uint64_t asked = 0;
};

void pin(pid_t thread, unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  ::sched_setaffinity(thread, sizeof set, &set);
}

void read_once(tacho::SelfGroup& group, std::size_t events, Values& last, Seen& seen) {
  Values now{};
  std::uint64_t lost = 0;
  if (!group.read(now.data(), lost)) std::abort();
  ++seen.reads;
  for (std::size_t i = 0; i < events; ++i)
    if (now[i] < last[i]) ++seen.backward;
  last = now;
}

void hold_against_kernel(tacho::SelfGroup& group, std::size_t events, Values& last, Seen& seen) {
  Values before{};
  Values after{};
  tacho::SelfGroup::Times times;
  if (!group.ask_kernel(before.data(), times)) std::abort();
  read_once(group, events, last, seen);
  if (!group.ask_kernel(after.data(), times)) std::abort();
  ++seen.asked;
  for (std::size_t i = 0; i < events; ++i)
    if (last[i] < before[i] || last[i] > after[i]) ++seen.outside;
}

}  // namespace

int main(int argc, char** argv) {
  const auto until = Clock::now() + std::chrono::milliseconds(argc > 1 ? std::atoi(argv[1]) : 500);
  const tacho::Catalogue catalogue;
  const tacho::PerfEventPmu pmu(catalogue, tacho::Trust::believed);
  std::vector<tacho::Event> events;
  std::vector<std::size_t> places;
  for (const char* name : {"instructions:u", "cycles:u", "cycles"}) {
    auto event = pmu.resolve(name);
    if (!event) return 1;
    places.push_back(events.size());
    events.push_back(std::move(*event));
  }
  std::vector<std::optional<tacho::Error>> refused(events.size());
  tacho::SelfGroup group(events, places, {.inherit = false, .user_reads = true}, refused);
  for (const auto& error : refused)
    if (error) return std::fprintf(stderr, "%s\n", error->what.c_str()), 1;
  group.turn(true);
  if (!group.by_registers() || group.obstacle())
    return std::fprintf(stderr, "%s\n", group.obstacle().value_or(group.why_not()).c_str()), 1;

  const auto cpus = static_cast<unsigned>(::sysconf(_SC_NPROCESSORS_ONLN));
  std::atomic<bool> over = false;
  std::uint64_t moves = 0;
  std::vector<std::thread> others;
  others.emplace_back([&, reader = ::gettid()] {
    for (; !over; ++moves) {
      pin(reader, static_cast<unsigned>(moves % cpus));
      std::this_thread::sleep_for(kMoveEvery);
    }
  });
  for (unsigned cpu = 0; cpu < cpus; ++cpu)
    others.emplace_back([&, cpu] {
      pin(0, cpu);
      while (!over) std::this_thread::sleep_for(kPreemptEvery);
    });

  Seen seen;
  Values last{};
  while (Clock::now() < until) {
    for (int i = 0; i < kAgainstKernel; ++i) read_once(group, events.size(), last, seen);
    hold_against_kernel(group, events.size(), last, seen);
  }
  over = true;
  for (std::thread& other : others) other.join();
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  const auto show = [](const char* what, std::uint64_t count) {
    std::printf("%s %llu\n", what, static_cast<unsigned long long>(count));
  };
  show("reads", seen.reads);
  show("backward", seen.backward);
  show("asked", seen.asked);
  show("outside", seen.outside);
  show("retries", group.retries());
  show("moves", moves);
  show("switches", static_cast<std::uint64_t>(usage.ru_nivcsw + usage.ru_nvcsw));
  return 0;
}
