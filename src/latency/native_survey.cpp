#include "latency/native_survey.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "latency/chase/cache_filling.hpp"
#include "latency/chase/disturbance.hpp"
#include "latency/chase/list_sizes.hpp"
#include "latency/chase/remeasure.hpp"
#include "latency/inference/rules.hpp"

namespace tacho {
namespace {

using chase::Pages;
using chase::sizes_between;

constexpr const SurveyRules& kPlan = kLatencyRules.survey;
constexpr double kNanoseconds = 1e-9;

// Where the stages begin, as shares of the whole time, roughly: for the progress alone.
constexpr double kSmallPages = 0.5;
constexpr double kSpreadLists = 0.7;
constexpr double kRepeatedLists = 0.8;
constexpr double kOwnCaches = 0.85;
constexpr double kFilling = 0.9;
constexpr double kSpreadListsAgain = 0.95;

std::string said(const Error& error) {
  return error.what + "; " + error.remedy;
}

class MachineSurvey {
 public:
  MachineSurvey(const NativeSurveyRequest& request, const chase::Stop& stop,
                const SurveyProgressCallback& progress)
      : request_(request),
        progress_(progress),
        prober_(request.probing, stop),
        survey_(prober_, request.machine, progress) {}

  Result<NativeSurvey> run();

 private:
  Result<void> caches(Pages pages, const SurveyStage& stage, bool refined);
  Result<void> caches_on_all_pages();
  Result<void> tlb(std::vector<std::size_t> pages, const SurveyStage& stage);
  Result<void> second_tlb_level(const SurveyStage& stage);
  Result<void> own_caches_again(const SurveyStage& stage);
  Result<void> fill_caches(const SurveyStage& stage);
  Result<void> tlb_again(const SurveyStage& stage);
  Result<void> all_lists();

  bool chooses_sizes() const { return request_.sizes.empty(); }
  bool surveys_tlb() const {
    return chooses_sizes() && request_.small && most_pages() > kPlan.least_pages;
  }
  std::size_t most_pages() const {
    return std::min(kPlan.most_pages, request_.most_bytes / chase::small_page_bytes());
  }
  std::size_t in_lines(std::size_t bytes) const {
    return std::max<std::size_t>(bytes / request_.machine.line_bytes, 1);
  }

  const NativeSurveyRequest& request_;
  const SurveyProgressCallback& progress_;
  NativeProber prober_;
  Survey survey_;
  NativeSurvey result_;
  Pages best_pages_ = Pages::small;  // on which the TLB has the least to do with lists
};

// The sizes of the request, twice, or two lists an octave and more at edges.
Result<void> MachineSurvey::caches(Pages pages, const SurveyStage& stage, bool refined) {
  progress_({stage.begin, "getting memory"});
  TACHO_TRY(prober_.obtain_memory(Layout::packed, pages, request_.most_bytes));
  std::vector<std::size_t> lines;
  for (const std::size_t size : request_.sizes) lines.push_back(in_lines(size));
  if (chooses_sizes())
    lines = sizes_between(in_lines(std::min(kPlan.least_bytes, request_.most_bytes)),
                          in_lines(request_.most_bytes), refined ? 2 : 1, 1);
  const double middle = chooses_sizes() ? stage.end : (stage.begin + stage.end) / 2;
  TACHO_TRY(survey_.run({.lines = lines,
                         .refinements = refined ? kPlan.refinements : 0,
                         .stage = {stage.begin, middle, stage.what}}));
  if (!chooses_sizes() && !survey_.ended())
    TACHO_TRY(survey_.remeasure_last(lines.size(), {middle, stage.end, stage.what + ", again"}));
  prober_.release_memory();
  return {};
}

Result<void> MachineSurvey::caches_on_all_pages() {
  bool has_huge = false;
  if (request_.huge) {
    const double end = request_.small ? kSmallPages : 1;
    const auto done = caches(Pages::huge, {0, end, "huge pages"}, chooses_sizes());
    if (!done && !request_.small) return done;
    if (!done) result_.warnings.push_back(said(done.error()));
    has_huge = done.has_value();
  }
  best_pages_ = has_huge ? Pages::huge : Pages::small;
  if (!request_.small || survey_.ended()) return {};
  return caches(Pages::small,
                {has_huge ? kSmallPages : 0, chooses_sizes() ? kSpreadLists : 1, "small pages"},
                chooses_sizes() && !has_huge);
}

// One line on each page, and beside it as many lines side by side, on the pages that cost least:
// the part of a rise that the caches alone cause.
Result<void> MachineSurvey::tlb(std::vector<std::size_t> pages, const SurveyStage& stage) {
  if (pages.empty()) return {};
  const std::size_t most = most_pages();
  TACHO_TRY(prober_.obtain_memory(Layout::spread, Pages::small, most * chase::small_page_bytes()));
  TACHO_TRY(prober_.obtain_memory(Layout::packed, best_pages_, most * request_.machine.line_bytes));
  auto done = survey_.run({.layout = Layout::spread,
                           .lines = std::move(pages),
                           .refinements = kPlan.refinements,
                           .with_controls = true,
                           .stage = stage});
  prober_.release_memory();
  return done;
}

// One word on each page, of pages that show the same memory: they need hardly any cache, and show
// the second level of the TLB. First all sizes, then those near the end of the level, at other
// addresses. If such pages are not available, the spread lists have to show it.
Result<void> MachineSurvey::second_tlb_level(const SurveyStage& stage) {
  const double step = (stage.end - stage.begin) / static_cast<double>(kPlan.placements);
  for (std::size_t placement = 0; placement < kPlan.placements && !survey_.ended(); ++placement) {
    const std::vector<TlbTier> found = survey_.infer().tlb;
    if (found.empty()) break;
    const auto times_entries = [&](double times) {
      return static_cast<std::size_t>(times * found.back().entries);
    };
    const bool near_end = placement > 0 && found.size() > 1;
    std::vector<std::size_t> pages =
        near_end
            ? sizes_between(times_entries(0.5), std::min(times_entries(2), kPlan.most_repeated),
                            kPlan.repeated_near_end, 1)
            : sizes_between(kPlan.least_repeated, kPlan.most_repeated, kPlan.repeated_an_octave, 1);
    if (!prober_.obtain_memory(Layout::repeated, Pages::small,
                               kPlan.most_repeated * chase::small_page_bytes()))
      break;
    const double begin = stage.begin + step * static_cast<double>(placement);
    TACHO_TRY(survey_.run({.layout = Layout::repeated,
                           .lines = std::move(pages),
                           .stage = {begin, begin + step, stage.what}}));
  }
  prober_.release_memory();
  return {};
}

// A neighbour on the core takes a part of its caches, and not every list that met one shows it. By
// now the neighbour may be gone. Of two samples of the same list, here on other pages, the much
// slower one is left out (latency_curve).
Result<void> MachineSurvey::own_caches_again(const SurveyStage& stage) {
  std::vector<std::size_t> lines =
      own_cache_lists(survey_.judged_samples(), best_pages_, 2 * request_.machine.own_lines);
  if (lines.empty()) return {};
  if (!prober_.obtain_memory(Layout::packed, best_pages_,
                             lines.back() * request_.machine.line_bytes))
    return {};  // the lists so far have to do
  auto done =
      survey_.run({.lines = std::move(lines), .refinements = kPlan.refinements, .stage = stage});
  prober_.release_memory();
  return done;
}

// The caches that the core has for itself, except the first: L1 has too few pages to be filled with
// them. If no caches are advertised, the capacities are those that the lists show.
Result<void> MachineSurvey::fill_caches(const SurveyStage& stage) {
  const std::vector<Tier> found = survey_.infer().tiers;
  if (found.size() < 2) return {};
  std::set<double> expected;  // bytes
  for (const AdvertisedCache& cache : request_.machine.advertised.caches)
    if (cache.level > 1) expected.insert(static_cast<double>(cache.bytes));
  if (expected.empty())
    for (std::size_t k = 1; k < found.size(); ++k) expected.insert(found[k].capacity_bytes);
  progress_({stage.begin, stage.what});
  unsigned number = 0;
  for (const double bytes : expected) {
    if (bytes > static_cast<double>(request_.machine.own_lines * request_.machine.line_bytes))
      continue;
    survey_.add_fills(
        chase::fill_cache({.number = number++,
                           .timer = request_.probing.timer,
                           .access = request_.probing.access,
                           .line_bytes = request_.machine.line_bytes,
                           .pages = best_pages_,
                           .expected_bytes = static_cast<std::size_t>(bytes),
                           .before_bytes = static_cast<std::size_t>(found[0].capacity_bytes),
                           .most_bytes = request_.most_bytes},
                          [&] { return survey_.ended(); }));
  }
  return {};
}

Result<void> MachineSurvey::tlb_again(const SurveyStage& stage) {
  for (int again = 0;
       again < kPlan.more_tries && !survey_.ended() && prober_.taken() < kPlan.too_late; ++again) {
    if (survey_.infer().tlb.size() < 2) TACHO_TRY(second_tlb_level(stage));
    if (auto done = tlb(chase::doubtful_tlb_lists(survey_.infer()), stage); !done) {
      result_.warnings.push_back(said(done.error()));
      break;
    }
  }
  return {};
}

Result<void> MachineSurvey::all_lists() {
  TACHO_TRY(caches_on_all_pages());
  if (surveys_tlb() && !survey_.ended())
    TACHO_TRY(tlb(sizes_between(kPlan.least_pages, most_pages(), kPlan.spread_an_octave, 1),
                  {kSpreadLists, kRepeatedLists, "translations"}));
  if (surveys_tlb() && !survey_.ended())
    TACHO_TRY(second_tlb_level({kRepeatedLists, kOwnCaches, "translations, few pages"}));
  if (chooses_sizes() && !survey_.ended())
    TACHO_TRY(own_caches_again({kOwnCaches, kFilling, "edges again"}));
  if (chooses_sizes() && !survey_.ended())
    TACHO_TRY(fill_caches({kFilling, kSpreadListsAgain, "filling caches"}));
  if (surveys_tlb()) return tlb_again({kSpreadListsAgain, 1, "translations again"});
  return {};
}

Result<NativeSurvey> MachineSurvey::run() {
  const int cpu = request_.probing.cpu;
  const chase::TimeTaken before = chase::time_taken(cpu);
  TACHO_TRY(all_lists());
  const chase::TimeTaken after = chase::time_taken(cpu);
  result_.waited_s = static_cast<double>(after.waited - before.waited) * kNanoseconds;
  result_.stolen_s = static_cast<double>(after.stolen - before.stolen) * kNanoseconds;
  result_.knows_stolen = after.knows_stolen;
  result_.partial = survey_.ended();
  result_.warnings.insert(result_.warnings.end(), prober_.warnings().begin(),
                          prober_.warnings().end());
  result_.samples = survey_.judged_samples();
  result_.fills = survey_.fills();
  return std::move(result_);
}

}  // namespace

Result<NativeSurvey> survey_machine(const NativeSurveyRequest& request, const chase::Stop& stop,
                                    const SurveyProgressCallback& progress) {
  return MachineSurvey(request, stop, progress).run();
}

}  // namespace tacho
