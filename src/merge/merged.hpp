// The reports of many ranks or hosts put together (docs/reference/merge.md).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "estimate/summary.hpp"
#include "events/metric.hpp"
#include "merge/stat_file.hpp"

namespace tacho {

// A figure of one file.
struct OfFile {
  double value = 0;
  std::size_t file = 0;  // index in Merged::files
};

// How a figure differs between the files that have it.
struct Spread {
  std::size_t files = 0;  // at least 1
  double mean = 0;
  double median = 0;
  OfFile minimum, maximum;
  // stats/outliers.hpp; none if too few files have the figure.
  std::optional<std::vector<OfFile>> outliers;
};

// The sum over the files that have the event, with its interval. An event that no file has is
// absent for the first file's reason, and its spread has no files.
struct MergedEvent {
  EventSummary sum;
  Spread spread;
};

// The ratio of the sums, if the metric is a known ratio; else it has no value.
struct MergedMetric {
  MetricSummary ratio;
  Spread spread;
};

struct MergedRunFigure {
  std::string name;           // as in JSON
  std::optional<double> sum;  // of CPU times; none of what does not add up
  Spread spread;
};

struct LeftOut {
  std::string file;
  std::string reason;
};

struct Merged {
  std::string version;
  std::vector<StatFile> files;
  std::vector<LeftOut> left_out;
  std::vector<MergedEvent> events;  // in the order of the first file that has each
  std::vector<MergedMetric> metrics;
  std::vector<MergedRunFigure> run;
  std::vector<std::string> warnings;
};

// Puts the files together; there is at least one. `known` are the metrics whose formulas are known.
// It is an error if some files were simulated and others were not, or if they give an event
// different units.
Result<Merged> merge_reports(std::vector<StatFile> files, std::span<const Metric> known);

// The sum of a half-width's independent parts in squares, and of its shared parts as they are.
class HalfWidths {
 public:
  // `weight` scales both parts.
  void add(double ci95, double shared95, double weight = 1);
  double sum() const;
  double shared() const { return shared_; }

 private:
  double squares_ = 0;
  double shared_ = 0;
};

// A Metric of `known` as the ratio of sums, with its interval. None if it is no ratio, or if the
// files do not have what that takes.
std::optional<MetricSummary> ratio_of_sums(std::string_view name, std::span<const StatFile> files,
                                           std::span<const Metric> known);

}  // namespace tacho
