// pfm_events PMU…: prints a line "PMU NUMBER NAME" for each event in libpfm4's table of the PMU.
// The board need not have that PMU.
#include <perfmon/pfmlib.h>

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  if (::pfm_initialize() != PFM_SUCCESS) return 1;
  for (int number = PFM_PMU_NONE; number < PFM_PMU_MAX; ++number) {
    pfm_pmu_info_t pmu{};
    pmu.size = sizeof pmu;
    if (::pfm_get_pmu_info(static_cast<pfm_pmu_t>(number), &pmu) != PFM_SUCCESS) continue;
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(pmu.name, argv[i]) != 0) continue;
      for (int event = pmu.first_event; event != -1; event = ::pfm_get_event_next(event)) {
        pfm_event_info_t info{};
        info.size = sizeof info;
        if (::pfm_get_event_info(event, PFM_OS_NONE, &info) == PFM_SUCCESS)
          std::printf("%s %llu %s\n", pmu.name, static_cast<unsigned long long>(info.code),
                      info.name);
      }
    }
  }
  return 0;
}
