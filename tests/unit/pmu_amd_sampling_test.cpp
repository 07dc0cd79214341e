// Tests what tacho says where AMD's BRS or IBS refuses an event. The rules are those of
// arch/x86/events/amd/brs.c (amd_brs_hw_config) and ibs.c (perf_ibs_init) of Linux 6.1.
#include "pmu/perf/amd_sampling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;

constexpr AmdSampling kZen3{.brs = true, .ibs_op = 11, .ibs_fetch = 10, .ibs_has_swfilt = false};
constexpr AmdSampling kZen4{.brs = false, .ibs_op = 11, .ibs_fetch = 10, .ibs_has_swfilt = true};
constexpr AmdSampling kNone;

Event core(std::uint64_t raw) {
  Event event;
  event.name = "an event";
  event.domain = Domain::core;
  event.type = PERF_TYPE_RAW;
  event.config = raw;
  return event;
}

Event cycles(std::uint8_t precise) {
  Event event = core(PERF_COUNT_HW_CPU_CYCLES);
  event.type = PERF_TYPE_HARDWARE;
  event.precise = precise;
  return event;
}

Event ibs_op() {
  Event event;
  event.name = "ibs_op//";
  event.domain = Domain::other;
  event.type = kZen3.ibs_op;
  return event;
}

PerfOpen sampled(std::optional<std::uint64_t> period, bool branches = false, pid_t pid = -1) {
  SampleSpec spec;
  spec.period = period;
  spec.branches = branches;
  return {.pid = pid, .sampling = PerfSampling{.spec = spec}};
}

std::string cause(const AmdSampling& amd, const Event& event, const PerfOpen& how,
                  int code = EINVAL) {
  const auto meant = meaning_on_amd(amd, event, how, code);
  return meant ? meant->what : "";
}

std::string remedy(const AmdSampling& amd, const Event& event, const PerfOpen& how) {
  const auto meant = meaning_on_amd(amd, event, how, EINVAL);
  return meant ? meant->remedy : "";
}

TEST(PmuAmdSampling, BranchStacksOfZen3NeedTheirEventAndAPeriod) {
  constexpr const char* kSpelling = "-b -e cpu/branch-brs/ -c 200003";
  EXPECT_THAT(cause(kZen3, cycles(0), sampled({}, true)), HasSubstr("taken branches alone"));
  EXPECT_THAT(remedy(kZen3, cycles(0), sampled({}, true)), HasSubstr(kSpelling));
  EXPECT_THAT(remedy(kZen3, core(0xc4), sampled({}, true)), HasSubstr(kSpelling));
  EXPECT_THAT(remedy(kZen3, core(0xc4), sampled(16, true)), HasSubstr(kSpelling));
  EXPECT_EQ(cause(kZen3, core(0xc4), sampled(17, true)), "") << "this is what BRS takes";
  EXPECT_EQ(cause(kZen3, cycles(0), sampled({})), "") << "without branch stacks BRS is not asked";
  EXPECT_EQ(cause(kZen4, cycles(0), sampled({}, true)), "") << "Zen 4 takes any event";
}

TEST(PmuAmdSampling, IbsTakesNoLevels) {
  Event user = ibs_op();
  user.exclude_kernel = user.exclude_hv = true;
  user.any_level = false;
  EXPECT_THAT(cause(kZen3, user, sampled(160'000)), HasSubstr("no levels"));
  EXPECT_EQ(remedy(kZen3, user, sampled(160'000)), "leave the modifiers out");
  EXPECT_THAT(remedy(kZen4, user, sampled(160'000)), HasSubstr("ibs_op/swfilt=1/u"));
  Event precise = cycles(2);
  precise.exclude_kernel = precise.exclude_hv = true;
  precise.any_level = false;
  EXPECT_THAT(cause(kZen3, precise, sampled({}), ENOENT), HasSubstr("by IBS"));
  precise.any_level = precise.narrowed = true;
  EXPECT_THAT(cause(kZen3, precise, sampled({})), HasSubstr("this user may not sample"));
  EXPECT_THAT(remedy(kZen3, precise, sampled({})), HasSubstr("perf_event_paranoid=1"));
}

TEST(PmuAmdSampling, IbsOfOldKernelsSamplesCpus) {
  EXPECT_THAT(cause(kZen3, cycles(2), sampled({}, false, 42)), HasSubstr("not single tasks"));
  EXPECT_THAT(remedy(kZen3, ibs_op(), sampled({}, false, 42)), HasSubstr("-a"));
}

TEST(PmuAmdSampling, IbsDoesNotCount) {
  EXPECT_THAT(cause(kZen3, ibs_op(), {}), HasSubstr("does not count"));
  EXPECT_THAT(remedy(kZen3, ibs_op(), {}), HasSubstr("tacho record -e ibs_op//"));
  EXPECT_EQ(remedy(kZen3, cycles(2), {}), "leave the p's out");
}

TEST(PmuAmdSampling, APeriodOfIbsIsAMultipleOf16) {
  EXPECT_EQ(remedy(kZen3, ibs_op(), sampled(100'003)), "-c 100000");
  EXPECT_EQ(remedy(kZen3, ibs_op(), sampled(3)), "-c 16");
}

TEST(PmuAmdSampling, OnlyCyclesArePrecise) {
  Event branches = core(0xc2);
  branches.precise = 1;
  EXPECT_THAT(cause(kZen4, branches, sampled({}), ENOENT), HasSubstr("cycles, r76 and rc1 alone"));
}

TEST(PmuAmdSampling, OtherProcessorsAndErrorsHaveNoSuchMeaning) {
  EXPECT_EQ(cause(kNone, cycles(2), sampled({}, true)), "");
  EXPECT_EQ(cause(kZen3, cycles(0), sampled({}, true), EACCES), "");
  EXPECT_EQ(cause(kZen3, cycles(0), {}, ENOENT), "");
  EXPECT_EQ(cause(kZen3, cycles(3), sampled({}), EOPNOTSUPP), "") << "level 3: the PMU's limit";
}

TEST(PmuAmdSampling, SysfsTellsWhatThereIs) {
  const std::filesystem::path root =
      std::filesystem::path(testing::TempDir()) / "pmu_amd_sampling_test";
  std::filesystem::remove_all(root);
  const auto write = [&](const char* file, const char* text) {
    std::filesystem::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text << '\n';
  };
  const AmdSampling none = find_amd_sampling(root);
  EXPECT_FALSE(none.brs);
  EXPECT_EQ(none.ibs_op, 0U);
  write("cpu/type", "4");
  write("cpu/events/branch-brs", "event=0xc4");
  write("ibs_op/type", "11");
  write("ibs_fetch/type", "10");
  const AmdSampling zen3 = find_amd_sampling(root);
  EXPECT_TRUE(zen3.brs);
  EXPECT_EQ(zen3.ibs_op, 11U);
  EXPECT_EQ(zen3.ibs_fetch, 10U);
  EXPECT_FALSE(zen3.ibs_has_swfilt);
  write("ibs_op/format/swfilt", "config2:0");
  EXPECT_TRUE(find_amd_sampling(root).ibs_has_swfilt);
}

}  // namespace
}  // namespace tacho::TEST_FILE
