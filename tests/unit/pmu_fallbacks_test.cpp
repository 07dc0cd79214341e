// Tests what tacho leaves out where a kernel or a PMU refuses a part of an event's attributes.
// Made-up kernels have the rules of real ones, each with its source in Linux.
#include "pmu/perf/fallbacks.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cerrno>

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Event cycles() {
  Event event;
  event.name = "cycles";
  event.domain = Domain::core;
  event.type = PERF_TYPE_HARDWARE;
  event.config = PERF_COUNT_HW_CPU_CYCLES;
  return event;
}

PerfOpen sampled(bool tracks = true) {
  return {.pid = 1, .sampling = PerfSampling{.spec = {}, .tracks = tracks}};
}

// A kernel: its rules return an errno, or 0 to open the event.
struct Kernel {
  std::function<int(const Event&, const PerfOpen&)> rules;
  int calls = 0;
  FallbackOpener opener{[this](const Event& event, const PerfOpen& how) -> Result<Fd> {
    ++calls;
    const int code = rules(event, how);
    if (code != 0) return failure("refused", "", code);
    return Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }};

  explicit Kernel(std::function<int(const Event&, const PerfOpen&)> which)
      : rules(std::move(which)) {}
};

// drivers/perf/apple_m1_cpu_pmu.c, m1_pmu_set_event_filter; also x86 PMUs lent to KVM's guests
int apple(const Event& event, const PerfOpen& /*how*/) {
  return event.domain == Domain::core && !event.exclude_guest ? EOPNOTSUPP : 0;
}

TEST(PmuFallbacks, GuestsAreLeftOutWhereThePmuCountsTheHostAlone) {
  Kernel kernel(apple);
  OpenAttempt attempt{cycles(), {}};
  ASSERT_TRUE(kernel.opener.open(attempt));
  EXPECT_TRUE(attempt.event.exclude_guest);
  EXPECT_FALSE(attempt.event.exclude_hv);
  EXPECT_THAT(kernel.opener.notices(), ElementsAre(HasSubstr("guests are not counted")));
}

TEST(PmuFallbacks, ARefusalIsMetOnceForAllCpusAndEventsOfAPmu) {
  Kernel kernel(apple);
  OpenAttempt first{cycles(), {}};
  ASSERT_TRUE(kernel.opener.open(first));
  const int before = kernel.calls;
  for (int cpu = 0; cpu < 100; ++cpu) {
    OpenAttempt next{cycles(), {.pid = -1, .cpu = cpu}};
    next.event.config = PERF_COUNT_HW_INSTRUCTIONS;
    ASSERT_TRUE(kernel.opener.open(next));
    EXPECT_TRUE(next.event.exclude_guest);
  }
  EXPECT_EQ(kernel.calls - before, 100);
  EXPECT_EQ(kernel.opener.notices().size(), 1U);
}

TEST(PmuFallbacks, WhatTheUserNamedIsNotLeftOut) {
  Kernel kernel(apple);
  OpenAttempt both{cycles(), {}};
  both.event.names_guests = true;  // :GH
  const auto refused = kernel.opener.open(both);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, EOPNOTSUPP);
  EXPECT_FALSE(both.event.exclude_guest);
  EXPECT_THAT(kernel.opener.notices(), IsEmpty());
}

TEST(PmuFallbacks, SoftwareEventsKeepTheirGuests) {
  Kernel kernel([](const Event&, const PerfOpen&) { return EOPNOTSUPP; });
  OpenAttempt clock{cycles(), {}};
  clock.event.domain = Domain::software;
  EXPECT_FALSE(kernel.opener.open(clock));
  EXPECT_EQ(kernel.calls, 1);
}

// Before Linux 5.12 the kernel refuses the bit build_id, before 3.16 comm_exec
// (kernel/events/core.c, perf_copy_attr).
TEST(PmuFallbacks, AnOldKernelRecordsWithoutBuildIds) {
  Kernel kernel([](const Event&, const PerfOpen& how) {
    return how.sampling && how.sampling->tracks && how.sampling->build_ids ? EINVAL : 0;
  });
  OpenAttempt attempt{cycles(), sampled()};
  ASSERT_TRUE(kernel.opener.open(attempt));
  EXPECT_FALSE(attempt.how.sampling->build_ids);
  EXPECT_TRUE(attempt.how.sampling->marks_exec);
  EXPECT_TRUE(attempt.how.sampling->maps_inodes);
  EXPECT_FALSE(attempt.event.exclude_guest);
  EXPECT_THAT(kernel.opener.notices(), ElementsAre(HasSubstr("build IDs")));
  const int before = kernel.calls;
  OpenAttempt other{cycles(), sampled()};
  other.event.type = PERF_TYPE_SOFTWARE;
  ASSERT_TRUE(kernel.opener.open(other));
  EXPECT_EQ(kernel.calls - before, 1) << "it is the kernel's refusal, for all PMUs";
}

TEST(PmuFallbacks, OnlyWhatIsRefusedIsLeftOut) {
  Kernel kernel([](const Event&, const PerfOpen& how) {
    return how.sampling && how.sampling->tracks && how.sampling->maps_inodes ? EINVAL : 0;
  });
  OpenAttempt attempt{cycles(), sampled()};
  ASSERT_TRUE(kernel.opener.open(attempt));
  EXPECT_TRUE(attempt.how.sampling->build_ids) << "put back";
  EXPECT_TRUE(attempt.how.sampling->marks_exec) << "put back";
  EXPECT_FALSE(attempt.how.sampling->maps_inodes);
  EXPECT_THAT(kernel.opener.notices(), IsEmpty());
}

// A core without PEBS beyond level 2: x86_pmu_hw_config returns EOPNOTSUPP.
int at_most(int level, const Event& event) {
  return event.precise > level ? EOPNOTSUPP : 0;
}

TEST(PmuFallbacks, ThePrecisionOfPIsLoweredToTheHighestThatWorks) {
  for (const int highest : {3, 2, 1, 0}) {
    Kernel kernel(
        [highest](const Event& event, const PerfOpen&) { return at_most(highest, event); });
    OpenAttempt attempt{cycles(), sampled()};
    attempt.event.precise = 3;
    attempt.event.lower_precise = true;
    ASSERT_TRUE(kernel.opener.open(attempt));
    EXPECT_EQ(attempt.event.precise, highest);
    EXPECT_FALSE(attempt.event.exclude_guest) << "it was not the reason";
    EXPECT_EQ(kernel.opener.notices().size(), highest == 0 ? 1U : 0U);
  }
}

TEST(PmuFallbacks, ALevelThatTheUserNamedIsAnErrorThatNamesTheHighest) {
  Kernel kernel([](const Event& event, const PerfOpen&) { return at_most(2, event); });
  OpenAttempt attempt{cycles(), sampled()};
  attempt.event.precise = 3;
  const auto refused = kernel.opener.open(attempt);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("the highest level is 2"));
  EXPECT_THAT(refused.error().remedy, HasSubstr(":pp,"));
}

TEST(PmuFallbacks, SeveralRefusalsAreMetTogether) {
  Kernel kernel([](const Event& event, const PerfOpen& how) {
    if (how.sampling && how.sampling->tracks && how.sampling->build_ids) return EINVAL;
    if (!event.exclude_guest) return EOPNOTSUPP;
    return at_most(1, event);
  });
  OpenAttempt attempt{cycles(), sampled()};
  attempt.event.precise = 3;
  attempt.event.lower_precise = true;
  ASSERT_TRUE(kernel.opener.open(attempt));
  EXPECT_TRUE(attempt.event.exclude_guest);
  EXPECT_EQ(attempt.event.precise, 1);
  EXPECT_FALSE(attempt.how.sampling->build_ids);
  EXPECT_TRUE(attempt.how.sampling->marks_exec);
}

TEST(PmuFallbacks, ThePmuThatRefusesToLeaveOutTheHypervisorCountsIt) {
  Kernel kernel([](const Event& event, const PerfOpen&) { return event.exclude_hv ? EINVAL : 0; });
  OpenAttempt attempt{cycles(), {}};
  attempt.event.exclude_kernel = attempt.event.exclude_hv = true;
  ASSERT_TRUE(kernel.opener.open(attempt));
  EXPECT_TRUE(attempt.event.exclude_kernel);
  EXPECT_FALSE(attempt.event.exclude_hv);
  EXPECT_THAT(kernel.opener.notices(), ElementsAre(HasSubstr("hypervisor")));
}

TEST(PmuFallbacks, TheHypervisorIsCountedAlsoAfterAnEventThatDidNotLeaveItOut) {
  Kernel kernel([](const Event& event, const PerfOpen&) { return event.exclude_hv ? EINVAL : 0; });
  OpenAttempt first{cycles(), {}};
  ASSERT_TRUE(kernel.opener.open(first));
  OpenAttempt second{cycles(), {}};
  second.event.exclude_hv = true;
  ASSERT_TRUE(kernel.opener.open(second));
  EXPECT_FALSE(second.event.exclude_hv);
}

// EINVAL also means that a group is too large. Then nothing is left out.
TEST(PmuFallbacks, AGroupThatIsTooLargeIsRefusedAtOnce) {
  Kernel kernel([](const Event&, const PerfOpen& how) { return how.leader >= 0 ? EINVAL : 0; });
  OpenAttempt leader{cycles(), {}};
  ASSERT_TRUE(kernel.opener.open(leader));
  OpenAttempt sibling{cycles(), {.leader = 3}};
  const auto refused = kernel.opener.open(sibling);
  ASSERT_FALSE(refused);
  EXPECT_EQ(kernel.calls, 2);
  EXPECT_FALSE(sibling.event.exclude_guest);
}

TEST(PmuFallbacks, OtherErrorsAreReturnedAsTheyAre) {
  for (const int code : {EACCES, EPERM, ESRCH, ENODEV, EMFILE, ENOSYS, EBUSY, ENOENT}) {
    Kernel kernel([code](const Event&, const PerfOpen&) { return code; });
    OpenAttempt attempt{cycles(), sampled()};
    const auto refused = kernel.opener.open(attempt);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, code);
    EXPECT_EQ(kernel.calls, 1) << code;
  }
}

// Linux before 4.1 has its own clock only.
TEST(PmuFallbacks, TheDefaultClockIsLeftOutAndOneThatTheUserAskedForIsNot) {
  for (const bool needed : {false, true}) {
    Kernel kernel(
        [](const Event&, const PerfOpen& how) { return how.sampling->spec.clock ? EINVAL : 0; });
    OpenAttempt attempt{cycles(), sampled()};
    attempt.how.sampling->spec.clock = 1;  // CLOCK_MONOTONIC
    attempt.how.sampling->spec.clock_needed = needed;
    EXPECT_EQ(kernel.opener.open(attempt).has_value(), !needed);
    EXPECT_EQ(attempt.how.sampling->spec.clock.has_value(), needed);
    EXPECT_THAT(kernel.opener.notices(), IsEmpty());
  }
}

TEST(PmuFallbacks, EachPartIsLeftOutByItsOwnRow) {
  for (const Fallback& row : fallbacks()) {
    OpenAttempt attempt{cycles(), sampled()};
    attempt.event.exclude_kernel = attempt.event.exclude_hv = true;
    attempt.event.precise = 1;
    attempt.event.lower_precise = true;
    attempt.event.type = PERF_TYPE_TRACEPOINT;
    attempt.how.sampling->counts_group = true;
    attempt.how.sampling->spec.clock = 1;  // CLOCK_MONOTONIC
    ASSERT_TRUE(row.has(attempt)) << row.name;
    row.leave_out(attempt);
    EXPECT_FALSE(row.has(attempt)) << row.name;
    EXPECT_TRUE(attempt.event.exclude_kernel) << row.name << ": the user or the kernel wants it";
    EXPECT_NE(row.errors[0], 0) << row.name;
  }
}

// Before Linux 6.13: PERF_SAMPLE_READ of a group excludes inheritance (kernel/events/core.c,
// perf_event_alloc).
TEST(PmuFallbacks, AnOldKernelReadsTheGroupsOfTheFirstThreadsOnly) {
  Kernel kernel([](const Event&, const PerfOpen& how) {
    return how.inherit && how.sampling && how.sampling->counts_group ? EINVAL : 0;
  });
  OpenAttempt leader{cycles(), sampled()};
  leader.how.sampling->counts_group = true;
  ASSERT_TRUE(kernel.opener.open(leader));
  EXPECT_FALSE(leader.how.inherit);
  EXPECT_TRUE(leader.how.sampling->build_ids) << "the kernel takes these";
  EXPECT_THAT(kernel.opener.notices(), ElementsAre(HasSubstr("leave :S out")));
  OpenAttempt other{cycles(), sampled()};
  ASSERT_TRUE(kernel.opener.open(other));
  EXPECT_TRUE(other.how.inherit);
}

// kernel/trace/trace_event_perf.c, perf_trace_event_perm
TEST(PmuFallbacks, AUserWhoMayNotSeeTheFieldsOfATracepointSamplesItWithoutThem) {
  Kernel kernel([](const Event& event, const PerfOpen& how) {
    const bool fields = how.sampling && how.sampling->has_fields;
    return event.type == PERF_TYPE_TRACEPOINT && fields ? EPERM : 0;
  });
  OpenAttempt attempt{cycles(), sampled()};
  attempt.event.type = PERF_TYPE_TRACEPOINT;
  attempt.event.domain = Domain::software;
  ASSERT_TRUE(kernel.opener.open(attempt));
  EXPECT_FALSE(attempt.how.sampling->has_fields);
  EXPECT_THAT(kernel.opener.notices(), ElementsAre(HasSubstr("perf_event_paranoid=-1")));
}

}  // namespace
}  // namespace tacho::TEST_FILE
