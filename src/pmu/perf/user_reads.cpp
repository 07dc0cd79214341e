#include "pmu/perf/user_reads.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "base/file.hpp"
#include "events/catalogue.hpp"
#include "pmu/perf/core_pmu.hpp"
#include "pmu/perf/fallbacks.hpp"

namespace tacho {

Result<bool> user_space_may_read(const Event& event) {
  const auto fd = TACHO_TRY(open_with_fallbacks(event, {.inherit = false, .user_reads = true}));
  const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* page = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (page == MAP_FAILED) return failure("the counter's page can't be mapped");
  const bool allowed = static_cast<const volatile perf_event_mmap_page*>(page)->cap_user_rdpmc != 0;
  ::munmap(page, size);
#if defined(__aarch64__)
  return allowed && first_line("/proc/sys/kernel/perf_user_access") == "1";
#else
  return allowed;
#endif
}

std::vector<std::string> rdpmc_switches() {
  std::vector<std::string> paths;
  for (const CorePmu& core : core_pmus()) {
    std::string path = fmt::format("{}/{}/rdpmc", CatalogueRoots().sysfs, core.name);
    if (!first_line(path).empty()) paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace tacho
