// benchmarked: tacho's counters as user counters of Google Benchmark.
//
//   benchmarked [EVENT…] [--benchmark_…]   events as for `tacho stat -e`; page-faults and
//                                          task-clock if none is given
//
// Each counter is the event's count per iteration. A "~" before its name marks an estimate, because
// the events took turns. An event that can't be counted is left out of the table, which has no
// place for a reason; standard error has the reason once.
#include <benchmark/benchmark.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "tacho/counters.hpp"

namespace {

std::vector<std::string> events;

void add_counters(benchmark::State& state, tacho::Counters& counters) {
  const std::vector<tacho::Count> counts = counters.counts();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i].status == tacho::CountStatus::unavailable) continue;
    const bool estimated = counts[i].status == tacho::CountStatus::estimated;
    state.counters[(estimated ? "~" : "") + counters.name(i)] =
        benchmark::Counter(counts[i].value, benchmark::Counter::kAvgIterations);
  }
}

// Maps memory and writes to each page. Each page is small, so each write is one page fault.
void touch(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  tacho::Counters counters = tacho::Counters::open(events);
  for (auto _ : state) {
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      state.SkipWithError("no memory");
      break;
    }
    ::madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (std::size_t at = 0; at < bytes; at += page) static_cast<volatile char*>(memory)[at] = 1;
    ::munmap(memory, bytes);
  }
  add_counters(state, counters);
}
BENCHMARK(touch)->Arg(1 << 16)->Arg(1 << 24);

// The product of a row with itself: arithmetic only.
void multiply(benchmark::State& state) {
  const std::vector<float> row(static_cast<std::size_t>(state.range(0)), 2.0F);
  tacho::Counters counters = tacho::Counters::open(events);
  for (auto _ : state) {
    float sum = 0;
    for (const float element : row) sum += element * element;
    benchmark::DoNotOptimize(sum);
  }
  add_counters(state, counters);
}
BENCHMARK(multiply)->Arg(1000);

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  events.assign(argv + 1, argv + argc);
  if (events.empty()) events = {"page-faults", "task-clock"};
  const tacho::Counters tried = tacho::Counters::open(events);
  for (std::size_t i = 0; i < tried.size(); ++i)
    if (const tacho::Error* error = tried.error(i))
      std::fprintf(stderr, "benchmarked: %s is not counted: %s; %s\n", tried.name(i).c_str(),
                   error->what.c_str(), error->remedy.c_str());
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
