#include "profile/profile_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/number.hpp"
#include "profile/annotation.hpp"
#include "profile/function_tree.hpp"
#include "profile/page_columns.hpp"
#include "profile/page_states.hpp"
#include "profile/report.hpp"
#include "profile/samples_in_time.hpp"
#include "report/figure.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

constexpr std::size_t kMostSlices = 100'000;  // counts of samples in time
constexpr double kLeastKnown = 1e-3;          // share of a node whose interval the page has
constexpr double kLeastCode = 5e-3;           // share of a function whose code the page has
constexpr std::size_t kMostFunctions = 40;    // with code
constexpr std::size_t kMostCode = 4'000'000;  // bytes of JSON

// The functions and modules that the trees of a page name, by numbers of the page's own.
class PageNames {
 public:
  explicit PageNames(const Resolver& resolver) : resolver_(resolver) {}

  std::size_t number(FunctionId function) {
    if (function >= numbers_.size()) numbers_.resize(function + 1, kNone);
    if (numbers_[function] != kNone) return numbers_[function];
    const FunctionInfo& info = resolver_.function(function);
    const auto module = modules_.try_emplace(resolver_.module_name(info.module), modules_.size());
    if (module.second) module_names_.push_back(module.first->first);
    functions_.push_back(info.known() ? info.brief : std::string());
    module_of_.push_back(module.first->second);
    return numbers_[function] = functions_.size() - 1;
  }

  std::string members() const {
    std::string functions = written(Json(functions_)), modules = written(Json(module_names_));
    return fmt::format("\"modules\":{},\"functions\":{{\"name\":{},{}}}", modules, functions,
                       json_column("module", module_of_));
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  const Resolver& resolver_;
  std::vector<std::size_t> numbers_;  // by FunctionId
  std::map<std::string, std::size_t> modules_;
  std::vector<std::string> functions_, module_names_;
  std::vector<std::size_t> module_of_;
};

// The intervals of the larger nodes, and whether each differs from the one before it, which the
// same function called.
std::string known_nodes(const Profile& profile, std::size_t event, const FunctionTree& tree,
                        const std::vector<FunctionTree::Visit>& order) {
  const SampleCount all = profile.total(event);
  const auto whole = static_cast<double>(all.sum);
  std::vector<std::size_t> places;
  std::vector<double> lows, highs;
  std::vector<int> tied;
  std::vector<const FunctionNode*> before;  // by depth: the last node
  for (std::size_t i = 0; i < order.size(); ++i) {
    const FunctionNode& node = tree.nodes[order[i].node];
    const std::size_t depth = order[i].depth;
    before.resize(std::min(before.size(), depth + 1));
    if (before.size() == depth) before.push_back(nullptr);
    const FunctionNode* larger = std::exchange(before.back(), &node);
    if (node.total.sum == 0 || static_cast<double>(node.total.sum) < kLeastKnown * whole) continue;
    const ShareInterval ends = profile.share95(event, node.total, all, node.changes);
    places.push_back(i);
    lows.push_back(ends.low);
    highs.push_back(ends.high);
    bool is_tied = false;
    if (larger != nullptr) {
      SampleCount both = node.total;
      both += larger->total;
      is_tied = !shares_differ(static_cast<double>(larger->total.sum) / whole,
                               static_cast<double>(node.total.sum) / whole,
                               profile.worth_of_difference(event, both, all));
    }
    tied.push_back(is_tied ? 1 : 0);
  }
  return fmt::format("\"known\":{{{},{},{},{}}}", json_column("node", places),
                     json_column("low", lows), json_column("high", highs),
                     json_column("tied", tied));
}

std::string tree_member(const Profile& profile, std::size_t event, const FunctionTree& tree,
                        const std::vector<FunctionTree::Visit>& order, PageNames& names) {
  std::vector<std::uint32_t> depths;
  std::vector<std::size_t> functions;
  std::vector<std::uint64_t> selves, samples;
  for (const auto& [number, depth] : order) {
    const FunctionNode& node = tree.nodes[number];
    depths.push_back(depth);
    functions.push_back(names.number(node.function));
    selves.push_back(node.self.sum);
    samples.push_back(node.self.samples);
  }
  return fmt::format("\"tree\":{{{},{},{},{},{}}}", json_column("depth", depths),
                     json_column("function", functions), json_column("self", selves),
                     json_column("samples", samples), known_nodes(profile, event, tree, order));
}

std::string slices_member(const SamplesInTime& in_time,
                          const std::vector<std::uint32_t>& place_of) {
  if (in_time.grid.slices == 0) return "\"slices\":null";
  std::vector<std::uint32_t> slices, threads, nodes;
  std::vector<std::uint64_t> samples, weights;
  std::uint32_t last = 0;
  for (const SliceCount& each : in_time.counts) {
    slices.push_back(each.slice - std::exchange(last, each.slice));
    threads.push_back(each.thread);
    nodes.push_back(place_of[each.node]);
    samples.push_back(each.samples);
    weights.push_back(each.sum);
  }
  return fmt::format(
      "\"slices\":{{\"start_ns\":{},\"slice_ns\":{},\"count\":{},\"least_share\":{},{},{},{},{},{}}"
      "}",
      in_time.grid.start_ns, in_time.grid.slice_ns, in_time.grid.slices, in_time.least_share,
      json_column("slice", slices), json_column("thread", threads), json_column("node", nodes),
      json_column("samples", samples), json_column("weight", weights));
}

std::string threads_member(const Profile& profile, const PageThreads& all) {
  Json threads = Json::array();
  for (const auto& [pid, tid] : all)
    threads.push_back({{"pid", pid}, {"tid", tid}, {"name", profile.name_of(tid)}});
  return "\"threads\":" + written(threads);
}

// An event with its tree, and the threads of all events.
struct EventMember {
  std::string text;
  PageThreads threads;
};

EventMember event_member(const Profile& profile, Resolver& resolver,
                         const std::vector<SampledEvent>& events, const SampledEvent& event,
                         const TimeGrid& grid, PageNames& names) {
  const FunctionTree tree = function_tree(profile, resolver, event.number);
  const std::vector<FunctionTree::Visit> order = tree.in_order();
  std::vector<std::uint32_t> place_of(tree.nodes.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place_of[order[i].node] = i;
  SamplesInTime in_time = samples_in_time(profile, tree, events, event.number, grid, kMostSlices);
  const Json head{{"name", event.name},       {"unit", event.clock ? Json("ns") : Json()},
                  {"scale", event.scale},     {"samples", event.count.samples},
                  {"total", event.count.sum}, {"exact", profile.is_exact(event.number)},
                  {"off_cpu", event.lengths}};
  std::string text = written(head);
  text.resize(text.rfind('}'));
  text += fmt::format(",{},{}}}", tree_member(profile, event.number, tree, order, names),
                      slices_member(in_time, place_of));
  return {std::move(text), std::move(in_time.threads)};
}

// The functions with the most events of their own, the hottest first.
std::vector<FunctionId> hottest_functions(const RecordedProfile& recorded, Resolver& resolver) {
  const Profile& profile = recorded.profile;
  std::map<FunctionId, std::uint64_t> sums;
  for (std::size_t i = 0; i < profile.cells().size(); ++i)
    if (const std::uint64_t sum = profile.count(recorded.event, i).sum; sum > 0)
      sums[resolver.function_of(profile.cells()[i])] += sum;
  const double least = kLeastCode * static_cast<double>(profile.total(recorded.event).sum);
  std::vector<std::pair<std::uint64_t, FunctionId>> sorted;
  for (const auto& [function, sum] : sums)
    if (static_cast<double>(sum) >= least && resolver.function(function).known())
      sorted.emplace_back(sum, function);
  std::ranges::sort(sorted, std::ranges::greater());
  std::vector<FunctionId> functions;
  for (const auto& [sum, function] : sorted) functions.push_back(function);
  return functions;
}

std::string how_it_was_sampled(const ProfileSummary& summary) {
  const SampledEvent& event = summary.events[summary.event];
  const std::string samples = plural(event.count.samples, "sample", {});
  if (summary.exact)
    return fmt::format("Each {} was a sample ({}): the shares are exact.", event.name, samples);
  return fmt::format("{} of {}: shares are estimates with 95 % intervals.", samples, event.name);
}

}  // namespace

std::string hottest_code(const RecordedProfile& recorded, Resolver& resolver,
                         std::string_view version) {
  std::string code;
  std::size_t shown = 0;
  for (const FunctionId function : hottest_functions(recorded, resolver)) {
    if (shown == kMostFunctions || code.size() > kMostCode) break;
    const auto annotated = annotate(recorded.profile, recorded.description(), resolver,
                                    recorded.event, resolver.function(function).brief, {});
    if (annotated) code += (shown++ > 0 ? "," : "") + annotation_json(*annotated, version);
  }
  return fmt::format("\"code\":[{}]", code);
}

Page profile_page(const RecordedProfile& recorded, Resolver& resolver,
                  const ProfileSummary& summary, const std::string& code, std::size_t rows,
                  std::string_view version) {
  const Profile& profile = recorded.profile;
  PageNames names(resolver);
  std::string events;
  PageThreads threads;
  std::size_t chosen = 0, count = 0;
  const PageStates states(recorded, kMostSlices);
  const std::vector<SampledEvent> all_events = sampled_events(profile, recorded.description());
  for (const SampledEvent& event : summary.events) {
    if (event.count.samples == 0) continue;
    EventMember member = event_member(profile, resolver, all_events, event, states.grid(), names);
    if (event.number == recorded.event) chosen = count;
    events += (count++ > 0 ? "," : "") + member.text;
    threads = std::move(member.threads);
  }
  const std::string states_text = states.member(threads);
  std::vector<std::string> warnings = summary.warnings;
  if (summary.rows.size() > rows)
    warnings.push_back(fmt::format("the table has the {} hottest of {}; 'tacho report' has all",
                                   rows, plural(summary.rows.size(), "function", {})));
  return {.kind = "report",
          .title = "Where the time goes: " + summary.target.title(),
          .how = how_it_was_sampled(summary),
          .facts = {{"host", summary.host},
                    {"CPU", summary.cpu},
                    {"kernel", summary.kernel},
                    {"recorded by", summary.recorded_by},
                    {"length", summary.seconds ? seconds(*summary.seconds, {}) : ""},
                    {"while", summary.target.attached.empty() ? "" : summary.target.command},
                    {"samples chosen", summary.chosen ? summary.chosen->words : ""}},
          .warnings = std::move(warnings),
          .document = profile_json(summary, rows, version),
          .more = fmt::format(",\"profile\":{{{},\"events\":[{}],\"event\":{},{},{},{}}}",
                              names.members(), events, chosen, threads_member(profile, threads),
                              states_text, code)};
}

Page profile_changes_page(const ProfileComparisonReport& report, const ChangeTree& tree,
                          std::size_t rows, std::string_view version) {
  const ProfileSummary& before = report.before.recordings.front();
  const ProfileSummary& after = report.after.recordings.front();
  const bool tested = report.comparison.evidence == Evidence::pairs;
  return {
      .kind = "report-compare",
      .title = fmt::format("What changed: {} to {}", before.target.title(), after.target.title()),
      .how = fmt::format("Sampled: {} of {} before and {} after.",
                         plural(report.before.recordings.size(), "recording", {}),
                         before.events[before.event].name, report.after.recordings.size()),
      .facts = {{"host", after.host}, {"CPU", after.cpu}, {"kernel", after.kernel}},
      .warnings = {},
      .document = profile_comparison_json(report, rows, version),
      .more = fmt::format(",\"profile\":{{{}}}", tree.members(tested))};
}

}  // namespace tacho
