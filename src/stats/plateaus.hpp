// Finds the plateaus of a curve that rises in steps. The curve may have outliers, and a step may be
// a ramp.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tacho {

struct CurvePoint {
  double x = 0;
  double y = 0;
  double sigma = 1;  // standard deviation of y about its plateau; > 0
  // Factor of the point's cost. Below 1 for points that are close together; otherwise they would
  // outvote points that represent more of the axis.
  double weight = 1;
};

struct PlateauRules {
  double least_rise = 0;     // from a plateau to the next, in y
  double least_span = 0;     // of a plateau, from its first point to its last, in x
  std::size_t fewest = 3;    // points on a plateau
  double least_share = 0.6;  // of the points from its first to its last that are on the plateau
};

struct Plateau {
  double level = 0;
  std::vector<std::size_t> points;  // indices of the points on it, by rising x
};

// Cuts the curve into stretches, each with one level, at the least cost. A point costs its weight
// times the square of its distance from the level in sigma, but at most 9 times its weight. A
// stretch costs 18. Because of the bound, outliers and the points of a ramp cost the same in every
// stretch, so they get no stretch of their own (the biweight loss: P. Fearnhead and G. Rigaill, J.
// Am. Stat. Assoc. 114 (2019)). The optimum is exact over all cuts that keep the rules and over all
// levels among the values of y. It is found by dynamic programming as in R. Killick, P. Fearnhead
// and I. A. Eckley, J. Am. Stat. Assoc. 107 (2012), but without pruning, because the rules relate a
// stretch to the one before it. `points` are by rising x. Empty if no stretch keeps the rules.
// Takes O(n³); n is a few hundred at most.
std::vector<Plateau> find_plateaus(std::span<const CurvePoint> points, const PlateauRules&);

// Returns a weight of at most 1 for each place: the part of the axis it represents, over `sparse`.
// A place represents half the distance to either neighbour, or the whole distance to its only one.
// Several values at the same place share its weight. `places` are by rising value.
std::vector<double> weights_by_spacing(std::span<const double> places, double sparse);

}  // namespace tacho
