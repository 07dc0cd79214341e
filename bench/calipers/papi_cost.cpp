// Measures what PAPI's calls around a region cost: papi_cost N, with N software events.
#include <papi.h>

#include <cstdlib>

#include "in_turn.hpp"

int main(int argc, char** argv) {
  const auto count = static_cast<std::size_t>(argc == 2 ? std::atoi(argv[1]) : 0);
  if (count == 0 || count > software_events().size()) return 2;
  const auto checked = [](int result, const char* what) {
    if (result < PAPI_OK) {
      std::fprintf(stderr, "%s: %s\n", what, PAPI_strerror(result));
      std::exit(1);
    }
  };
  checked(PAPI_library_init(PAPI_VER_CURRENT), "PAPI_library_init");
  int set = PAPI_NULL;
  checked(PAPI_create_eventset(&set), "PAPI_create_eventset");
  for (std::size_t i = 0; i < count; ++i)
    checked(PAPI_add_named_event(set, ("perf::" + software_events()[i]).c_str()),
            software_events()[i].c_str());
  checked(PAPI_start(set), "PAPI_start");
  long long begin[4];
  long long end[4];
  print_in_turn({{"PAPI_read twice", [&](int times) {
                    for (int i = 0; i < times; ++i) {
                      PAPI_read(set, begin);
                      PAPI_read(set, end);
                    }
                  }}});
}
