// Prints how often 95 % intervals cover the truth, and how wide they are, on simulated workloads:
// the table in docs/explanation/statistics.md. An entry is how often estimate ± half-width covers
// the truth, how often the ends of the interval do, and the mean half-width over the truth. The
// argument is the number of simulated runs for each case (default 2,000).
//
// By hand, from the project's root:
//   g++ -std=c++23 -O2 -Isrc -Iinclude -Itests/unit bench/simulate_intervals.cpp src/stats/*.cpp
//     src/estimate/{caveat,estimates,metrics,summary}.cpp src/events/{formula,modifiers}.cpp
//     src/base/result.cpp -lfmt
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "stats_simulation.hpp"

namespace {

using namespace tacho::simulation;

struct Named {
  Work work;
  std::string_view name;
};

constexpr Named kWorks[] = {
    {Work::steady, "steady"},
    {Work::phases, "two phases (×10)"},
    {Work::drift, "drift from zero"},
    {Work::idle, "one idle in the round"},
    {Work::busy, "one busy in the round"},
    {Work::wave, "wave of 2.7 periods"},
    {Work::rare, "rare events"},
    {Work::bursts, "bursts"},
};

void print_row(const Named& work, const Case& c, std::size_t times) {
  const Outcome o = simulate(c, times, 7);
  fmt::print("| {} | {} | {}{} |", work.name, c.sets, c.rounds, c.growing ? ", growing" : "");
  for (const Score* s : {&o.x, &o.plain_x, &o.y_per_x, &o.z_per_x, &o.per_x})
    fmt::print(" {:.3f}, {:.3f} ± {:.3f} |", s->covered(), s->covered_by_ends(), s->width());
  fmt::print(" {:.3f} | {:.3f} |\n", o.phases, o.bursts);
}

}  // namespace

int main(int argc, char** argv) {
  const auto times = static_cast<std::size_t>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2000);
  fmt::print(
      "| workload | sets | rounds | event | event, plain formula | metric, one set | metric, two "
      "sets |"
      " cycles / event | warned: phases | bursts |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Named& work : kWorks) {
    for (const std::size_t sets : {2U, 4U, 8U}) {
      print_row(work, {work.work, sets, 10, false}, times);
      for (const std::size_t rounds : {25U, 50U, 250U})
        for (const bool growing : {false, true})
          print_row(work, {work.work, sets, rounds, growing}, times);
    }
  }
}
