// Measures what one PAPI_read costs, in instructions, on a board of the lab (bench/read_cost.py).
// Prints a row of that table: 1 and 4 counters, in user mode; then the same with the kernel's part.
#include <papi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kReadings = 1000;
constexpr const char* kEvents[] = {"perf::INSTRUCTIONS", "perf::CYCLES", "arm_ac57::INST_RETIRED",
                                   "arm_ac57::CPU_CYCLES"};
constexpr int kMost = 4;

void check(int result, const char* what) {
  if (result >= PAPI_OK) return;
  std::fprintf(stderr, "papi_read_cost: %s: %s\n", what, PAPI_strerror(result));
  std::exit(1);
}

// Returns how much the first counter grows between two reads of all counters: the least of many.
long long cost_of(int counters, int domain) {
  int set = PAPI_NULL;
  check(PAPI_create_eventset(&set), "PAPI_create_eventset");
  check(PAPI_assign_eventset_component(set, 0), "PAPI_assign_eventset_component");
  PAPI_option_t option{};
  option.domain.eventset = set;
  option.domain.domain = domain;
  check(PAPI_set_opt(PAPI_DOMAIN, &option), "PAPI_set_opt");
  for (int i = 0; i < counters; ++i) check(PAPI_add_named_event(set, kEvents[i]), kEvents[i]);
  check(PAPI_start(set), "PAPI_start");
  long long least = -1;
  for (int reading = 0; reading < kReadings; ++reading) {
    long long before[kMost];
    long long after[kMost];
    check(PAPI_read(set, before), "PAPI_read");
    check(PAPI_read(set, after), "PAPI_read");
    const long long gained = after[0] - before[0];
    least = least < 0 ? gained : std::min(least, gained);
  }
  check(PAPI_stop(set, nullptr), "PAPI_stop");
  check(PAPI_cleanup_eventset(set), "PAPI_cleanup_eventset");
  return least;
}

}  // namespace

int main() {
  check(PAPI_library_init(PAPI_VER_CURRENT), "PAPI_library_init");
  std::printf("PAPI_read");
  for (const int domain : {PAPI_DOM_USER, PAPI_DOM_ALL})
    for (const int counters : {1, kMost}) std::printf("\t%lld", cost_of(counters, domain));
  std::printf("\n");
}
