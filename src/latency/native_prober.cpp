#include "latency/native_prober.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "latency/inference/rules.hpp"

namespace tacho {
namespace {

using chase::Effort;
using chase::List;
using chase::Memory;

constexpr const SurveyRules& kProbing = kLatencyRules.survey;

// Repeated lists are loads, whatever the access: they show the TLB.
Effort for_repeated_lists(Effort effort) {
  effort.walks = kProbing.repeated_walks;
  return effort;
}

}  // namespace

NativeProber::NativeProber(const Settings& settings, chase::Stop stop)
    : settings_(settings),
      stop_(std::move(stop)),
      sampler_(settings.access, settings.timer, settings.effort, stop_),
      repeated_sampler_(chase::Access::load, settings.timer, for_repeated_lists(settings.effort),
                        stop_) {}

Result<void> NativeProber::obtain_memory(Layout layout, chase::Pages pages, std::size_t bytes) {
  Memory memory =
      TACHO_TRY(layout == Layout::repeated ? Memory::repeated(bytes / chase::small_page_bytes())
                                           : Memory::obtain(bytes, pages));
  const List list(memory.bytes(), {layout, settings_.line_bytes, memory.page_bytes()});
  memories_.push_back({layout, std::move(memory), list});
  return {};
}

std::size_t NativeProber::capacity(Layout layout) const {
  const auto latest =
      std::ranges::find(memories_ | std::views::reverse, layout, &ListMemory::layout);
  return latest == memories_.rend() ? 0 : latest->list.capacity();
}

bool NativeProber::moved() const {
  return ::sched_getcpu() != settings_.cpu;
}

bool NativeProber::ended() {
  if (stop_()) return true;
  if (!moved()) return false;
  if (warnings_.empty())
    warnings_.push_back(
        fmt::format("CPU {} went offline, or was taken from this process: the results are those "
                    "until then",
                    settings_.cpu));
  return true;
}

// How long to wait for undisturbed slices: less if the whole has already taken long.
std::chrono::nanoseconds NativeProber::longest_wait() const {
  if (taken() > kProbing.late) return kProbing.late_wait;
  return taken() > kProbing.long_already ? kProbing.short_wait : kProbing.usual_wait;
}

// The least disturbed of a few measurements.
std::optional<LatencySample> NativeProber::sample(const List& list, Layout layout) {
  chase::Sampler& sampler = layout == Layout::repeated ? repeated_sampler_ : sampler_;
  auto best = sampler.measure(list, longest_wait());
  for (int more = 0; more < kProbing.more_tries && best && taken() <= kProbing.late &&
                     best->disturbed_share > kProbing.much_disturbed;
       ++more)
    if (auto next = sampler.measure(list, longest_wait());
        next && next->disturbed_share < best->disturbed_share)
      best = std::move(next);
  return best;
}

Result<std::optional<LatencySample>> NativeProber::probe(const ListToProbe& asked) {
  if (asked.lines > capacity(asked.layout))
    return failure(fmt::format("there is no memory for a list of {} lines", asked.lines));
  const auto memory =
      std::ranges::find(memories_ | std::views::reverse, asked.layout, &ListMemory::layout);
  memory->list.resize(asked.lines);
  auto found = sample(memory->list, asked.layout);
  // On another CPU it was perhaps measured in another core's caches.
  if (!found || (moved() && ended())) return std::nullopt;
  const bool words = asked.layout == Layout::repeated;
  found->bytes = asked.lines * (words ? sizeof(chase::Link) : settings_.line_bytes);
  found->lines = asked.lines;
  found->page_bytes = memory->memory.page_bytes();
  found->layout = asked.layout;
  return found;
}

}  // namespace tacho
