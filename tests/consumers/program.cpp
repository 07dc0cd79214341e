// A C++17 program of a user: it executes regions a known number of times.
#include <tacho/version.h>
#include <tacho/caliper.hpp>
#include <tacho/report.hpp>
#include <tacho/ticks.hpp>

#include <cstdio>
#include <string_view>
#include <thread>

#ifdef PACKAGE_VERSION
static_assert(std::string_view(TACHO_VERSION_STRING) == PACKAGE_VERSION);
#endif

static void work(int times) {
  for (int i = 0; i < times; ++i) {
    TACHO_REGION("outer");
    for (int j = 0; j < 3; ++j) {
      TACHO_REGION("inner");
      const std::uint64_t begin = tacho::ordered_ticks();
      while (tacho::ordered_ticks() - begin < 1000) {
      }
    }
  }
}

int main() {
  tacho::regions_on();
  work(10);
  std::thread(work, 4).join();
  std::fputs(tacho::to_json(tacho::region_report()).c_str(), stdout);
  return 0;
}
