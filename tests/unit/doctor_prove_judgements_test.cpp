// Tests the judgements of `tacho doctor --prove` with numbers that are right, wrong by little and
// wrong by much.
#include <gtest/gtest.h>

#include <cerrno>

#include "doctor/prove/addresses.hpp"
#include "doctor/prove/attach.hpp"
#include "doctor/prove/branch_stack.hpp"
#include "doctor/prove/counters.hpp"
#include "doctor/prove/known_counts.hpp"
#include "doctor/prove/moves.hpp"
#include "doctor/prove/sampling.hpp"
#include "doctor/prove/times.hpp"
#include "doctor/prove/turns.hpp"

namespace tacho::prove::TEST_FILE {
namespace {

TEST(DoctorProve, AKnownCountMayDifferByHalfAPercent) {
  EXPECT_EQ(judge_known_count("instructions", 2'000'012, 2'000'000, true).outcome, Outcome::proved);
  EXPECT_EQ(judge_known_count("instructions", 2'009'999, 2'000'000, true).outcome, Outcome::proved);
  EXPECT_EQ(judge_known_count("instructions", 2'020'000, 2'000'000, true).outcome, Outcome::failed);
  EXPECT_EQ(judge_known_count("instructions", 1'980'000, 2'000'000, true).outcome, Outcome::failed);
  EXPECT_EQ(judge_known_count("instructions", 0, 2'000'000, true).outcome, Outcome::failed);
  // Where the kernel is counted too, by more.
  EXPECT_EQ(judge_known_count("instructions", 2'150'000, 2'000'000, false).outcome,
            Outcome::proved);
  EXPECT_EQ(judge_known_count("instructions", 4'000'000, 2'000'000, false).outcome,
            Outcome::failed);
}

TEST(DoctorProve, ALimitOfDescriptorsProvesNothingAboutThePmu) {
  EXPECT_EQ(failed(Error{"too many open files", "ulimit -n", EMFILE}).outcome, Outcome::not_proved);
  EXPECT_EQ(failed(Error{"the kernel refuses it", "", EINVAL}).outcome, Outcome::failed);
}

TEST(DoctorProve, AnEventOfLoadsMayCountStoresToo) {
  const Proof loads = judge_accesses("loads", 500'100, 500'000);
  EXPECT_EQ(loads.outcome, Outcome::proved);
  EXPECT_EQ(loads.figures.at(0).expected, 500'000);
  const Proof both = judge_accesses("loads", 1'000'200, 500'000);
  EXPECT_EQ(both.outcome, Outcome::proved);
  EXPECT_NE(both.detail.find("counts both"), std::string::npos);
  EXPECT_EQ(judge_accesses("loads", 740'000, 500'000).outcome, Outcome::failed);
  EXPECT_EQ(judge_accesses("loads", 0, 500'000).outcome, Outcome::failed);
  EXPECT_EQ(judge_accesses("loads", 5'000'000, 500'000).outcome, Outcome::failed);
}

TEST(DoctorProve, AnExclusiveOrTakesOneCycle) {
  EXPECT_EQ(judge_cycles({1.004, 3.4}, {3.01, 3.4}).outcome, Outcome::proved);
  EXPECT_EQ(judge_cycles({1.05, 3.4}, {3.0, 3.4}).outcome, Outcome::failed);
  EXPECT_EQ(judge_cycles({0.5, 1.7}, {1.5, 1.7}).outcome, Outcome::failed);
  EXPECT_EQ(judge_cycles({1.0, 1.0}, {3.0, 1.0}).outcome, Outcome::proved) << "a core of 1 GHz";
}

TEST(DoctorProve, AnEmulatorsClockProvesNothing) {
  const Proof proof = judge_cycles({2.0, 0.99}, {2.0, 0.99});
  EXPECT_EQ(proof.outcome, Outcome::not_proved);
  EXPECT_NE(proof.detail.find("emulator"), std::string::npos);
  EXPECT_EQ(judge_cycles({1.0, 1.0}, {1.0, 1.0}).outcome, Outcome::not_proved) << "instructions";
  EXPECT_EQ(judge_cycles({0.3, 0.99}, {0.9, 0.99}).outcome, Outcome::not_proved) << "nanoseconds";
}

TEST(DoctorProve, CopiesOfAnEventCountAlike) {
  const std::vector<std::uint64_t> alike{100'000, 100'000, 100'003};
  const std::vector<std::uint64_t> odd{100'000, 100'000, 99'000};
  EXPECT_EQ(judge_copies("branches", alike, "NMI watchdog off").outcome, Outcome::proved);
  EXPECT_EQ(judge_copies("branches", odd, "NMI watchdog off").outcome, Outcome::failed);
  EXPECT_EQ(judge_copies("branches", {}, "NMI watchdog on").outcome, Outcome::not_proved);
}

TEST(DoctorProve, WithoutTheWatchdogNoCounterIsMissing) {
  EXPECT_EQ(judge_watchdog(5, 6).outcome, Outcome::proved);
  EXPECT_EQ(judge_watchdog(6, 6).outcome, Outcome::proved);
  EXPECT_EQ(judge_watchdog(6, 5).outcome, Outcome::failed);
}

TEST(DoctorProve, ThreeOfFiveIntervalsHoldTheTruth) {
  const EstimatedRun hit{.estimate = 1010, .ci95 = 20, .truth = 1000};
  const EstimatedRun miss{.estimate = 1030, .ci95 = 20, .truth = 1000};
  const std::vector<EstimatedRun> two_misses{hit, hit, hit, miss, miss};
  const std::vector<EstimatedRun> three_misses{hit, hit, miss, miss, miss};
  const std::vector<EstimatedRun> no_interval{hit, {.estimate = 1000, .ci95 = {}, .truth = 1000}};
  const EstimatedRun by_edges{.estimate = 1000.5, .ci95 = 0.1, .truth = 1000};
  EXPECT_EQ(judge_turns(std::vector(5, by_edges)).outcome, Outcome::proved);
  EXPECT_EQ(judge_turns(two_misses).outcome, Outcome::proved);
  EXPECT_EQ(judge_turns(three_misses).outcome, Outcome::failed);
  EXPECT_EQ(judge_turns(no_interval).outcome, Outcome::not_proved);
}

TEST(DoctorProve, AFamilyCountsWhatAllItsProcessesDo) {
  const KnownWork work{
      .event = "instructions", .beside = "", .count = 1'000'000, .run = nullptr, .tolerance = 0.01};
  EXPECT_EQ(judge_family(work, 4'010'000, 4, true).outcome, Outcome::proved);
  EXPECT_EQ(judge_family(work, 4'100'000, 4, true).outcome, Outcome::failed);
  EXPECT_EQ(judge_family(work, 1'000'000, 4, true).outcome, Outcome::failed) << "no children";
  EXPECT_EQ(judge_family(work, 0, 4, true).outcome, Outcome::failed);
}

TEST(DoctorProve, ReadingsOfAThreadThatMovesNeverFall) {
  const Moves right{.count = 20, .falls = 0, .counted = 20'010'000, .known = 20'000'000};
  Moves fell = right;
  fell.falls = 1;
  Moves lost = right;
  lost.counted = 19'000'000;
  EXPECT_EQ(judge_moves(right, "registers", 0.01).outcome, Outcome::proved);
  EXPECT_EQ(judge_moves(fell, "registers", 0.01).outcome, Outcome::failed);
  EXPECT_EQ(judge_moves(lost, "registers", 0.01).outcome, Outcome::failed);
}

SampledSum sampled(std::uint64_t samples, double period, double counted, double stolen = 0) {
  return {.samples = samples,
          .weight = static_cast<double>(samples) * period,
          .counted = counted,
          .stolen = stolen,
          .unit = "ns"};
}

TEST(DoctorProve, SamplesTimesPeriodsMakeTheCount) {
  EXPECT_EQ(judge_sampling(sampled(1990, 250e3, 500e6)).outcome, Outcome::proved);
  EXPECT_EQ(judge_sampling(sampled(1960, 250e3, 500e6)).outcome, Outcome::failed);
  EXPECT_EQ(judge_sampling(sampled(2060, 250e3, 500e6)).outcome, Outcome::failed);
  EXPECT_EQ(judge_sampling(sampled(1000, 250e3, 500e6)).outcome, Outcome::failed);
  EXPECT_EQ(judge_sampling(sampled(0, 0, 500e6)).outcome, Outcome::failed);
  // At 99 Hz two periods are more. Six percent less is too little all the same.
  EXPECT_EQ(judge_sampling(sampled(147, 10.1e6, 1.5e9)).outcome, Outcome::proved);
  EXPECT_EQ(judge_sampling(sampled(139, 10.1e6, 1.5e9)).outcome, Outcome::failed);
  // A clock takes no samples while the hypervisor has the CPU.
  EXPECT_EQ(judge_sampling(sampled(1960, 250e3, 500e6, 10e6)).outcome, Outcome::proved);
  EXPECT_EQ(judge_sampling(sampled(500, 250e3, 500e6, 400e6)).outcome, Outcome::not_proved);
}

constexpr ChainCode kCode{.begin = 0x1000, .branch = 0x1303, .end = 0x1309};

std::vector<std::uint64_t> addresses(std::size_t branch, std::size_t inside, std::size_t outside) {
  std::vector<std::uint64_t> all(branch, kCode.branch);
  all.insert(all.end(), inside, kCode.begin + 9);
  all.insert(all.end(), outside, kCode.begin - 1);
  return all;
}

TEST(DoctorProve, PreciseSamplesAreOfTheBranch) {
  EXPECT_EQ(judge_addresses(addresses(99, 1, 0), kCode, true, true).outcome, Outcome::proved);
  EXPECT_EQ(judge_addresses(addresses(90, 10, 0), kCode, true, true).outcome, Outcome::failed);
  EXPECT_EQ(judge_addresses(addresses(0, 100, 0), kCode, true, true).outcome, Outcome::failed);
}

TEST(DoctorProve, OrdinarySamplesAreInTheLoopWithASkid) {
  const Proof proof = judge_addresses(addresses(0, 98, 2), kCode, false, true);
  EXPECT_EQ(proof.outcome, Outcome::proved);
  // From the branch (6 bytes) and nine bytes of the next iteration.
  EXPECT_NE(proof.detail.find("15 bytes or more behind the branch"), std::string::npos)
      << proof.detail;
  EXPECT_EQ(judge_addresses(addresses(0, 80, 20), kCode, false, true).outcome, Outcome::failed);
  EXPECT_EQ(judge_addresses(addresses(5, 0, 0), kCode, false, true).outcome, Outcome::failed);
}

std::vector<perfdata::Branch> entries(std::size_t right, std::size_t wrong, std::uint16_t cycles) {
  perfdata::Branch of_loop;
  of_loop.from = kCode.branch;
  of_loop.to = kCode.begin;
  of_loop.cycles = cycles;
  std::vector<perfdata::Branch> all(right, of_loop);
  all.resize(right + wrong);
  return all;
}

TEST(DoctorProve, BranchStacksHaveTheLoopsBranchAndCycles) {
  EXPECT_EQ(judge_branches(entries(300, 10, 257), kCode).outcome, Outcome::proved);
  EXPECT_EQ(judge_branches(entries(300, 10, 0), kCode).outcome, Outcome::proved) << "no cycles";
  EXPECT_EQ(judge_branches(entries(300, 10, 280), kCode).outcome, Outcome::failed);
  EXPECT_EQ(judge_branches(entries(300, 10, 128), kCode).outcome, Outcome::failed);
  EXPECT_EQ(judge_branches(entries(200, 110, 257), kCode).outcome, Outcome::failed);
  EXPECT_EQ(judge_branches(entries(10, 0, 257), kCode).outcome, Outcome::failed);
}

TEST(DoctorProve, EnabledTimeIsTheCpuTime) {
  const auto outcome = [](double enabled, double task_clock, double cpu, double wall,
                          double stolen = 0) {
    return judge_times({enabled, task_clock, cpu, wall, stolen}).outcome;
  };
  EXPECT_EQ(outcome(0.2, 0.201, 0.2005, 0.2005), Outcome::proved);
  EXPECT_EQ(outcome(0.19, 0.2, 0.2, 0.2), Outcome::failed) << "enabled: 5 % too little";
  EXPECT_EQ(outcome(0.1, 0.2, 0.2, 0.2), Outcome::failed) << "a part of the run";
  EXPECT_EQ(outcome(0.2, 0.21, 0.2, 0.21), Outcome::failed) << "task-clock";
  EXPECT_EQ(outcome(0.21, 0.21, 0.2, 0.21, 0.01), Outcome::proved) << "stolen, as the kernel says";
  EXPECT_EQ(outcome(0.21, 0.21, 0.2, 0.215), Outcome::not_proved) << "stolen in secret";
  EXPECT_EQ(outcome(0.21, 0.21, 0.2, 0.2), Outcome::failed) << "longer than it took";
  EXPECT_EQ(outcome(0.19, 0.19, 0.2, 0.21), Outcome::failed) << "both too little";
}

TEST(DoctorProve, ACpuCountsWhatItsThreadsCount) {
  EXPECT_EQ(judge_every_cpu(1'010'000, 1'000'000, 0.001).outcome, Outcome::proved);
  EXPECT_EQ(judge_every_cpu(990'000, 1'000'000, 0.001).outcome, Outcome::failed);
  EXPECT_EQ(judge_every_cpu(1'100'000, 1'000'000, 0.001).outcome, Outcome::failed);
  EXPECT_EQ(judge_every_cpu(2'000'000, 1'000'000, 0).outcome, Outcome::failed);
  EXPECT_EQ(judge_every_cpu(1'150'000, 1'000'000, 0.05).outcome, Outcome::proved) << "others ran";
  EXPECT_EQ(judge_every_cpu(1'300'000, 1'000'000, 0.3).outcome, Outcome::not_proved);
  EXPECT_EQ(judge_every_cpu(300'000, 1'000'000, 0.3).outcome, Outcome::failed) << "it lacks some";
}

}  // namespace
}  // namespace tacho::prove::TEST_FILE
