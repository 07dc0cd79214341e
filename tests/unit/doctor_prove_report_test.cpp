// Tests the report of `tacho doctor --prove`, and the loops that it measures, on any machine.
#include <gtest/gtest.h>

#include <sstream>

#include "base/number.hpp"
#include "doctor/prove/bench.hpp"
#include "doctor/prove/loops.hpp"
#include "doctor/prove/machine_facts.hpp"
#include "doctor/prove/proof_report.hpp"
#include "events_made_up_tree.hpp"

namespace tacho::prove::TEST_FILE {
namespace {

Proof named(Proof proof, std::string pmu, std::string check) {
  proof.pmu = std::move(pmu);
  proof.check = std::move(check);
  return proof;
}

ProofReport two_pmus() {
  const Figure figure{.name = "instructions",
                      .measured = 2'000'012,
                      .expected = 2'000'000,
                      .tolerance = 10'000,
                      .unit = "instructions"};
  Figure wrong = figure;
  wrong.measured = 1;
  ProofReport report;
  report.subjects = {{.pmu = "cpu_core", .core = true, .one_of = true, .cpus = {0, 1, 2, 3, 7}},
                     {.pmu = "cpu_atom", .core = true, .one_of = true, .cpus = {}}};
  report.proofs = {
      named(judged(figure_text(figure), {figure}), "cpu_core", "instructions"),
      named(judged(figure_text(wrong), {wrong}), "cpu_core", "cycles"),
      named(not_proved("none of this PMU's CPUs may be used", "use taskset"), "cpu_atom", "cycles"),
      named(not_proved("none of this PMU's CPUs may be used", "use taskset"), "cpu_atom", "fork"),
  };
  report.seconds = 12.3;
  return report;
}

TEST(DoctorProveReport, SaysWhatWasProvedOnWhichPmu) {
  const std::string text = proof_text(two_pmus());
  EXPECT_TRUE(text.starts_with("4 checks in 12 s: 1 proved, 1 failed, 2 not proved here\n"))
      << text;
  EXPECT_NE(text.find("cpu_core: CPUs 0-3,7, kept to CPU 7\n"), std::string::npos) << text;
  EXPECT_NE(text.find("2000012 instructions, known 2000000 (± 10000)"), std::string::npos) << text;
  EXPECT_NE(text.find("failed"), std::string::npos);
  EXPECT_NE(text.find("not proved  cycles, fork: none of this PMU's CPUs"), std::string::npos)
      << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80U) << line;
}

TEST(DoctorProveReport, JsonHasTheFigures) {
  const Json proofs = proofs_json(two_pmus());
  ASSERT_EQ(proofs.size(), 4U);
  EXPECT_EQ(proofs[0]["outcome"], "proved");
  EXPECT_EQ(proofs[0]["figures"][0]["measured"], 2'000'012);
  EXPECT_EQ(proofs[1]["outcome"], "failed");
  EXPECT_EQ(proofs[2]["outcome"], "not proved");
  EXPECT_EQ(proofs[2]["remedy"], "use taskset");
  EXPECT_TRUE(proofs[0]["remedy"].is_null());
}

TEST(DoctorProveReport, ListsOfCpusAreShort) {
  EXPECT_EQ(cpu_list_text({}), "");
  EXPECT_EQ(cpu_list_text({4}), "4");
  EXPECT_EQ(cpu_list_text({0, 1, 2, 4, 6, 7}), "0-2,4,6-7");
}

TEST(DoctorProveReport, EventsNameTheirPmuWhereCoresAreUnequal) {
  const Subject alone{.pmu = "cpu", .core = true, .one_of = false, .cpus = {0}};
  const Subject atom{.pmu = "cpu_atom", .core = true, .one_of = true, .cpus = {4}};
  EXPECT_EQ(alone.user_event("cycles"), "cycles:u");
  EXPECT_EQ(atom.user_event("cycles"), "cpu_atom/cycles/u");
  Subject a53 = atom;
  a53.pmu = "armv8_cortex_a53";
  a53.numbered = true;
  EXPECT_EQ(a53.user_event("cycles"), "armv8_cortex_a53/event=0x11/u");
  EXPECT_EQ(a53.user_event("branch-misses"), "armv8_cortex_a53/branch-misses/u");
}

// Two kinds of cores on CPUs 0 to 7, of which CPU 5 is not for this process.
TEST(DoctorProveReport, EachPmuIsProvedOnItsOwnCpus) {
  const MadeUpTree tree;
  tree.write("sysfs/armv8_cortex_a53/type", "9\n");
  tree.write("sysfs/armv8_cortex_a53/cpus", "0-3\n");
  tree.write("sysfs/armv8_cortex_a72/type", "10\n");
  tree.write("sysfs/armv8_cortex_a72/cpus", "4-7\n");
  const auto subjects = find_subjects(tree.catalogue(), {0, 1, 2, 3, 4, 6, 7});
  ASSERT_EQ(subjects.size(), 3U);
  EXPECT_EQ(subjects[0].pmu, "armv8_cortex_a53");
  EXPECT_EQ(subjects[0].cpus, std::vector<int>({0, 1, 2, 3}));
  EXPECT_EQ(subjects[1].cpus, std::vector<int>({4, 6, 7}));
  EXPECT_TRUE(subjects[1].one_of);
  EXPECT_FALSE(subjects[2].core) << "the kernel's software events come last";
  EXPECT_EQ(subjects[2].cpus.size(), 7U);
}

TEST(DoctorProveReport, AMachineWithoutAPmuHasASubjectThatSaysSo) {
  const MadeUpTree tree;
  tree.write("sysfs/software/type", "1\n");
  const auto subjects = find_subjects(tree.catalogue(), {0});
  ASSERT_EQ(subjects.size(), 2U);
  EXPECT_TRUE(subjects[0].pmu.empty());
  EXPECT_TRUE(subjects[0].core);
  EXPECT_EQ(subjects[1].pmu, "kernel");
}

TEST(DoctorProveLoops, TheChainsCodeIsWhereItsLabelsAre) {
  if (!kHasChains) GTEST_SKIP() << "this architecture has no chain";
  const ChainCode code = chain_code();
  EXPECT_LT(code.begin, code.branch);
  EXPECT_LT(code.branch, code.end);
  // 256 operations of two to four bytes.
  EXPECT_GE(code.branch - code.begin, 2 * kChainLength);
  EXPECT_LE(code.branch - code.begin, 4 * kChainLength + 8);
  run_chain(10);
  run_multiplications(10);
}

}  // namespace
}  // namespace tacho::prove::TEST_FILE
