#include "stats/onset.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "stats/student.hpp"

namespace tacho {
namespace {

constexpr std::size_t kFewestPoints = 5;
constexpr std::size_t kSteps =
    512;                           // onsets tried from the first point to the last, in equal ratios
constexpr double kParameters = 3;  // fitted: the onset, the level and the rise

// Returns the fit of the level and the rise for this onset.
Onset fit_at(double onset, std::span<const OnsetPoint> points, const OnsetForm& form) {
  const auto n = static_cast<double>(points.size());
  std::vector<double> forms;
  double sum_form = 0, sum_y = 0;
  for (const OnsetPoint& point : points) {
    forms.push_back(form(point.x / onset));
    sum_form += forms.back();
    sum_y += point.y;
  }
  double squared = 0, mixed = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double off = forms[i] - sum_form / n;
    squared += off * off;
    mixed += off * (points[i].y - sum_y / n);
  }
  Onset fit{.x = onset, .low = onset, .high = onset};
  fit.rise = squared > 0 ? mixed / squared : 0;
  fit.level = (sum_y - fit.rise * sum_form) / n;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double left = points[i].y - fit.level - fit.rise * forms[i];
    fit.squares += left * left;
  }
  return fit;
}

}  // namespace

std::optional<Onset> find_onset(std::span<const OnsetPoint> points, const OnsetForm& form,
                                double sigma) {
  if (points.size() < kFewestPoints) return {};
  const double begin = points.front().x;
  const double ratio = points.back().x / begin;
  std::vector<Onset> fits;
  for (std::size_t i = 0; i < kSteps; ++i)
    fits.push_back(fit_at(begin * std::pow(ratio, static_cast<double>(i) / kSteps), points, form));
  const auto best = std::ranges::min_element(fits, {}, &Onset::squares);
  if (best->rise <= 0) return {};
  const double free = static_cast<double>(points.size()) - kParameters;
  const double variance = std::max(best->squares / free, sigma * sigma);
  const auto worse_by = [&](double more) {
    const auto is_good = [&](const Onset& fit) { return fit.squares <= best->squares + more; };
    const auto first = std::ranges::find_if(fits, is_good);
    const auto last = std::find_if(fits.rbegin(), fits.rend(), is_good);
    return std::pair(first->x, last->x);
  };
  const double t = student_t95(free);
  Onset found = *best;
  std::tie(found.low, found.high) = worse_by(t * t * variance);
  const auto [from, to] = worse_by(variance);
  found.x = std::sqrt(from * to);
  return found;
}

}  // namespace tacho
