#include "latency/measure_model.hpp"

#include <algorithm>
#include <bit>

#include "latency/access_counter.hpp"
#include "latency/chase/list_sizes.hpp"
#include "latency/inference/rules.hpp"
#include "latency/progress_line.hpp"
#include "latency/simulated_prober.hpp"
#include "latency/survey.hpp"

namespace tacho {
namespace {

using chase::sizes_between;

constexpr const SimulationRules& kSizes = kLatencyRules.simulation;
constexpr double kSpreadShare = 0.6;  // of the progress

std::vector<AdvertisedCache> caches_of(const CpuModel& m) {
  std::vector<AdvertisedCache> caches;
  unsigned level = 0;
  const auto add = [&](const CacheModel& cache) {
    caches.push_back({++level, cache.size, cache.ways, cache.line});
  };
  add(m.l1d);
  if (m.l2) add(*m.l2);
  if (m.l3) add(*m.l3);
  return caches;
}

// Translations that the last level of the TLB holds.
std::size_t tlb_entries(const CpuModel& m) {
  const TlbModel& last = m.main_tlb ? *m.main_tlb : m.dtlb;
  return std::size_t{last.entries} + last.victims;
}

std::vector<AdvertisedTlb> tlb_of(const CpuModel& m) {
  std::vector<AdvertisedTlb> tlb = {{1, m.page, m.dtlb.entries}};
  if (m.main_tlb) tlb.push_back({2, m.page, tlb_entries(m)});
  return tlb;
}

// Beyond the model's caches and its TLB. Without LRU, loads of lists of several times a cache still
// hit it.
std::size_t default_most_bytes(const CpuModel& m) {
  const CacheModel& last = m.l3 ? *m.l3 : m.l2 ? *m.l2 : m.l1d;
  const std::size_t times = last.replacement == Replacement::lru ? 4 : 8;
  return std::bit_ceil(
      std::max(times * static_cast<std::size_t>(last.size), 4 * tlb_entries(m) * m.page));
}

Result<void> time_lists(const LatencyRequest& request, const CpuModel& model, Survey& survey) {
  const auto in_lines = [&](std::size_t bytes) {
    return std::max<std::size_t>(bytes / model.l1d.line, 1);
  };
  std::vector<std::size_t> lines;
  for (const std::size_t size : request.sizes) lines.push_back(in_lines(size));
  if (!request.sizes.empty())
    return survey.run({.lines = std::move(lines), .stage = {0, 1, "simulating"}});
  lines = sizes_between(in_lines(kSizes.least_bytes),
                        in_lines(request.most_bytes.value_or(default_most_bytes(model))), 2, 1);
  TACHO_TRY(survey.run({.lines = std::move(lines),
                        .refinements = kSizes.refinements,
                        .stage = {0, kSpreadShare, "simulating"}}));
  return survey.run({.layout = Layout::spread,
                     .lines = sizes_between(kSizes.least_pages, 4 * tlb_entries(model), 3, 1),
                     .refinements = kSizes.refinements,
                     .stage = {kSpreadShare, 1, "simulating"}});
}

}  // namespace

Result<LatencyReport> measure_model(const LatencyRequest& request, const chase::Stop& stop,
                                    const LatencyProgress& progress) {
  const CpuModel& model = *request.pmu.model;
  LatencyReport report;
  report.simulated = true;
  report.processor = model.name;
  report.clock = "simulated cycles";
  report.advertised = {caches_of(model), tlb_of(model)};
  std::vector<std::string> events = {"cycles"};
  events.insert(events.end(), request.events.begin(), request.events.end());
  AccessCounter counter = TACHO_TRY(AccessCounter::open(request.pmu, events));

  const ProgressLine line(progress);
  const SurveyProgressCallback show = line.callback();
  const SurveyedMachine machine{.advertised = report.advertised,
                                .line_bytes = model.l1d.line,
                                .tick_hz = static_cast<double>(model.frequency_hz)};
  SimulatedProber prober(counter, model, stop);
  Survey survey(prober, machine, show);
  TACHO_TRY(time_lists(request, model, survey));
  report.seconds = line.seconds();
  report.partial = survey.ended();
  report.ended_by = prober.ended_by();
  report.samples = survey.judged_samples();
  report.inference = survey.infer();
  report.warnings = report.inference.warnings;
  if (!request.events.empty()) {
    std::ranges::sort(prober.events(), {}, &AccessEvents::bytes);
    report.events = EventsOfSizes{.pmu = counter.pmu(),
                                  .page_bytes = model.page,
                                  .names = counter.names(),
                                  .units = counter.units(),
                                  .reasons = counter.reasons(),
                                  .sizes = std::move(prober.events())};
  }
  return report;
}

}  // namespace tacho
