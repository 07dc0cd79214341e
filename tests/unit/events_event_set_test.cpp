// Tests event sets and metrics: the shipped files are consistent, and errors in a user's file give
// the line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "events/event_set.hpp"
#include "events/metrics_file.hpp"
#include "events/split_events.hpp"
#include "events_made_up_tree.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kData = std::string(TACHO_SOURCE_DIR) + "/data";

std::vector<Metric> shipped_metrics() {
  auto metrics = load_metrics(kData + "/metrics.toml");
  EXPECT_TRUE(metrics) << metrics.error().what;
  return metrics.value_or(std::vector<Metric>{});
}

std::string failure_of(std::string_view text) {
  const auto told = [](const Error& error) { return error.what + " | " + error.remedy; };
  const auto set = parse_set(text, "dir/mine.toml");
  if (!set) return told(set.error());
  const auto metrics = metrics_of(*set, shipped_metrics());
  return metrics ? "parsed" : told(metrics.error());
}

TEST(EventsEventSet, EveryShippedSetResolvesAndHasADescription) {
  const std::vector<Metric> metrics = shipped_metrics();
  std::set<std::string> used;
  for (const char* name : {"default", "cache", "branch", "tlb", "stalls"}) {
    const std::string path = kData + "/sets/" + name + ".toml";
    const auto set = load_set(path);
    ASSERT_TRUE(set) << set.error().what;
    EXPECT_EQ(set->name, name);
    EXPECT_NE(set->description, "");
    for (const auto* elements : {&set->events, &set->simulated})
      for (const std::string& element : *elements) {
        const auto groups = split_events(element);
        for (const auto& group : groups.value())
          for (const std::string& spec : group) EXPECT_TRUE(Catalogue().resolve(spec)) << spec;
      }
    const auto its = metrics_of(*set, metrics);
    ASSERT_TRUE(its) << its.error().what;
    for (const Metric& metric : *its) used.insert(metric.name);
  }
  for (const Metric& metric : metrics) {
    EXPECT_NE(metric.unit, "") << metric.name;
    EXPECT_TRUE(used.contains(metric.name)) << metric.name << " is in no shipped set";
  }
}

TEST(EventsEventSet, MetricsHaveTheMeaningOfTheirNames) {
  const std::vector<Metric> metrics = shipped_metrics();
  const auto value = [&](const char* name, std::vector<double> values) {
    const auto metric = std::ranges::find(metrics, name, &Metric::name);
    EXPECT_NE(metric, metrics.end()) << name;
    return metric == metrics.end() ? 0.0 : metric->formula.evaluate(values);
  };
  // From the report of rpistat in 2013: 11,794,467,561 cycles; the others are estimates.
  EXPECT_NEAR(value("CPI", {11'794'467'561.0, 1'245'571'856.0}), 9.469, 0.0005);
  EXPECT_NEAR(value("Frontend stalls", {274'192'088.0, 11'794'467'561.0}), 2.325, 0.0005);
  EXPECT_NEAR(value("L1D miss ratio", {3'735'024.0, 18'587'014.0}), 20.095, 0.0005);
  EXPECT_NEAR(value("dTLB miss rate", {904'166.0, 1'245'571'856.0}), 0.726, 0.0005);
  EXPECT_NEAR(value("Branch rate", {135'335'622.0, 1'245'571'856.0}), 108.653, 0.0005);
  EXPECT_NEAR(value("Mispredict ratio", {369'167.0, 33'633'705.0}), 1.098, 0.0005);
  EXPECT_DOUBLE_EQ(value("Clock rate", {3e9, 1e9}), 3.0);  // GHz
  EXPECT_DOUBLE_EQ(value("Page-fault rate", {500, 2e9}), 250.0);
  // These are not the rates of elapsed time beside the counts.
  for (const char* rate : {"Page-fault rate", "Context-switch rate"})
    EXPECT_EQ(std::ranges::find(metrics, rate, &Metric::name)->unit, "per CPU second") << rate;
}

TEST(EventsEventSet, AUsersSetCanHaveItsOwnMetrics) {
  const auto set = parse_set(
      "description = 'mine'\n"
      "events = ['cycles:u', '{instructions,cpu/event=1,umask=2/}']\n"
      "metrics = ['CPI', {name = 'share', formula = '100 * `cpu/event=1,umask=2/` / instructions', "
      "unit = '%'}]\n",
      "dir/mine.toml");
  ASSERT_TRUE(set) << set.error().what;
  EXPECT_EQ(set->name, "mine");
  const auto metrics = metrics_of(*set, shipped_metrics());
  ASSERT_TRUE(metrics) << metrics.error().what;
  ASSERT_EQ(metrics->size(), 2U);
  EXPECT_EQ((*metrics)[0].unit, "cycles per instruction");
  EXPECT_EQ((*metrics)[1].name, "share");
  EXPECT_EQ((*metrics)[1].unit, "%");
}

TEST(EventsEventSet, ATextThatIsNotOnOneLineIsRefused) {
  // It would begin a line of its own in a report, or in a script for gnuplot.
  for (const char* name : {R"("a\nb")", R"("a\u001b[2Jb")", R"("a\rb")"})
    EXPECT_THAT(failure_of(std::string("events = ['a']\nmetrics = [{name = ") + name +
                           ", formula = '1', unit = 'x'}]\n"),
                AllOf(StartsWith("dir/mine.toml:2: "), HasSubstr("a text has a line end or another "
                                                                 "control character")))
        << name;
  EXPECT_THAT(failure_of("events = ['a']\n\"x\\ny\" = 1\n"), HasSubstr("control character"));
}

TEST(EventsEventSet, ErrorsNameFileLineAndReason) {
  EXPECT_THAT(failure_of("events = ['cycles'\n\nx"), StartsWith("dir/mine.toml:3: "));
  EXPECT_THAT(failure_of("events = ['cycles']\ncolour = 1\n"),
              StartsWith("dir/mine.toml:2: unknown key 'colour' | the keys here are description"));
  EXPECT_THAT(failure_of("\nevents = 'cycles'\n"),
              StartsWith("dir/mine.toml:2: 'events' is not an array"));
  EXPECT_THAT(failure_of("description = 'x'\n"), HasSubstr("'events' is missing"));
  EXPECT_THAT(failure_of("events = []\n"), HasSubstr("'events' has 0 entries"));
  EXPECT_THAT(failure_of("events = [\n'a',\n3]\n"),
              StartsWith("dir/mine.toml:3: an event is not a text"));
  EXPECT_THAT(failure_of("events = ['a',\n'{b']\n"),
              StartsWith("dir/mine.toml:2: event list '{b'"));
  EXPECT_THAT(failure_of("description = 1\nevents = ['a']\n"),
              HasSubstr("'description' is not a text"));
}

TEST(EventsEventSet, CharactersBeyondAsciiAreAllowedInCommentsAndAsEscapes) {
  const auto escaped = parse_set(
      "  # naïve \"\n"
      "description = \"ein \\u00C4rger\"\n"
      "events = ['cycles']\n"
      "metrics = [{name = 'x', formula = 'cycles', unit = \"\\u00b5s\"}]\n",
      "dir/mine.toml");
  ASSERT_TRUE(escaped) << escaped.error().what;
  EXPECT_EQ(escaped->description, "ein Ärger");
  EXPECT_EQ(escaped->metrics.at(0).own.value().unit, "µs");
  EXPECT_THAT(failure_of("events = ['cycles']\ndescription = 'é'\n"),
              StartsWith("dir/mine.toml:2: a character beyond ASCII"));
  // Malformed text found by the fuzzer: the parser would read behind the quote.
  EXPECT_THAT(failure_of("name = 6\"bb\xC4\x9C\n"), StartsWith("dir/mine.toml:1: a character"));
  EXPECT_THAT(failure_of("m\"#\"\xEF\xBB\xBD\\"), StartsWith("dir/mine.toml:1: a character"));
}

// Each dot is a table inside a table: 100,000 of them need more stack than the process has.
TEST(EventsEventSet, TooDeepNestingIsRefused) {
  const auto dots = [](int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += "a.";
    return text + "a";
  };
  EXPECT_THAT(failure_of("\n" + dots(100'000) + " = 1\n"),
              StartsWith("dir/mine.toml:2: more than 256 dots in a line | divide"));
  EXPECT_THAT(failure_of("[" + dots(100'000) + "]\n"), StartsWith("dir/mine.toml:1: more than"));
  EXPECT_THAT(failure_of("x = {" + dots(257) + " = 1}\n"),
              StartsWith("dir/mine.toml:1: more than"));
  EXPECT_THAT(failure_of("#" + dots(257) + "\nx = 1\n"), HasSubstr("unknown key 'x'"));
  // The deepest text that is accepted can be destroyed.
  std::string deepest = "[" + dots(256) + "]\n" + dots(256) + " = ";
  for (int i = 0; i < 7; ++i) deepest += "[\n{" + dots(256) + " = ";
  std::string closed = "1";
  for (int i = 0; i < 7; ++i) closed += "}]";
  EXPECT_THAT(failure_of(deepest + closed), HasSubstr("unknown key 'a'"));
  EXPECT_THAT(failure_of("x = " + std::string(17, '[') + std::string(17, ']')),
              HasSubstr("exceeded maximum nested value depth"));
}

TEST(EventsEventSet, ErrorsOfMetricsNameTheMetric) {
  const std::string events = "events = ['cycles', 'instructions']\n";
  EXPECT_THAT(failure_of(events + "metrics = ['CPJ']\n"),
              StartsWith("dir/mine.toml:2: unknown metric 'CPJ' | did you mean 'CPI'"));
  EXPECT_THAT(failure_of(events + "metrics = ['Branch rate']\n"),
              HasSubstr("needs event 'branches', which the set does not count"));
  EXPECT_THAT(failure_of(events + "metrics = ['CPI', 'CPI']\n"), HasSubstr("is given twice"));
  EXPECT_THAT(failure_of(events + "metrics = [1]\n"), HasSubstr("neither a name nor a table"));
  EXPECT_THAT(failure_of(events + "[[metrics]]\nname = 'x'\nformula = 'cycles +'\n"),
              StartsWith("dir/mine.toml:4: formula 'cycles +' of metric 'x': column 9"));
  EXPECT_THAT(failure_of(events + "[[metrics]]\nname = 'x'\n"), HasSubstr("'formula' is missing"));
  EXPECT_THAT(failure_of(events + "[[metrics]]\nname = 'x'\nformla = '1'\n"),
              HasSubstr("unknown key 'formla'"));
}

TEST(EventsEventSet, AFileThatCannotBeReadIsNamed) {
  const auto set = load_set("/nonexistent/mine.toml");
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().what, HasSubstr("'/nonexistent/mine.toml'"));
  EXPECT_EQ(set.error().code, ENOENT);
  EXPECT_NE(set.error().remedy, "");
}

TEST(EventsEventSet, MetricNamesAreUnique) {
  const auto metrics = parse_metrics(
      "[[metric]]\nname = 'a'\nformula = '1'\n[[metric]]\nname = 'a'\nformula = '2'\n", "m.toml");
  ASSERT_FALSE(metrics);
  EXPECT_THAT(metrics.error().what, StartsWith("m.toml:4: metric 'a' is given twice"));
}

}  // namespace
}  // namespace tacho::TEST_FILE
