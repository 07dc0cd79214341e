// Cells and colours that the tables of `tacho report` and `tacho annotate` share.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_layout.hpp"
#include "profile/report.hpp"
#include "report/figure.hpp"

namespace tacho {

// The last columns of rows by command, process, thread or CPU, and their titles. "?" is what the
// samples do not say.
Cells owner_titles(SortBy);
Cells owner_cells(const ProfileRow&, SortBy);

// The source line, such as naive.cpp:22; "?" if it is not known.
std::string location(const ProfileRow&);

// How many events the samples of a row stand for: "~604 ms", "~770,000,000". An exact number has no
// "~".
// "-" if the event has no sample at all.
Figure count_figure(const SampledEvent&, const SampleCount&, const CountInterval&,
                    const NumberStyle&);

Figure metric_figure(const RowMetric&, const NumberStyle&);

// "604 ms", "12.3 %", "0.31".
std::string with_unit(const Figure&);

// The columns after the share of the chosen event: the number of each other event that has samples,
// and the metrics, with their intervals.
struct OtherColumns {
  const std::vector<SampledEvent>& events;
  std::size_t chosen = 0;
  const std::vector<RowMetric>& metrics;

  void add_titles(Cells&) const;
  void add(Cells&, const std::vector<SampleCount>& counts, const std::vector<CountInterval>&,
           const NumberStyle&) const;
};

// The text, or its beginning with "…", in at most this many columns (at least 1).
std::string cut_to(const std::string& text, std::size_t width);

// Colours each line of the text by its heat, which is a share. Returns the text unchanged if the
// style has no colour.
std::string coloured(std::string_view text, const std::function<double(std::size_t line)>& heat,
                     const TextStyle& style);

}  // namespace tacho
