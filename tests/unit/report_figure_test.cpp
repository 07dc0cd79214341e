// How many digits a figure is given.
#include "report/figure.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "report_samples.hpp"

namespace tacho::TEST_FILE {
namespace {

const NumberStyle kBritish{",", ".", "\3"};

std::string event_text(double value, double ci95) {
  const Figure figure = figure_of(samples::estimated("x", value, ci95, 0.5, 40), false, kBritish);
  return figure.value + ' ' + figure.spread;
}

std::string metric_text(double value, double ci95) {
  const Figure figure = figure_of(samples::metric("x", "", value, ci95), kBritish);
  return figure.value + ' ' + figure.spread;
}

TEST(Figure, AnEventShowsOnlyTheDigitsThatTheIntervalJustifies) {
  EXPECT_EQ(event_text(24060.37, 300), "~24,060 ± 1.2 %");
  EXPECT_EQ(event_text(24063.37, 412), "~24,100 ± 1.7 %");
  EXPECT_EQ(event_text(24063.37, 0.4), "~24,063 ± <0.01 %");
  EXPECT_EQ(event_text(24063.37, 98), "~24,060 ± 0.4 %");
}

TEST(Figure, AWideIntervalNeverRoundsTheFigureAway) {
  EXPECT_EQ(event_text(77.4, 340), "~80 (4…1,640)");
  EXPECT_EQ(event_text(0, 12), "~0 (0…12)");
}

// By hand: half-widths of 31 % are factors of 1.362 (e to twice the inverse hyperbolic sine of
// 0.155), and of 100 % of 2.618.
TEST(Figure, AWideIntervalShowsBothEnds) {
  EXPECT_EQ(event_text(100, 30), "~100 ± 30 %");
  EXPECT_EQ(event_text(1000, 310), "~1,000 (730…1,360)");
  EXPECT_EQ(event_text(1000, 1000), "~1,000 (400…2,600)");
  EXPECT_EQ(metric_text(9.4692, 9.4692), "9 (4…25)");
  EXPECT_EQ(spread(1, 1, kBritish), "(0.4…2.6)");
}

// "± 0.4 %" could be percentage points or per cent of the figure.
TEST(Figure, APercentageShowsBothEnds) {
  const Figure figure = figure_of(samples::metric("x", "%", 12.34, 0.45), kBritish);
  EXPECT_EQ(figure.value + ' ' + figure.unit + ' ' + figure.spread, "12.3 % (11.9…12.8)");
  EXPECT_EQ(figure_of(samples::metric("x", "%", 12.34, 0.0), kBritish).spread, "");
}

TEST(Figure, ADifferenceMayReachBelowZero) {
  MetricSummary metric = samples::metric("x", "", 0.5, 0.8);
  metric.may_be_negative = true;
  EXPECT_EQ(figure_of(metric, kBritish).spread, "± 0.8");
  metric.unit = "%";
  EXPECT_EQ(figure_of(metric, kBritish).spread, "(-0.3…1.3)");
}

TEST(Figure, AMetricIsRoundedWithItsInterval) {
  EXPECT_EQ(metric_text(9.4692, 0.0213), "9.469 ± 0.021");
  EXPECT_EQ(metric_text(9.4692, 0.0613), "9.47 ± 0.06");
  EXPECT_EQ(metric_text(9.4692, 0.0973), "9.47 ± 0.10");
  EXPECT_EQ(metric_text(108.653, 21.2), "109 ± 21");
  EXPECT_EQ(metric_text(0.0004321, 0.0000213), "0.000432 ± 0.000021");
  EXPECT_EQ(metric_text(2.0, 1e-14), "2.00000 ± <0.00001");
  EXPECT_EQ(metric_text(9.4692, 0), "9.469 ");
}

TEST(Figure, ClocksAreShownInMilliseconds) {
  const Figure figure = figure_of(samples::counted("task-clock", 1234567, "ns"), false, kBritish);
  EXPECT_EQ(figure.value + figure.unit, "1.235ms");
}

TEST(Figure, WhatIsNotANumberHasNoFigure) {
  EXPECT_EQ(figure_of(samples::counted("x", std::nan("")), false, kBritish).value, "");
  EXPECT_EQ(figure_of(samples::metric("x", "", INFINITY, 0.0), kBritish).value, "");
  EXPECT_EQ(figure_of(samples::unsupported("x"), false, kBritish).value, "");
}

TEST(Figure, RatesTakeAPrefixAndNeverReadAThousand) {
  EXPECT_EQ(rate(9.7, 0, kBritish), "9.70 /s");
  EXPECT_EQ(rate(999.4, 0, kBritish), "999 /s");
  EXPECT_EQ(rate(999.6, 0, kBritish), "1.00 k/s");
  EXPECT_EQ(rate(996.0, {}, kBritish), "1.0 k/s");
  EXPECT_EQ(rate(3.214e9, 0, kBritish), "3.21 G/s");
}

TEST(Figure, RatesHaveTheIntervalOfTheirCount) {
  EXPECT_EQ(rate(996.0, 99.6, kBritish), "1.0 k/s ± 10 %");
  EXPECT_EQ(rate(3.214e9, 3.214e6, kBritish), "3.21 G/s ± 0.10 %");
  EXPECT_EQ(rate(2000, 2000, kBritish), "2.0 k/s (0.8…5.2)");
  EXPECT_EQ(used(0.96, 0, "CPUs used", kBritish), "0.960 CPUs used");
  EXPECT_EQ(used(0.9612, 0.024, "CPUs used", kBritish), "0.961 CPUs used ± 2.5 %");
  EXPECT_EQ(used(0.9612, 0.2, "CPUs used", kBritish), "0.96 CPUs used ± 21 %");
}

TEST(Figure, PartsOfTheRunHaveThreeDigits) {
  EXPECT_EQ(percentage(0.2512, kBritish), "25.1 %");
  EXPECT_EQ(percentage(1, kBritish), "100 %");
  EXPECT_EQ(percentage(0.00123, kBritish), "0.123 %");
}

}  // namespace
}  // namespace tacho::TEST_FILE
