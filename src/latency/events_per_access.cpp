#include "latency/events_per_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <set>

#include "latency/access_counter.hpp"
#include "latency/chase/memory.hpp"

namespace tacho {
namespace {

// So many accesses that their time is far more than the differences between program starts.
std::size_t steps_for(double ns) {
  constexpr double kWalkNs = 30e6;
  return static_cast<std::size_t>(std::clamp(kWalkNs / std::max(ns, 0.1), 1e5, 2e7));
}

}  // namespace

Result<void> count_events_per_access(const LatencyRequest& request, const LatencyProgress& progress,
                                     LatencyReport& report) {
  AccessCounter counter = TACHO_TRY(AccessCounter::open(request.pmu, request.events));
  const bool huge = request.pages == PageSizes::huge;
  EventsOfSizes events{.pmu = counter.pmu(),
                       .page_bytes = huge ? chase::huge_page_bytes() : chase::small_page_bytes(),
                       .names = counter.names(),
                       .units = counter.units()};
  std::set<std::uint64_t> counted;  // bytes
  for (const SizeLatency& size : report.inference.sizes) {
    const bool wanted = !request.sizes.empty() || std::has_single_bit(size.bytes);
    if (size.layout != Layout::packed || !wanted || !counted.insert(size.bytes).second) continue;
    progress(fmt::format("latency: events at {} bytes", size.bytes));
    const Walk walk{.bytes = static_cast<std::size_t>(size.bytes),
                    .steps = steps_for(size.ns),
                    .line_bytes = line_bytes_of(report),
                    .access = request.access,
                    .huge_pages = huge};
    const auto lines = static_cast<std::size_t>(size.lines);
    auto values = counter.count(walk, std::min(2 * lines, walk.steps));
    if (!values && values.error().code != EINTR) return std::unexpected(values.error());
    if (!values) {
      report.partial = true;
      report.ended_by = counter.ended_by();
      break;
    }
    events.sizes.push_back({size.bytes, std::move(*values)});
  }
  events.reasons = counter.reasons();
  std::ranges::sort(events.sizes, {}, &AccessEvents::bytes);
  report.events = std::move(events);
  return {};
}

}  // namespace tacho
