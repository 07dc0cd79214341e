#include "stats/run_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "stats/centred_ranks.hpp"

namespace tacho {
namespace {

constexpr std::size_t kOrders = 1999;  // with the order of the runs 2,000, so 1 % is 20 of them

// centred_ranks() in units that make the sum of squares 1. All are 0 if all values are equal.
std::vector<double> scaled_ranks(std::span<const double> values) {
  std::vector<double> ranks = centred_ranks(values);
  double squares = 0;
  for (const double rank : ranks) squares += rank * rank;
  if (squares > 0)
    for (double& rank : ranks) rank /= std::sqrt(squares);
  return ranks;
}

// Σ r² - Σ (r_i - r_i+1)² / 2: one minus half of von Neumann's ratio of the ranks. The smaller the
// steps between neighbours, the larger it is. It is 0 if all values are equal.
double likeness(std::span<const double> ranks, std::span<const std::size_t> order) {
  const double first = ranks[order.front()];
  const double last = ranks[order.back()];
  double sum = (first * first + last * last) / 2;
  for (std::size_t i = 1; i < order.size(); ++i) sum += ranks[order[i - 1]] * ranks[order[i]];
  return sum;
}

// Fisher and Yates' shuffle. std::shuffle may differ from one library to the next.
void shuffle(std::vector<std::size_t>& order, std::mt19937& random) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
}

}  // namespace

std::vector<std::size_t> depend_on_order(std::span<const std::vector<double>> series, double risk) {
  std::vector<std::vector<double>> ranks;
  for (const std::vector<double>& values : series) ranks.push_back(scaled_ranks(values));
  if (ranks.empty()) return {};
  std::vector<std::size_t> order(ranks.front().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> seen;
  for (const auto& each : ranks) seen.push_back(likeness(each, order));

  // By figure: random orders in which some figure has neighbours at least as alike.
  constexpr double kRounding = 1e-9;
  std::vector<std::size_t> as_alike(ranks.size());
  std::mt19937 random(1);
  for (std::size_t k = 0; k < kOrders; ++k) {
    shuffle(order, random);
    double most = 0;
    for (const auto& each : ranks) most = std::max(most, likeness(each, order));
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (most >= seen[i] - kRounding) ++as_alike[i];
  }
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (static_cast<double>(as_alike[i] + 1) <= risk * static_cast<double>(kOrders + 1))
      found.push_back(i);
  return found;
}

}  // namespace tacho
