// Writes speedscope's file format: https://www.speedscope.app/file-format-schema.json
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "profile/call_stacks.hpp"
#include "profile/report.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

constexpr std::size_t kMostInOrder = 1000;  // threads

// A thread over time: its samples in order, each below a frame that says what the thread did.
struct ThreadOverTime {
  std::int32_t tid = -1;
  std::vector<const TimedSample*> samples;
  std::uint64_t sum = 0;
};

// Those with most time.
std::vector<ThreadOverTime> threads_over_time(const Profile& profile, const SampledEvent& event) {
  std::map<std::pair<std::int32_t, std::int32_t>, ThreadOverTime> found;  // by pid and tid
  for (const TimedSample& sample : profile.samples()) {
    if (std::ranges::count(event.parts, sample.event) == 0) continue;
    ThreadOverTime& thread = found[{sample.pid, sample.tid}];
    thread.tid = sample.tid;
    thread.samples.push_back(&sample);
    thread.sum += sample.period;
  }
  std::vector<ThreadOverTime> threads;
  for (auto& [id, thread] : found) threads.push_back(std::move(thread));
  std::ranges::stable_sort(threads, std::ranges::greater(), &ThreadOverTime::sum);
  if (threads.size() > kMostInOrder) threads.resize(kMostInOrder);
  return threads;
}

}  // namespace

std::string profile_speedscope(const ProfileExport& in) {
  const CallStacks stacks(in);
  Json frames = Json::array();
  for (FunctionId id = 0; id < stacks.names().size(); ++id) {
    const FunctionInfo& info = in.resolver.function(id);
    frames.push_back(
        {{"name", stacks.names()[id]}, {"file", in.profile.modules()[info.module].path}});
  }
  Json profiles = Json::array();
  const std::vector<SampledEvent> events = sampled_events(in.profile, in.recording);
  std::size_t active = 0;
  for (std::size_t event = 0; event < events.size(); ++event) {
    if (event == in.event) active = profiles.size();
    if (events[event].count.samples == 0 && event != in.event) continue;
    Json samples = Json::array();
    Json weights = Json::array();
    std::uint64_t sum = 0;
    for (const std::size_t node : stacks.leaves(event)) {
      Json sample = Json::array();
      for (const std::uint32_t cell : stacks.path(node)) sample.push_back(stacks.function(cell));
      const std::uint64_t weight = in.profile.count_at_node(event, node).sum;
      samples.push_back(std::move(sample));
      weights.push_back(weight);
      sum += weight;
    }
    profiles.push_back({{"type", "sampled"},
                        {"name", events[event].name},
                        {"unit", events[event].clock ? "nanoseconds" : "none"},
                        {"startValue", 0},
                        {"endValue", sum},
                        {"samples", std::move(samples)},
                        {"weights", std::move(weights)}});
  }
  // The order of time, with a colour for each state, if the samples last.
  if (!events.empty() && events[in.event].lengths && !events[in.event].parts.empty()) {
    const std::size_t first = frames.size();
    for (const SampledEvent& event : events) frames.push_back({{"name", event.name}});
    for (const ThreadOverTime& thread : threads_over_time(in.profile, events[in.event])) {
      Json samples = Json::array();
      Json weights = Json::array();
      for (const TimedSample* const each : thread.samples) {
        Json sample = Json::array({first + each->event});
        for (const std::uint32_t cell : stacks.path(each->node))
          sample.push_back(stacks.function(cell));
        samples.push_back(std::move(sample));
        weights.push_back(each->period);
      }
      profiles.push_back(
          {{"type", "sampled"},
           {"name", fmt::format("{} ({}) over time", in.profile.name_of(thread.tid), thread.tid)},
           {"unit", "nanoseconds"},
           {"startValue", 0},
           {"endValue", thread.sum},
           {"samples", std::move(samples)},
           {"weights", std::move(weights)}});
    }
  }
  return written({{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                  {"exporter", "tacho " + std::string(in.version)},
                  {"name", (events.empty() ? "" : events[in.event].name) +
                               (in.chosen.empty() ? "" : " of " + in.chosen)},
                  {"activeProfileIndex", active},
                  {"shared", {{"frames", std::move(frames)}}},
                  {"profiles", std::move(profiles)}});
}

}  // namespace tacho
