// Runs regions of tacho's library a known number of times, and brackets what they take by readings
// of its own.
//
//   regions nested OUTER INNER    OUTER times "outer", in each INNER times "inner"; prints the
//   ticks
//                                 spent inside of the inner ones, and around the outer ones
//   regions lasting TICKS TIMES   TIMES times "piece", of TICKS; prints the ticks of each
//   regions threads N TIMES       N threads, each TIMES times "piece"
//   regions forks N TIMES         N children by fork, and as many by fork and exec of itself
//   regions killed TIMES          TIMES times "lost", and a child that tells; then SIGKILL
//   regions paths TIMES           in 2 processes of 3 threads, TIMES times regions in regions
//   regions names                 one execution each of regions with odd names
//   regions noise                 a region once, and lines that are no region's in tacho's file
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tacho/caliper.hpp"
#include "tacho/ticks.hpp"

namespace {

constexpr std::uint64_t kSpin = 100'000;  // ticks: far more than a region's own cost

// Returns the ticks that were spent between the readings.
std::uint64_t spin(std::uint64_t ticks = kSpin) {
  const std::uint64_t begin = tacho::ordered_ticks();
  std::uint64_t now = begin;
  while (now - begin < ticks) now = tacho::ordered_ticks();
  return now - begin;
}

void nested(int outer, int inner) {
  std::uint64_t inside = 0;
  std::uint64_t around = 0;
  for (int i = 0; i < outer; ++i) {
    const std::uint64_t begin = tacho::ordered_ticks();
    {
      TACHO_REGION("outer");
      for (int j = 0; j < inner; ++j) {
        TACHO_REGION("inner");
        inside += spin();
      }
    }
    around += tacho::ordered_ticks() - begin;
  }
  std::printf("%llu %llu\n", static_cast<unsigned long long>(inside),
              static_cast<unsigned long long>(around));
}

void pieces(int times) {
  for (int i = 0; i < times; ++i) {
    TACHO_REGION("piece");
    spin();
  }
}

void lasting(int ticks, int times) {
  for (int i = 0; i < times; ++i) {
    TACHO_REGION("piece");
    std::printf("%llu\n", static_cast<unsigned long long>(spin(static_cast<std::uint64_t>(ticks))));
  }
}

void threads(int count, int times) {
  std::vector<std::thread> all;
  for (int i = 0; i < count; ++i) all.emplace_back(pieces, times);
  for (std::thread& thread : all) thread.join();
}

// A recursive execution has no path of its own: "check" is below "parse".
void parse(bool checked) {
  TACHO_REGION("parse");
  spin(1'000);
  if (!checked) return;
  TACHO_REGION("parse");
  TACHO_REGION("check");
  spin(1'000);
}

void nested_ways(int times) {
  for (int i = 0; i < times; ++i) {
    {
      TACHO_REGION("load");
      parse(false);
      parse(false);
    }
    {
      TACHO_REGION("solve");
      spin(50'000);
      parse(true);
    }
  }
}

void paths(int times) {
  ::fork();
  std::vector<std::thread> others;
  for (int i = 0; i < 2; ++i) others.emplace_back(nested_ways, times);
  nested_ways(times);
  for (std::thread& thread : others) thread.join();
  ::wait(nullptr);
}

template <class Child>
void in_child(Child child) {
  const pid_t pid = ::fork();
  if (pid == 0) child();
  ::waitpid(pid, nullptr, 0);
}

void forks(int count, const char* times) {
  pieces(std::atoi(times));
  for (int i = 0; i < count; ++i) {
    in_child([&] {
      pieces(std::atoi(times));
      std::exit(0);
    });
    in_child([&] {
      ::execl("/proc/self/exe", "regions", "threads", "1", times, nullptr);
      ::_exit(1);
    });
  }
}

void killed(int times) {
  for (int i = 0; i < times; ++i) {
    TACHO_REGION("lost");
    spin();
  }
  in_child([&] {
    pieces(times);
    std::exit(0);
  });
  ::raise(SIGKILL);
}

void names() {
  using namespace std::string_view_literals;
  for (const std::string_view name :
       {"quote \" and comma, and backslash \\"sv, "escape \x1b[31m\n\t\0 null"sv, "\xff\xfe"sv,
        "µ-Prüfung → 計測"sv, ""sv}) {
    tacho::RegionSite site(name);
    const tacho::Region region(site);
    spin();
  }
}

void noise() {
  {
    TACHO_REGION("heard");
    spin();
  }
  const char* const file = std::getenv("TACHO_REGIONS_FD");
  const std::string_view lines =
      "not JSON\n{}\n[1,2]\n{\"clock\":{\"hz\":0},\"regions\":[]}\n"
      "{\"clock\":{\"hz\":1e9},\"regions\":[7,{\"name\":3,\"quantities\":{\"a\":[]}}]}\n";
  if (file == nullptr || ::write(std::atoi(file), lines.data(), lines.size()) < 0) std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  const auto number = [&](int i) { return argc > i ? std::atoi(argv[i]) : 1; };
  if (mode == "nested") nested(number(2), number(3));
  if (mode == "lasting") lasting(number(2), number(3));
  if (mode == "paths") paths(number(2));
  if (mode == "threads") threads(number(2), number(3));
  if (mode == "forks") forks(number(2), argc > 3 ? argv[3] : "1");
  if (mode == "killed") killed(number(2));
  if (mode == "names") names();
  if (mode == "noise") noise();
  return 0;
}
