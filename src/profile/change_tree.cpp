#include "profile/change_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "profile/comparison.hpp"
#include "profile/function_tree.hpp"
#include "profile/page_columns.hpp"
#include "report/schema.hpp"
#include "stats/paired_changes.hpp"

namespace tacho {
namespace {

constexpr double kLeastTested = 0.01;  // share of a node in one of the sides

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double mean_of(const std::vector<double>& values) {
  return values.empty() ? 0 : sum_of(values) / static_cast<double>(values.size());
}

std::size_t index_of(Side side) {
  return static_cast<std::size_t>(side);
}

// A name's number, which the list of names has in the same order.
std::size_t number_of(const std::string& name, std::map<std::string, std::size_t>& numbers,
                      std::vector<std::string>& names) {
  const auto [found, fresh] = numbers.try_emplace(name, names.size());
  if (fresh) names.push_back(name);
  return found->second;
}

}  // namespace

std::uint32_t ChangeTree::node_of(std::uint32_t parent, std::size_t function) {
  const auto [found, fresh] =
      numbers_.try_emplace({parent, function}, static_cast<std::uint32_t>(nodes_.size()));
  if (fresh) nodes_.push_back({.parent = parent, .function = function});
  return found->second;
}

// A function without a name is one with all such functions of its module.
std::size_t ChangeTree::function_of(const FunctionInfo& info, const std::string& module) {
  const std::size_t known = function_names_.size();
  const std::string identity = info.known() ? info.brief : '\0' + module;
  const std::size_t number = number_of(identity, functions_, function_names_);
  if (number == known) {
    module_of_.push_back(number_of(module, modules_, module_names_));
    if (!info.known()) function_names_[number].clear();
  }
  return number;
}

// Gives each node a figure of each recording so far.
void ChangeTree::pad() {
  for (Node& node : nodes_)
    for (std::size_t side = 0; side < 2; ++side) {
      node.own[side].resize(recordings_[side]);
      node.total[side].resize(recordings_[side]);
    }
}

void ChangeTree::add(Side side, const Profile& profile, Resolver& resolver,
                     const SampledEvent& event) {
  clock_ = event.clock;
  const FunctionTree tree = function_tree(profile, resolver, event.number);
  const std::size_t at = recordings_[index_of(side)]++;
  std::vector<std::uint32_t> numbers;
  for (const FunctionNode& each : tree.nodes) {
    const FunctionInfo& info = resolver.function(each.function);
    numbers.push_back(node_of(each.parent == kNoParent ? kNoParent : numbers[each.parent],
                              function_of(info, resolver.module_name(info.module))));
  }
  pad();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Node& node = nodes_[numbers[i]];
    node.own[index_of(side)][at] += static_cast<double>(event.occurred(tree.nodes[i].self));
    node.total[index_of(side)][at] += static_cast<double>(event.occurred(tree.nodes[i].total));
    node.samples += tree.nodes[i].total.samples;
  }
}

// Mean number of events in a recording.
double ChangeTree::whole(Side side) const {
  double sum = 0;
  for (const Node& node : nodes_)
    if (node.parent == kNoParent) sum += mean_of(node.total[index_of(side)]);
  return sum;
}

// A caller before what it called, and of those the largest on both sides together first. With the
// number of callers.
std::vector<std::pair<std::uint32_t, std::uint32_t>> ChangeTree::in_order() const {
  std::vector<std::vector<std::uint32_t>> called(nodes_.size());
  std::vector<std::uint32_t> outermost;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i)
    (nodes_[i].parent == kNoParent ? outermost : called[nodes_[i].parent]).push_back(i);
  const auto size = [&](std::uint32_t i) {
    return mean_of(nodes_[i].total[0]) + mean_of(nodes_[i].total[1]);
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order, waiting;
  const auto push = [&](std::vector<std::uint32_t>& nodes, std::uint32_t depth) {
    std::ranges::stable_sort(nodes, std::ranges::less(), size);
    for (const std::uint32_t node : nodes) waiting.emplace_back(node, depth);
  };
  push(outermost, 0);
  while (!waiting.empty()) {
    const auto next = waiting.back();
    waiting.pop_back();
    order.push_back(next);
    push(called[next.first], next.second + 1);
  }
  return order;
}

// The tests of the nodes that have enough samples, all of one family. A caller whose time is all in
// one callee has the same differences: the two are one hypothesis.
std::string ChangeTree::known(
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& order) const {
  const auto recordings = static_cast<double>(recordings_[0] + recordings_[1]);
  const double least[2] = {kLeastTested * whole(Side::before), kLeastTested * whole(Side::after)};
  std::vector<std::vector<double>> tested;
  std::map<std::vector<double>, std::size_t> number;
  std::vector<std::size_t> places, hypotheses;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const Node& node = nodes_[order[place].first];
    if (static_cast<double>(node.samples) < kFewestTestedSamples * recordings) continue;
    if (mean_of(node.total[0]) < least[0] && mean_of(node.total[1]) < least[1]) continue;
    std::vector<double> differences;
    for (std::size_t i = 0; i < std::min(recordings_[0], recordings_[1]); ++i)
      differences.push_back(node.total[1][i] - node.total[0][i]);
    const auto [found, fresh] = number.try_emplace(differences, tested.size());
    if (fresh) tested.push_back(std::move(differences));
    places.push_back(place);
    hypotheses.push_back(found->second);
  }
  const std::vector<PairedTest> results = test_pairs(tested);
  const std::size_t needed = tested.empty() ? 0 : fewest_pairs(tested.size());
  Json nodes = Json::array(), lows = Json::array(), highs = Json::array(), changed = Json::array();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const PairedTest& result = results[hypotheses[i]];
    nodes.push_back(places[i]);
    lows.push_back(json_number(result.change.low));
    highs.push_back(json_number(result.change.high));
    changed.push_back(result.has_enough_pairs ? Json(result.test.rejected ? 1 : 0) : Json());
  }
  return written({{"node", nodes},
                  {"low", lows},
                  {"high", highs},
                  {"changed", changed},
                  {"tests", tested.size()},
                  {"pairs", std::min(recordings_[0], recordings_[1])},
                  {"pairs_needed", needed}});
}

std::string ChangeTree::members(bool tested) const {
  const auto order = in_order();
  std::vector<std::uint32_t> depths;
  std::vector<std::size_t> functions;
  std::vector<double> own[2];
  for (const auto& [number, depth] : order) {
    depths.push_back(depth);
    functions.push_back(nodes_[number].function);
    for (std::size_t side = 0; side < 2; ++side)
      own[side].push_back(mean_of(nodes_[number].own[side]));
  }
  const auto side = [&](Side which) {
    return Json{{"recordings", recordings_[index_of(which)]}, {"total", whole(which)}};
  };
  return fmt::format(
      "\"modules\":{},\"functions\":{{\"name\":{},{}}},\"unit\":{},\"clock\":{},\"before\":{},"
      "\"after\":{},\"tree\":{{{},{},{},{},\"known\":{}}}",
      written(Json(module_names_)), written(Json(function_names_)),
      json_column("module", module_of_), clock_ ? "\"ns\"" : "null", clock_,
      written(side(Side::before)), written(side(Side::after)), json_column("depth", depths),
      json_column("function", functions), json_column("before", own[0]),
      json_column("after", own[1]),
      tested ? known(order) : R"({"node":[],"low":[],"high":[],"changed":[],"tests":0})");
}

}  // namespace tacho
