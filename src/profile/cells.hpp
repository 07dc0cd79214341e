// The cells that profile tables share.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_layout.hpp"
#include "profile/report.hpp"
#include "report/figure.hpp"

namespace tacho {

std::string location(const ProfileRow&);  // naive.cpp:22

// How many events of a kind the samples of a row stand for: "~604 ms", "~770,000,000"; what is
// exact is without "~"; "-" where the event has no sample at all. The spread is the larger side of
// the interval.
Figure count_figure(const SampledEvent&, const SampleCount&, const CountInterval&,
                    const NumberStyle&);

// What stands beside the share of the chosen event: how many there were of each other event that
// has samples, and the metrics, with their intervals.
struct Beside {
  const std::vector<SampledEvent>& events;
  std::size_t chosen = 0;
  const std::vector<RowMetric>& metrics;

  void add_titles(Cells&) const;
  void add(Cells&, const std::vector<SampleCount>& counts, const std::vector<CountInterval>&,
           const NumberStyle&) const;
};

// Each line of the text in the colour of its heat, a share: with `style.colour`; otherwise as it
// is.
std::string coloured(std::string_view text, const std::function<double(std::size_t line)>& heat,
                     const TextStyle& style);

}  // namespace tacho
