#include "latency/survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "latency/inference/infer.hpp"
#include "latency/inference/list_latency.hpp"
#include "latency/inference/refine.hpp"
#include "latency/inference/rules.hpp"

namespace tacho {
namespace {

constexpr const SurveyRules& kSurvey = kLatencyRules.survey;

// The part of a stage that one round takes: the first has twice as many lists as the others.
SurveyStage part_of(const SurveyStage& stage, int round, int rounds) {
  const double step = (stage.end - stage.begin) / (rounds + 2);
  return {stage.begin + step * (round == 0 ? 0 : round + 1), stage.begin + step * (round + 2),
          round == 0 ? stage.what : stage.what + ", edges"};
}

}  // namespace

bool Survey::ended() {
  ended_ = ended_ || prober_.ended();
  return ended_;
}

Result<void> Survey::run(const SweepPlan& plan) {
  std::vector<std::size_t> lines = plan.lines;
  for (int round = 0; round <= plan.refinements && !lines.empty() && !ended(); ++round) {
    SurveyStage stage = part_of(plan.stage, round, plan.refinements);
    SurveyStage of_controls = stage;
    if (plan.with_controls) {
      of_controls.begin = stage.end = (stage.begin + stage.end) / 2;
      of_controls.what += ", control";
    }
    TACHO_TRY(probe_all(plan.layout, lines, stage));
    if (plan.with_controls) TACHO_TRY(probe_all(Layout::packed, lines, of_controls));
    if (round < plan.refinements) lines = lines_to_add(plan.layout);
  }
  return {};
}

Result<void> Survey::probe_all(Layout layout, const std::vector<std::size_t>& lines,
                               const SurveyStage& stage) {
  for (std::size_t i = 0; i < lines.size() && !ended(); ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(lines.size());
    progress_({stage.begin + (stage.end - stage.begin) * part, stage.what});
    auto sample = TACHO_TRY(prober_.probe({layout, lines[i]}));
    if (sample) samples_.push_back(std::move(*sample));
    ended_ = ended_ || !sample;
  }
  return {};
}

std::vector<std::size_t> Survey::lines_to_add(Layout layout) const {
  const SizesToRefine wanted = sizes_to_refine(infer(), kSurvey.edges_within, machine_.line_bytes);
  std::vector<std::size_t> lines;
  if (layout == Layout::packed) {
    for (const std::uint64_t bytes : wanted.packed_bytes)
      lines.push_back(static_cast<std::size_t>(bytes / machine_.line_bytes));
  } else {
    for (const std::uint64_t pages : wanted.spread_pages)
      lines.push_back(static_cast<std::size_t>(pages));
  }
  std::erase_if(lines, [&](std::size_t count) { return count > prober_.capacity(layout); });
  return lines;
}

SizeLatency Survey::latency_of(const LatencySample& sample) const {
  return infer_latency({&sample, 1}, machine_.advertised, machine_.tick_hz).sizes.front();
}

Result<void> Survey::remeasure_last(std::size_t count, const SurveyStage& stage) {
  const std::size_t first = samples_.size() - std::min(count, samples_.size());
  for (std::size_t i = first; i < samples_.size() && !ended(); ++i) {
    progress_({stage.begin, stage.what});
    LatencySample& sample = samples_[i];
    auto other = TACHO_TRY(prober_.probe({sample.layout, static_cast<std::size_t>(sample.lines)}));
    ended_ = ended_ || !other;
    if (ended_) return {};
    const SizeLatency before = latency_of(sample);
    const SizeLatency now = latency_of(*other);
    const double ratio = now.cycles / before.cycles;
    if (before.disturbed || (!now.disturbed && ratio < 1)) sample = std::move(*other);
    const double apart = std::max(ratio, 1 / ratio);
    if (before.disturbed || now.disturbed || apart < kSurvey.remeasured_apart) continue;
    sample.disturbed_share = 1;
    sample.disturbance = fmt::format("took {:.2f} times as long at another time", apart);
  }
  return {};
}

std::vector<LatencySample> Survey::judged_samples() const {
  std::vector<LatencySample> samples = samples_;
  const auto shared = std::ranges::count_if(samples, &LatencySample::core_shared);
  if (2 * static_cast<std::size_t>(shared) > samples.size()) return samples;
  for (LatencySample& sample : samples) {
    if (!sample.core_shared || sample.lines > machine_.own_lines) continue;
    sample.disturbed_share = 1;
    sample.disturbance = kCoreShared;
  }
  return samples;
}

LatencyInference Survey::infer() const {
  return infer_latency(judged_samples(), machine_.advertised, machine_.tick_hz, fills_);
}

void Survey::add_fills(const std::vector<CacheFill>& fills) {
  fills_.insert(fills_.end(), fills.begin(), fills.end());
}

}  // namespace tacho
