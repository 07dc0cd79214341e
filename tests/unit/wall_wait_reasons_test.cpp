// What threads wait for, by the call chains of real kernels.
#include "wall/report/wait_reasons.hpp"

#include <gtest/gtest.h>

#include "events/data_file.hpp"

namespace tacho::TEST_FILE {
namespace {

WaitReasons shipped() {
  const std::string path = std::string(TACHO_SOURCE_DIR) + "/data/waits.toml";
  return WaitReasons::parse(read_data_file(path).value(), path).value();
}

std::string waited_for(const std::vector<std::string>& kernel,
                       const std::vector<std::string>& program = {}) {
  return shipped().of_waiting(kernel, program).name;
}

TEST(WaitReasons, OfLinux6) {
  EXPECT_EQ(waited_for({"entry_SYSCALL_64_after_hwframe", "do_syscall_64", "__x64_sys_futex",
                        "do_futex", "futex_wait", "__futex_wait", "futex_do_wait", "schedule"}),
            "lock");
  EXPECT_EQ(waited_for({"__x64_sys_clock_nanosleep", "common_nsleep", "hrtimer_nanosleep",
                        "do_nanosleep", "schedule"}),
            "sleep");
  EXPECT_EQ(waited_for({"ksys_read", "vfs_read", "anon_pipe_read", "schedule"}), "pipe");
  EXPECT_EQ(waited_for({"__x64_sys_epoll_wait", "do_epoll_wait", "ep_poll",
                        "schedule_hrtimeout_range", "schedule"}),
            "poll");
  EXPECT_EQ(waited_for({"asm_exc_page_fault", "exc_page_fault", "handle_mm_fault", "__do_fault",
                        "filemap_fault", "folio_wait_bit_common", "io_schedule", "schedule"}),
            "page fault");
  EXPECT_EQ(waited_for({"ksys_read", "vfs_read", "filemap_read", "folio_wait_bit_common",
                        "io_schedule", "schedule"}),
            "disk");
  EXPECT_EQ(waited_for({"__x64_sys_fsync", "do_fsync", "ext4_sync_file", "jbd2_log_wait_commit",
                        "schedule"}),
            "sync");
}

TEST(WaitReasons, OfLinux3) {
  EXPECT_EQ(waited_for({"system_call_fastpath", "sys_futex", "do_futex", "futex_wait",
                        "futex_wait_queue_me", "schedule"}),
            "lock");
  EXPECT_EQ(waited_for({"sys_read", "vfs_read", "pipe_read", "pipe_wait", "schedule"}), "pipe");
}

TEST(WaitReasons, ASystemCallHasOneNameOfSeveral) {
  for (const char* name : {"sys_pause", "__x64_sys_pause", "__ia32_sys_pause", "__arm64_sys_pause",
                           "__se_sys_pause", "__do_sys_pause"})
    EXPECT_EQ(waited_for({"do_syscall_64", name, "schedule"}), "signal") << name;
  EXPECT_EQ(waited_for({"do_syscall_64", "__x64_pause", "schedule"}), "other");
}

TEST(WaitReasons, AFileSystemThatAnswersFromElsewhereDecides) {
  EXPECT_EQ(waited_for({"vfs_read", "filemap_read", "fuse_readahead", "__fuse_simple_request",
                        "request_wait_answer", "schedule"}),
            "file system");
  EXPECT_EQ(waited_for({"vfs_read", "filemap_read", "folio_wait_bit_common", "schedule"}), "disk");
}

TEST(WaitReasons, TheInnermostFunctionAloneMaySayNothing) {
  EXPECT_EQ(waited_for({"futex_do_wait"}), "lock");
  EXPECT_EQ(waited_for({"poll_schedule_timeout"}), "poll");
  EXPECT_EQ(waited_for({"wait_woken"}), "unknown");
  EXPECT_EQ(waited_for({"tty_read", "wait_woken"}), "terminal");
}

TEST(WaitReasons, WhatTheCompilerAppendsDoesNotCount) {
  EXPECT_EQ(waited_for({"do_wait.isra.0", "schedule"}), "child");
}

TEST(WaitReasons, ABeginningIsEnough) {
  EXPECT_EQ(waited_for({"__mutex_lock.constprop.0", "schedule"}), "kernel lock");
}

TEST(WaitReasons, FunctionsOfTheProgramDivideLocks) {
  const std::vector<std::string> futex{"do_futex", "futex_wait", "schedule"};
  EXPECT_EQ(waited_for(futex, {"__futex_abstimed_wait_common", "___pthread_cond_wait", "pop"}),
            "condition");
  EXPECT_EQ(waited_for(futex, {"__futex_abstimed_wait_common", "__pthread_clockjoin_ex",
                               "std::thread::join"}),
            "join");
  EXPECT_EQ(waited_for(futex, {"__GI___lll_lock_wait", "pthread_mutex_lock", "add"}), "lock");
  EXPECT_EQ(
      waited_for(futex, {"__lll_lock_wait", "__pthread_mutex_cond_lock", "___pthread_cond_wait"}),
      "lock")
      << "the condition was met, but another thread has the lock";
  EXPECT_EQ(waited_for(futex, {"runtime.futex"}), "lock");
  EXPECT_EQ(waited_for({"do_wait", "schedule"}, {"pthread_join"}), "child");
}

TEST(WaitReasons, OtherIsNotUnknown) {
  EXPECT_EQ(waited_for({"do_syscall_64", "something_new", "schedule"}), "other");
  EXPECT_EQ(waited_for({}), "unknown");
}

TEST(WaitReasons, OfThreadsThatCouldRun) {
  const WaitReasons reasons = shipped();
  EXPECT_EQ(reasons
                .of_ready(std::vector<std::string>{"asm_sysvec_apic_timer_interrupt",
                                                   "irqentry_exit_to_user_mode", "schedule"})
                .name,
            "preempted");
  EXPECT_EQ(
      reasons.of_ready(std::vector<std::string>{"__do_sys_sched_yield", "do_sched_yield"}).name,
      "yield");
  EXPECT_EQ(reasons.of_ready(std::vector<std::string>{"throttle_cfs_rq_work", "schedule"}).name,
            "throttled");
}

TEST(WaitReasons, AWrongFileIsNamedWithItsLine) {
  const auto wrong = WaitReasons::parse("[[wait]]\nname = \"a\"\nwords = \"b\"\nfunctions = [1]\n",
                                        "my/waits.toml");
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().what.starts_with("my/waits.toml:4")) << wrong.error().what;
  const auto flag = WaitReasons::parse(
      "[[wait]]\nname = \"a\"\nwords = \"b\"\ndecides = 1\nfunctions = [\"c\"]\n", "my/waits.toml");
  ASSERT_FALSE(flag);
  EXPECT_TRUE(flag.error().what.starts_with("my/waits.toml:4")) << flag.error().what;
}

}  // namespace
}  // namespace tacho::TEST_FILE
