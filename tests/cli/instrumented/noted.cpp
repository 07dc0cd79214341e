// Regions whose program notes values of its own.
//   noted values      in nested and recursive regions and in threads; prints what it noted
//   noted dropped     in executions that are not measured, and where there is no execution
//   noted forked      the child of a fork notes, too, after its parent
//   noted large       values whose sum is too large for 64 bits
//   noted report      prints the report as text, JSON and CSV itself
//   noted first       a region around the first executions of 1000 others, and around the second
//   ones noted cost        prints the nanoseconds of a note while regions are on
#include <sys/wait.h>
#include <unistd.h>

#include <tacho/tacho.h>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <tacho/caliper.hpp>
#include <tacho/report.hpp>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
std::map<std::string, std::vector<std::uint64_t>> noted;  // the values of executions, by name

// An execution that has one value.
void execution(std::uint64_t value) {
  TACHO_REGION("outer");
  tacho::note("bytes", value - value / 3);
  {
    TACHO_REGION("inner");
    if (value % 2 == 0) tacho::note("bytes", 7);
    tacho_note("lines", 1);
    tacho_note("lines", value);
  }
  tacho::note("bytes", value / 3);
  const std::lock_guard lock(mutex);
  noted["outer bytes"].push_back(value);
  if (value % 2 == 0) noted["inner bytes"].push_back(7);
  noted["inner lines"].push_back(1 + value);
}

// Notes n, n - 1, … 1. All are of the outermost execution.
void recursive(std::uint64_t n) {
  TACHO_REGION("recursive");
  tacho::note("depth", n);
  if (n > 1) recursive(n - 1);
}

void values() {
  const auto run = [] {
    for (std::uint64_t i = 1; i <= 100; ++i) execution(i * i * i);
    for (std::uint64_t i = 1; i <= 5; ++i) recursive(4);
    const std::lock_guard lock(mutex);
    noted["recursive depth"].insert(noted["recursive depth"].end(), 5, 10);
  };
  run();
  std::thread(run).join();
  for (const auto& [name, all] : noted) {
    std::printf("%s", name.c_str());
    for (const std::uint64_t value : all)
      std::printf(" %llu", static_cast<unsigned long long>(value));
    std::printf("\n");
  }
}

void dropped() {
  tacho::note("outside", 1);
  tacho_note(nullptr, 1);
  {
    TACHO_REGION("switched");
    tacho::note("bytes", 1);
    tacho::regions_off();
    tacho::note("bytes", 10);
    tacho::regions_on();
    tacho::note("bytes", 100);
  }
  {
    TACHO_REGION("switched");
    tacho::note("bytes", 1000);
  }
  static tacho::RegionSite left("left open");
  {
    TACHO_REGION("around");
    left.begin();
    tacho::note("bytes", 5);
  }
  left.begin();
  tacho::note("bytes", 50);
  left.end();
}

void forked() {
  for (int i = 0; i < 40; ++i) execution(3);
  if (const pid_t child = fork(); child != 0) {
    waitpid(child, nullptr, 0);
    return;
  }
  for (int i = 0; i < 20; ++i) execution(5);
}

void large() {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  for (int i = 0; i < 3; ++i) {
    TACHO_REGION("executions");
    tacho::note("value", kHalf);
  }
  TACHO_REGION("one execution");
  for (int i = 0; i < 3; ++i) tacho::note("value", kHalf);
}

void report() {
  tacho::regions_on();
  {
    TACHO_REGION("region");
    tacho::note("bytes", 1000);
  }
  const tacho::RegionReport made = tacho::region_report();
  std::printf("%s%s%s", tacho::to_text(made).c_str(), tacho::to_json(made).c_str(),
              tacho::to_csv(made).c_str());
}

void first() {
  std::deque<std::string> names;
  std::deque<tacho::RegionSite> sites;
  for (int i = 0; i < 1000; ++i)
    sites.emplace_back(names.emplace_back("region " + std::to_string(i)));
  for (const char* around : {"around first ones", "around second ones"}) {
    const tacho::Region region(tacho::region_named(around));
    for (tacho::RegionSite& site : sites) const tacho::Region inner(site);
  }
}

void cost() {
  constexpr int kTimes = 1'000'000;
  TACHO_REGION("region");
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < kTimes; ++i) tacho::note("bytes", 1);
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begun;
  std::printf("%.1f\n", took.count() / kTimes);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "values") values();
  if (mode == "dropped") dropped();
  if (mode == "forked") forked();
  if (mode == "large") large();
  if (mode == "report") report();
  if (mode == "first") first();
  if (mode == "cost") cost();
}
