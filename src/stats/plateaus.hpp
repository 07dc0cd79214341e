// Plateaus: the change points of a curve that rises in steps, in the presence of outliers and of
// steps that are ramps.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tacho {

struct CurvePoint {
  double x = 0;
  double y = 0;
  double sigma = 1;  // standard deviation of y about its plateau; > 0
  // How much it costs to be off a plateau: less than 1 where points lie close together, so that
  // they do not outvote those that stand for more of the axis.
  double weight = 1;
};

struct PlateauRules {
  double least_rise = 0;     // from a plateau to the next
  double least_span = 0;     // of a plateau, from its first point to its last
  std::size_t fewest = 3;    // points on a plateau
  double least_share = 0.6;  // on it, of the points from its first to its last
};

struct Plateau {
  double level = 0;
  std::vector<std::size_t> points;  // those on it, by rising x: what lies off it is in none
};

// Cuts the curve into the stretches, each with one level, that cost least: a point off its
// stretch's level costs its weight times the square of how many sigma it is off, and of 9 at most;
// a stretch costs 18.
// The bound makes outliers and the points on a ramp cost the same wherever they are counted, so
// that no stretch is made for them (P. Fearnhead and G. Rigaill, J. Am. Stat. Assoc. 114 (2019),
// the biweight loss). The optimum is exact, over all cuts that keep the rules and all levels among
// the values of y (dynamic programming, as in R. Killick, P. Fearnhead and I. A. Eckley, J. Am.
// Stat. Assoc. 107 (2012), but for pruning; here the rules tie a stretch to the one before it).
// `points` by rising x. Empty when no stretch keeps the rules. Takes O(n³): n is a few hundred at
// most.
std::vector<Plateau> find_plateaus(std::span<const CurvePoint> points, const PlateauRules&);

// For each of the places, by rising value, what part of `sparse` it stands for, 1 at most: half of
// the way to either neighbour (all of it to the only one), shared by those at the same place.
std::vector<double> weights_by_spacing(std::span<const double> places, double sparse);

}  // namespace tacho
