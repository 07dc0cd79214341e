#include "stat/rates_over_time.hpp"

#include <span>

#include "stats/change_points.hpp"

namespace tacho {
namespace {

constexpr double kRisk = 0.01;

// The kernel may take the counters away for a part of a period.
double counting_s(const Period& period, bool turned) {
  if (!turned || period.enabled_ns <= period.running_ns) return period.duration_s;
  return period.duration_s * static_cast<double>(period.running_ns) /
         static_cast<double>(period.enabled_ns);
}

}  // namespace

void RatesOverTime::add(const std::string& event, double start_s, double end_s, double rate) {
  Stretches& stretches = events_[event];
  stretches.start_s.push_back(start_s);
  stretches.end_s.push_back(end_s);
  stretches.rate.push_back(rate);
}

void RatesOverTime::add(const Measurement& m, const Period& period,
                        std::span<const std::uint64_t> always) {
  for (const CountedEvent& event : m.events) {
    const bool turned = event.duty == Duty::turned;
    if (!turned && event.duty != Duty::always) continue;
    if (turned && event.set != period.set) continue;
    const std::span<const std::uint64_t> counts = turned ? period.counts : always;
    const double counting = counting_s(period, turned);
    if (event.slot >= counts.size() || !(counting > 0)) continue;
    add(event.name, period.start_s, period.start_s + period.duration_s,
        static_cast<double>(counts[event.slot]) * event.scale / counting);
  }
}

Json RatesOverTime::phases() const {
  Json all = Json::array();
  for (const auto& [name, stretches] : events_) {
    const auto& [start_s, end_s, rate] = stretches;
    std::vector<std::size_t> firsts =
        change_points(rate, kRisk / static_cast<double>(events_.size()));
    if (firsts.empty()) continue;
    firsts.insert(firsts.begin(), 0);
    Json phases = Json::array();
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      const std::size_t end = i + 1 < firsts.size() ? firsts[i + 1] : rate.size();
      double count = 0, time = 0;
      for (std::size_t k = firsts[i]; k < end; ++k) {
        count += rate[k] * (end_s[k] - start_s[k]);
        time += end_s[k] - start_s[k];
      }
      phases.push_back({{"start_s", json_number(start_s[firsts[i]])},
                        {"end_s", json_number(end_s[end - 1])},
                        {"rate", json_number(count / time)}});
    }
    all.push_back({{"event", name}, {"phases", std::move(phases)}});
  }
  return all;
}

}  // namespace tacho
