#include "stat/plan_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "base/text_layout.hpp"

namespace tacho {
namespace {

std::string attributes_of(const Event& event) {
  struct Flag {
    const char* name;
    bool is_set;
  };
  const std::array flags = {Flag{"exclude_user", event.exclude_user},
                            Flag{"exclude_kernel", event.exclude_kernel},
                            Flag{"exclude_hv", event.exclude_hv},
                            Flag{"exclude_idle", event.exclude_idle},
                            Flag{"exclude_host", event.exclude_host},
                            Flag{"exclude_guest", event.exclude_guest},
                            Flag{"pinned", event.pinned},
                            Flag{"exclusive", event.exclusive}};
  struct Word {
    const char* name;
    std::uint64_t value;
  };
  const std::array more = {Word{"config1", event.config1}, Word{"config2", event.config2},
                           Word{"config3", event.config3}, Word{"bp_type", event.access}};
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();  // simulated
  std::string text = event.type == kNone
                         ? std::string("simulated")
                         : fmt::format("type {}, config {:#x}", event.type, event.config);
  for (const Word& word : more)
    if (word.value != 0) text += fmt::format(", {} {:#x}", word.name, word.value);
  for (const Flag& flag : flags)
    if (flag.is_set) text += fmt::format(", {}", flag.name);
  if (!event.cpus.empty()) text += fmt::format(", on CPUs {}", event.cpus);
  return text;
}

// When the event counts.
std::string place_of(const Plan& plan, std::size_t event) {
  if (plan.refused[event]) return "refused";
  const auto has = [event](const std::vector<std::size_t>& group) {
    return std::ranges::find(group, event) != group.end();
  };
  const auto set = std::ranges::find_if(plan.sets, has);
  if (set == plan.sets.end()) return "always";
  return fmt::format("set {} of {}", set - plan.sets.begin() + 1, plan.sets.size());
}

}  // namespace

std::string plan_text(const Plan& plan) {
  std::vector<Cells> rows;
  for (std::size_t i = 0; i < plan.events.size(); ++i) {
    const Event& event = plan.events[i];
    std::string what = attributes_of(event);
    if (i >= plan.asked) what += " (the reference)";
    rows.push_back({place_of(plan, i), printable(event.name), what});
  }
  return aligned(rows, "<<<", "   ");
}

}  // namespace tacho
