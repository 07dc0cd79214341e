// Cells and colours that the tables of `tacho report` and `tacho annotate` share.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
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

// A name of a function, module or line; "[no name]" if it is empty.
std::string name_cell(std::string_view name);

// The source line, such as naive.cpp:22; "?" if it is not known.
std::string location(const ProfileRow&);

// How many events the samples of rows stand for, as a column in which all numbers have the same
// last digit: "~604.1 ms", "~771,000,000". An exact number has no "~".
class CountColumn {
 public:
  explicit CountColumn(const SampledEvent& event) : event_(&event) {}
  // Called for each row before the first cell is written. The most certain row decides about the
  // digits, but no number has more of them than its share.
  void note(const SampleCount&, const CountInterval&);
  // "-" if the event has no sample at all, "<1" for a number that would be rounded to 0.
  std::string cell(const SampleCount&, const CountInterval&, const NumberStyle&) const;
  // "± 1.2 %", "(57…126)"
  std::string spread(const SampleCount&, const CountInterval&, const NumberStyle&) const;

 private:
  double scale() const { return event_->clock ? 1e-6 : 1; }  // of the unit, which is ms for clocks
  int decimals() const;

  const SampledEvent* event_;
  std::optional<double> narrowest_;  // half-width of the most certain row, in events
};

// "12", or of samples with lengths in ns, "0.0120 s".
std::string count_cell(const SampleCount&, bool has_lengths, const NumberStyle&);

Figure metric_figure(const RowMetric&, const NumberStyle&);

// "604 ms", "12.3 %", "0.31".
std::string with_unit(const Figure&);

// The columns after the share of the chosen event: the number of each other event that has samples,
// and the metrics, with their intervals.
struct OtherColumns {
  const std::vector<SampledEvent>& events;
  std::size_t chosen = 0;
  const std::vector<RowMetric>& metrics;
  std::span<const CountColumn> columns = {};  // by event

  void add_titles(Cells&) const;
  void add(Cells&, const std::vector<SampleCount>& counts, const std::vector<CountInterval>&,
           const NumberStyle&) const;
};

// Colours each line of the text by its heat, which is a share. Returns the text unchanged if the
// style has no colour.
std::string coloured(std::string_view text, const std::function<double(std::size_t line)>& heat,
                     const TextStyle& style);

}  // namespace tacho
