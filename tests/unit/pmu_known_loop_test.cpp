// Tests the known loops by the single steps of a debugger, which need no PMU.
#include "pmu/trust/known_loop.hpp"

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <elf.h>
#include <csignal>
#include <cstdint>
#include <optional>
#include <set>

namespace tacho::TEST_FILE {
namespace {

#if defined(__x86_64__) || defined(__aarch64__)

std::uint64_t instruction_pointer(pid_t pid) {
  user_regs_struct registers{};
  iovec area{&registers, sizeof registers};
  ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &area);
#if defined(__x86_64__)
  return registers.rip;
#else
  return registers.pc;
#endif
}

struct Steps {
  std::uint64_t instructions = 0;
  std::uint64_t jumps = 0;          // where the next instruction did not follow
  std::set<std::uint64_t> lines{};  // of 64 bytes, from which instructions came
};

// Steps through loop(iterations) in a child that stops itself before and after. Returns nothing if
// tracing is forbidden.
std::optional<Steps> step_through(void (*loop)(std::uint32_t), std::uint32_t iterations) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
    raise(SIGSTOP);
    loop(iterations);
    raise(SIGSTOP);
    _exit(0);
  }
  constexpr std::uint64_t kLongestInstruction = 15;
  int status = 0;
  waitpid(pid, &status, 0);
  if (!WIFSTOPPED(status)) return std::nullopt;
  Steps steps;
  std::uint64_t last = instruction_pointer(pid);
  while (ptrace(PTRACE_SINGLESTEP, pid, nullptr, nullptr) == 0 && waitpid(pid, &status, 0) == pid &&
         WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP) {
    const std::uint64_t now = instruction_pointer(pid);
    ++steps.instructions;
    if (now <= last || now > last + kLongestInstruction) ++steps.jumps;
    steps.lines.insert(now / 64);
    last = now;
  }
  kill(pid, SIGKILL);
  waitpid(pid, &status, 0);
  return steps;
}

TEST(PmuKnownLoop, ExecutesItsKnownInstructionsAndBranches) {
  const auto hundred = step_through(run_known_loop, 100);
  const auto thousand = step_through(run_known_loop, 1'000);
  if (!hundred || !thousand) GTEST_SKIP() << "tracing is forbidden here";
  EXPECT_EQ(thousand->instructions - hundred->instructions, 900 * kLoopInstructions);
  EXPECT_EQ(thousand->jumps - hundred->jumps, 900 * kLoopBranches);
  EXPECT_LT(hundred->instructions, 100 * kLoopInstructions + 1'000) << "the call costs little";
}

TEST(PmuKnownLoop, ExecutesItsKnownLinesOfCode) {
  const auto none = step_through(run_known_code, 0);
  const auto once = step_through(run_known_code, 1);
  if (!none || !once) GTEST_SKIP() << "tracing is forbidden here";
  EXPECT_GE(once->lines.size(), none->lines.size() + kLoopLines - 1);
  EXPECT_LE(once->jumps, none->jumps + 10) << "without a jump";
}

#endif

}  // namespace
}  // namespace tacho::TEST_FILE
