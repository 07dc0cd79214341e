#include "doctor/prove/taken_samples.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "doctor/prove/clocks.hpp"
#include "perfdata/format_constants.hpp"
#include "perfdata/sample.hpp"
#include "stats/quantile.hpp"

namespace tacho::prove {
namespace {

constexpr double kTick = 0.1;  // seconds between two draws of the sampling period

struct RecordHead {  // struct perf_event_header
  std::uint32_t type = 0;
  std::uint16_t misc = 0;
  std::uint16_t size = 0;
};

// Adds the records to what was taken.
class Taker {
 public:
  Taker(const perfdata::SampleLayout& layout, const SampleSpec& spec)
      : layout_(layout), period_(spec.period.value_or(0)) {}

  void operator()(std::span<const std::byte> records, Taken& taken) {
    RecordHead head;
    while (records.size() >= sizeof head) {
      std::memcpy(&head, records.data(), sizeof head);
      if (head.size < sizeof head || head.size > records.size()) return;
      take(head, records.subspan(sizeof head, head.size - sizeof head), taken);
      records = records.subspan(head.size);
    }
  }

 private:
  void take(const RecordHead& head, std::span<const std::byte> body, Taken& taken) {
    if (head.type == perfdata::format::kThrottle) ++taken.throttled;
    if (head.type == perfdata::format::kLost) ++taken.lost;
    perfdata::Sample sample;
    if (head.type != perfdata::format::kSample ||
        !parser_.parse(body, head.misc, layout_, false, sample))
      return;
    taken.samples.push_back({.ip = sample.ip.value_or(0),
                             .period = sample.period.value_or(period_),
                             .branches = {sample.branches.begin(), sample.branches.end()}});
  }

  const perfdata::SampleLayout& layout_;
  std::uint64_t period_;
  perfdata::SampleParser parser_;
};

// By how much the slices that took much longer than the median exceed it, in seconds.
double interruptions(std::vector<double> slices) {
  constexpr double kMuchLonger = 3;
  if (slices.empty()) return 0;
  const double usual = median(slices);
  double sum = 0;
  for (const double each : slices)
    if (each > kMuchLonger * usual) sum += each - usual;
  return sum;
}

}  // namespace

Result<std::unique_ptr<Sampler>> open_sampler(const Bench& bench, const Event& event,
                                              const SampleSpec& spec) {
  const std::array groups{EventGroup{event}};
  return bench.pmu.sample(groups, Self{}, Start::stopped, spec);
}

Result<Taken> take_samples(Sampler& sampler, const SampleSpec& spec, double seconds,
                           const std::function<void()>& slice) {
  const auto attr = perfdata::parse_attr(sampler.events().front().attributes, false);
  if (!attr) return failure("the sampled event has no attributes");
  const perfdata::SampleLayout layout(*attr);
  Taker take(layout, spec);
  Taken taken;
  const auto sink = [&](std::span<const std::byte> records) -> Result<void> {
    take(records, taken);
    return {};
  };
  std::mt19937_64 random(1);
  std::uniform_real_distribution<> draw;
  sampler.dither(draw(random));
  TACHO_TRY(sampler.enable());
  const double begun = cpu_seconds();
  double tick = begun + kTick;
  std::vector<double> slices;
  for (double now = begun; now < begun + seconds;) {
    slice();
    slices.push_back(cpu_seconds() - now);
    now += slices.back();
    if (now < tick) continue;
    TACHO_TRY(sampler.drain(sink));
    sampler.dither(draw(random));
    now = cpu_seconds();
    tick = now + kTick;
  }
  taken.cpu_s = cpu_seconds() - begun;
  taken.interrupted_s = interruptions(slices);
  TACHO_TRY(sampler.drain(sink));
  return taken;
}

}  // namespace tacho::prove
