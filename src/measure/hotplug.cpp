#include "measure/hotplug.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tacho {
namespace {

// "CPU 3", "CPUs 1-3, 8".
std::string cpus_text(std::span<const int> cpus) {
  std::string list;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!list.empty()) list += ", ";
    list += last == i ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[last]);
    i = last + 1;
  }
  return (cpus.size() == 1 ? "CPU " : "CPUs ") + list;
}

struct Fate {
  bool was_there;
  bool is_there;
  std::string_view text;  // {0}: the CPUs; {1}: the greatest time not counted, in ms
};

constexpr std::array kFates = {
    Fate{true, false, "{0} went offline during the run: counted up to then"},
    Fate{true, true,
         "{0} went offline and came back during the run: not counted for up to {1} ms after "
         "coming back"},
    Fate{false, true, "{0} came online during the run: not counted for up to {1} ms after that"},
    Fate{false, false,
         "{0} came online and went offline again during the run: not counted for up to {1} ms "
         "after coming"},
};

}  // namespace

void Hotplug::check(std::span<TargetCounters> targets) {
  const std::vector<CpuChange> changes = watch_.look();
  for (const CpuChange& change : changes) {
    if (!only_.empty() && std::ranges::find(only_, change.cpu) == only_.end()) continue;
    Result<void> followed;
    for (TargetCounters& target : targets)
      if (auto done = target.follow(change.cpu, change.is_online); !done && followed)
        followed = done;
    const auto [at, first] = histories_.try_emplace(change.cpu);
    History& history = at->second;
    if (first) history.was_there = change.was_online;
    history.is_there = change.is_online;
    if (change.is_online) history.missed = std::max(history.missed, Clock::now() - looked_);
    if (history.followed) history.followed = followed;
  }
  if (!changes.empty()) watch_.guard();
  looked_ = Clock::now();
}

std::vector<std::string> Hotplug::warnings() const {
  std::vector<std::string> result;
  for (const Fate& fate : kFates) {
    std::vector<int> cpus;
    Clock::duration missed{};
    for (const auto& [cpu, history] : histories_) {
      if (history.was_there != fate.was_there || history.is_there != fate.is_there) continue;
      cpus.push_back(cpu);
      missed = std::max(missed, history.missed);
    }
    if (!cpus.empty() && !fate.was_there && !with_new_)
      result.push_back(fmt::format(
          "{} came online during the run: not counted, as --per-cpu (-A) counts the CPUs that "
          "were online at its beginning",
          cpus_text(cpus)));
    else if (!cpus.empty())
      result.push_back(fmt::format(fmt::runtime(fate.text), cpus_text(cpus),
                                   std::chrono::ceil<std::chrono::milliseconds>(missed).count()));
  }
  for (const auto& [cpu, history] : histories_)
    if (!history.followed)
      result.push_back(fmt::format(
          "CPU {} could not be counted completely after it went offline or came online: {}", cpu,
          history.followed.error().what));
  return result;
}

}  // namespace tacho
