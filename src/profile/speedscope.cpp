// Writes speedscope's file format: https://www.speedscope.app/file-format-schema.json
#include "profile/call_stacks.hpp"
#include "profile/report.hpp"
#include "report/schema.hpp"

namespace tacho {

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
  for (std::size_t event = 0; event < events.size(); ++event) {
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
  return written({{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                  {"exporter", "tacho " + std::string(in.version)},
                  {"name", (events.empty() ? "" : events[in.event].name) +
                               (in.chosen.empty() ? "" : " of " + in.chosen)},
                  {"activeProfileIndex", in.event},
                  {"shared", {{"frames", std::move(frames)}}},
                  {"profiles", std::move(profiles)}});
}

}  // namespace tacho
