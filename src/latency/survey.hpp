// The loop of every latency measurement: time lists (sweep), find the levels (infer), and time more
// lists near the edges (refine).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "latency/inference/results.hpp"
#include "latency/prober.hpp"

namespace tacho {

struct SurveyProgress {
  double done = 0;  // share of the whole, roughly
  std::string what;
};
using SurveyProgressCallback = std::function<void(const SurveyProgress&)>;

// A part of a survey, as its progress is shown: shares of the whole, roughly.
struct SurveyStage {
  double begin = 0;
  double end = 1;
  std::string what;
};

// What a survey knows about the machine before it begins.
struct SurveyedMachine {
  Advertised advertised;
  std::size_t line_bytes = 64;
  double tick_hz = 0;
  std::size_t own_lines = 0;  // lines that caches of the core's own may hold
};

// Lists of one layout, and how often to add some where the inference asks for them.
struct SweepPlan {
  Layout layout = Layout::packed;
  std::vector<std::size_t> lines;  // the first lists
  int refinements = 0;             // rounds of adding lists
  // Also time a packed list of as many lines beside each list: what the caches cost without pages.
  bool with_controls = false;
  SurveyStage stage;
};

class Survey {
 public:
  // All of these must outlive the survey.
  Survey(Prober& prober, const SurveyedMachine& machine, const SurveyProgressCallback& progress)
      : prober_(prober), machine_(machine), progress_(progress) {}

  Result<void> run(const SweepPlan& plan);

  // Times the last `count` lists, which are packed, once more. Of the two samples of a list the
  // faster one is kept, because other work only adds time; if they differ much, it is flagged.
  Result<void> remeasure_last(std::size_t count, const SurveyStage& stage);

  // The inference from all lists so far.
  LatencyInference infer() const;
  // The samples for the inference. If most lists had the core for themselves, those that did not
  // are flagged as disturbed, as far as caches of the core's own may hold them.
  std::vector<LatencySample> judged_samples() const;

  void add_fills(const std::vector<CacheFill>& fills);
  const std::vector<CacheFill>& fills() const { return fills_; }

  // Whether the measurement ended before its end. Asks the prober.
  bool ended();

 private:
  Result<void> probe_all(Layout layout, const std::vector<std::size_t>& lines,
                         const SurveyStage& stage);
  std::vector<std::size_t> lines_to_add(Layout layout) const;
  SizeLatency latency_of(const LatencySample& sample) const;

  Prober& prober_;
  const SurveyedMachine& machine_;
  const SurveyProgressCallback& progress_;
  std::vector<LatencySample> samples_;
  std::vector<CacheFill> fills_;
  bool ended_ = false;
};

}  // namespace tacho
