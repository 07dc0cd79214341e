// How many digits a figure is given.
#include "report/figure.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "report_samples.hpp"

namespace tacho {
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
  EXPECT_EQ(event_text(77.4, 340), "~80 ± 400 %");
  EXPECT_EQ(event_text(12, 3400), "~10 ± 3,400");
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
  EXPECT_EQ(rate(996.0, 0.1, kBritish), "1.0 k/s");
  EXPECT_EQ(rate(3.214e9, 0, kBritish), "3.21 G/s");
}

TEST(Figure, PartsOfTheRunHaveThreeDigits) {
  EXPECT_EQ(percentage(0.2512, kBritish), "25.1 %");
  EXPECT_EQ(percentage(1, kBritish), "100 %");
  EXPECT_EQ(percentage(0.00123, kBritish), "0.123 %");
}

}  // namespace
}  // namespace tacho
