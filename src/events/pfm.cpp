// Translates and lists the names of events by libpfm4.
#include "events/pfm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <perfmon/pfmlib_perf_event.h>

#include <algorithm>
#include <mutex>

#include "events/abi.hpp"
#include "events/generic_names.hpp"
#include "events/spelling.hpp"

namespace tacho {
namespace {

std::mutex& lock() {
  static std::mutex mutex;
  return mutex;
}

// Call with the lock held.
bool started() {
  static const bool success = ::pfm_initialize() == PFM_SUCCESS;
  return success;
}

template <class Info>
Info empty_info() {
  Info info{};
  info.size = sizeof info;
  return info;
}

std::string one_line(const char* text) {
  std::string line = text == nullptr ? "" : text;
  std::ranges::replace(line, '\n', ' ');
  return line;
}

std::vector<pfm_pmu_info_t> pmus() {
  std::vector<pfm_pmu_info_t> found;
  for (int number = PFM_PMU_NONE; number < PFM_PMU_MAX; ++number) {
    auto info = empty_info<pfm_pmu_info_t>();
    if (::pfm_get_pmu_info(static_cast<pfm_pmu_t>(number), &info) == PFM_SUCCESS)
      found.push_back(info);
  }
  return found;
}

Domain domain_of(int event_index, const Event& event) {
  auto info = empty_info<pfm_event_info_t>();
  auto pmu = empty_info<pfm_pmu_info_t>();
  const bool known =
      ::pfm_get_event_info(event_index, PFM_OS_PERF_EVENT_EXT, &info) == PFM_SUCCESS &&
      ::pfm_get_pmu_info(info.pmu, &pmu) == PFM_SUCCESS;
  if (known && pmu.type == PFM_PMU_TYPE_CORE) return Domain::core;
  const bool generic =
      event.type == abi::kHardware || event.type == abi::kCache || event.type == abi::kRaw;
  return generic ? Domain::core : Domain::other;
}

// Whether the user named one of these privilege levels: a part of the name is `u`, `k=1` etc.
bool names_level(std::string_view spec, std::string_view levels) {
  for (std::size_t colon = spec.find(':'); colon != std::string_view::npos;
       colon = spec.find(':', colon + 1)) {
    const std::string_view part = spec.substr(colon + 1, spec.find(':', colon + 1) - colon - 1);
    if (part.empty() || levels.find(part[0]) == std::string_view::npos) continue;
    if (part.size() == 1 || part[1] == '=') return true;
  }
  return false;
}

Event to_event(std::string_view spec, const perf_event_attr& attr, int event_index) {
  Event event;
  event.name = spec;
  event.type = attr.type;
  event.config = attr.config;
  event.config1 = attr.config1;
  event.config2 = attr.config2;
  event.exclude_host = attr.exclude_host != 0;
  event.exclude_guest = attr.exclude_guest != 0;
  event.precise = static_cast<std::uint8_t>(attr.precise_ip);
  event.pinned = attr.pinned != 0;
  // libpfm4 gets no default level, so it excludes the levels that the user did not name. If the
  // processor has no hypervisor level, libpfm4 does not exclude it; perf excludes it unless it is
  // named.
  if (names_level(spec, "ukh")) {
    event.any_level = false;
    event.exclude_user = attr.exclude_user != 0;
    event.exclude_kernel = attr.exclude_kernel != 0;
    event.exclude_hv = !names_level(spec, "h");
  }
  event.domain = domain_of(event_index, event);
  describe_software(event);
  return event;
}

// An error if the name belongs to a processor other than this machine's, nothing if it is unknown.
Result<std::optional<Event>> explain_missing(std::string_view spec) {
  const std::size_t colons = spec.find("::");
  if (colons == std::string_view::npos) return std::nullopt;
  const std::string_view prefix = spec.substr(0, colons);
  std::vector<std::string> present;
  const pfm_pmu_info_t* named = nullptr;
  const std::vector<pfm_pmu_info_t> all = pmus();
  for (const pfm_pmu_info_t& pmu : all) {
    if (pmu.is_present && pmu.type != PFM_PMU_TYPE_OS_GENERIC) present.emplace_back(pmu.name);
    if (same_letters(pmu.name, prefix)) named = &pmu;
  }
  if (named != nullptr && named->is_present) return std::nullopt;
  const std::string reason =
      named == nullptr ? fmt::format("libpfm4 knows no PMU '{}'", prefix)
                       : fmt::format("this machine's PMU is not {} ({})", prefix, named->desc);
  return failure(fmt::format("event '{}': {}", spec, reason),
                 present.empty()
                     ? "libpfm4 knows none of this machine's PMUs"
                     : fmt::format("libpfm4's PMUs here: {}", fmt::join(present, ", ")));
}

std::vector<PfmName> read_names() {
  std::vector<PfmName> names;
  if (!started()) return names;
  for (const pfm_pmu_info_t& pmu : pmus()) {
    if (!pmu.is_present || pmu.type == PFM_PMU_TYPE_OS_GENERIC) continue;
    for (int i = pmu.first_event; i != -1; i = ::pfm_get_event_next(i)) {
      auto info = empty_info<pfm_event_info_t>();
      if (::pfm_get_event_info(i, PFM_OS_PERF_EVENT_EXT, &info) != PFM_SUCCESS) continue;
      const std::size_t before = names.size();
      for (int a = 0; a < info.nattrs; ++a) {
        auto attribute = empty_info<pfm_event_attr_info_t>();
        if (::pfm_get_event_attr_info(i, a, PFM_OS_PERF_EVENT_EXT, &attribute) != PFM_SUCCESS)
          continue;
        if (attribute.type == PFM_ATTR_UMASK)
          names.push_back({pmu.name, fmt::format("{}:{}", info.name, attribute.name),
                           one_line(attribute.desc)});
      }
      if (names.size() == before) names.push_back({pmu.name, info.name, one_line(info.desc)});
    }
  }
  return names;
}

}  // namespace

std::string_view pfm_absence() {
  return {};
}

Result<std::optional<Event>> pfm_event(std::string_view spec) {
  const std::scoped_lock guard(lock());
  if (!started() || spec.find('\0') != std::string_view::npos) return std::nullopt;
  const std::string text(spec);
  perf_event_attr attr{};
  attr.size = sizeof attr;
  pfm_perf_encode_arg_t query{};
  query.attr = &attr;
  query.size = sizeof query;
  const int code = ::pfm_get_os_event_encoding(text.c_str(), 0, PFM_OS_PERF_EVENT_EXT, &query);
  // tacho looks tracepoints up itself: libpfm4 reads a directory that newer kernels do not have.
  if (code == PFM_SUCCESS && attr.type != abi::kTracepoint) return to_event(spec, attr, query.idx);
  if (code == PFM_SUCCESS || code == PFM_ERR_NOTFOUND) return explain_missing(spec);
  return failure(fmt::format("event '{}': libpfm4 says: {}", spec, ::pfm_strerror(code)));
}

const std::vector<PfmName>& pfm_names() {
  const std::scoped_lock guard(lock());
  static const std::vector<PfmName> names = read_names();
  return names;
}

}  // namespace tacho
