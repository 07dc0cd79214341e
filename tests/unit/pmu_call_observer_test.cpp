// Tests the lines of a trace by what Python's json, and the makers of made-up machines, read.
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <vector>

#include "pmu/perf/call_observer.hpp"
#include "pmu/perf/perf_open.hpp"

namespace tacho::TEST_FILE {
namespace {

using Json = nlohmann::json;

Json line_of(const perf_event_attr& attr, int fd, int code) {
  const PerfOpening call{.attributes = std::as_bytes(std::span(&attr, 1)),
                         .pid = 42,
                         .cpu = 3,
                         .group = 7,
                         .flags = PERF_FLAG_FD_CLOEXEC,
                         .fd = fd,
                         .code = code};
  const std::string line = trace_line(call);
  EXPECT_TRUE(line.ends_with("}\n"));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  return Json::parse(line);
}

TEST(PmuCallObserver, ALineHasTheAttributesOfACall) {
  perf_event_attr attr{};
  attr.size = PERF_ATTR_SIZE_VER7;
  attr.type = 10;
  attr.config = 0xffffffffffffffff;
  attr.config1 = 2;
  attr.read_format = PERF_FORMAT_GROUP;
  attr.disabled = attr.inherit = attr.exclude_guest = attr.exclude_callchain_user = 1;
  attr.sigtrap = 1;
  attr.precise_ip = 2;
  const Json json = line_of(attr, 5, 0);
  EXPECT_EQ(json["call"], "perf_event_open");
  EXPECT_EQ(json["type"], 10);
  EXPECT_EQ(json["config"].get<std::uint64_t>(), 0xffffffffffffffff);
  EXPECT_EQ(json["config1"], 2);
  EXPECT_EQ(json["size"], 128);
  EXPECT_EQ(json["read_format"], 8);
  EXPECT_EQ(json["flags"],
            Json({"disabled", "inherit", "exclude_guest", "exclude_callchain_user", "sigtrap"}));
  EXPECT_EQ(json["precise"], 2);
  EXPECT_FALSE(json.contains("sample"));
  EXPECT_EQ(json["pid"], 42);
  EXPECT_EQ(json["cpu"], 3);
  EXPECT_EQ(json["group"], 7);
  EXPECT_EQ(json["open_flags"], 8);
  EXPECT_EQ(json["answer"], Json({{"fd", 5}}));
}

TEST(PmuCallObserver, ALineHasTheSamplingAndTheErrno) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.freq = 1;
  attr.sample_freq = 99;
  attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
  attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
  Json json = line_of(attr, -1, EOPNOTSUPP);
  EXPECT_EQ(json["sample"], Json({{"freq", 99}, {"type", 2048}, {"branch", 8}}));
  EXPECT_EQ(json["answer"], Json({{"errno", "EOPNOTSUPP"}}));
  attr.freq = 0;
  json = line_of(attr, -1, EOPNOTSUPP);
  EXPECT_EQ(json["sample"], Json({{"period", 99}, {"type", 2048}, {"branch", 8}}));
}

TEST(PmuCallObserver, ALineHasTheWordsOfAReading) {
  const std::vector<std::uint64_t> words{1, 2, 3};
  EXPECT_EQ(Json::parse(trace_line(PerfReading{.fd = 4, .words = words})),
            Json({{"call", "read"}, {"fd", 4}, {"values", {1, 2, 3}}}));
  EXPECT_EQ(Json::parse(trace_line(PerfReading{.fd = 4, .words = {}, .code = ECHILD})),
            Json({{"call", "read"}, {"fd", 4}, {"answer", {{"errno", "ECHILD"}}}}));
}

// Keeps what it was told.
struct Heard final : PerfObserver {
  std::vector<Json> lines;
  void opened(const PerfOpening& call) override { lines.push_back(Json::parse(trace_line(call))); }
  void read(const PerfReading& call) override { lines.push_back(Json::parse(trace_line(call))); }
};

TEST(PmuCallObserver, GetsEachCallUntilItIsTakenAway) {
  Heard heard;
  Event event;
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_DUMMY;
  observe_perf_calls(&heard);
  const auto fd = perf_open(event, {});
  event.type = 0xfffffff0;  // no PMU
  const auto refused = perf_open(event, {});
  observe_perf_calls(nullptr);
  if (!fd) GTEST_SKIP() << "perf_event_open is forbidden here: " << fd.error().what;
  static_cast<void>(perf_open(event, {}));
  ASSERT_EQ(heard.lines.size(), 2U);
  EXPECT_EQ(heard.lines[0]["answer"]["fd"], fd->get());
  EXPECT_EQ(heard.lines[1]["answer"]["errno"], "ENOENT");
  EXPECT_FALSE(refused.has_value());
}

}  // namespace
}  // namespace tacho::TEST_FILE
