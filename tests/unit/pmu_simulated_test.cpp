// Tests the software PMU with records made by hand: times, turns and totals are those of the
// slices.
#include "pmu/simulated/simulated.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "base/file.hpp"
#include "measure/plan.hpp"
#include "measure/run_clock.hpp"
#include "measure/target_counters.hpp"
#include "simulation/simulator_input.hpp"
#include "simulation_bytes.hpp"

namespace tacho::TEST_FILE {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PmuSimulated : public testing::Test {
 protected:
  // One nanosecond is one cycle.
  static CpuModel model() {
    CpuModel model;
    model.name = "tiny";
    model.frequency_hz = 1'000'000'000;
    return model;
  }

  std::vector<EventGroup> groups(std::initializer_list<std::string_view> names) {
    std::vector<EventGroup> result;
    for (const std::string_view name : names) result.push_back({*pmu_.resolve(name)});
    return result;
  }

  void begin() {
    const std::vector<std::string> command = {"work", "hard"};
    simulation_ = *pmu_.simulate(command, {}, 5us, 500us);
  }

  std::string option(std::string_view name) const {
    for (const std::string& word : simulation_->command())
      if (word.starts_with(name)) return word.substr(name.size());
    return {};
  }

  void record(std::string_view text) { std::ofstream(option("--records="), std::ios::app) << text; }

  std::vector<std::uint64_t> read(CounterGroup& group, std::size_t size) {
    std::vector<Reading> readings(size);
    EXPECT_TRUE(group.read(readings).has_value());
    std::vector<std::uint64_t> values;
    for (const Reading& reading : readings) values.push_back(reading.value);
    return values;
  }

  Catalogue catalogue_{{"/nonexistent/sysfs", {"/nonexistent/tracefs"}}};
  SimulatedPmu pmu_{catalogue_, model(), {"/usr/bin/valgrind", "/lib/tacho"}};
  std::unique_ptr<Simulation> simulation_;
};

const std::string kColumns = simulated_bytes::columns(7, {"cycles", "instructions", "branches"});

TEST_F(PmuSimulated, EverythingFitsAtOnce) {
  const Plan plan = make_plan(pmu_, groups({"cycles", "instructions", "branches"}), {});
  EXPECT_THAT(plan.always, ElementsAre(ElementsAre(0, 1, 2)));
  EXPECT_THAT(plan.sets, IsEmpty());
  EXPECT_THAT(plan.truth, IsEmpty());
}

TEST_F(PmuSimulated, AnEstimateOnRequestHasItsTruthBesideIt) {
  const Plan plan = make_plan(pmu_, groups({"cycles", "instructions", "branches"}), 1);
  EXPECT_THAT(plan.sets, ElementsAre(ElementsAre(1), ElementsAre(2)));
  EXPECT_THAT(plan.truth, ElementsAre(1, 2));
  EXPECT_EQ(plan.reference, 0U);
  EXPECT_TRUE(plan.reference_in_sets);
}

TEST_F(PmuSimulated, GivesTheReasonWhyASimulationCannotCountAnEvent) {
  for (const auto& [name, reason, remedy] :
       {std::tuple("page-faults", "not simulated", "--with-native"),
        std::tuple("r01c2", "it is not simulated", "tacho list --pmu simulated"),
        std::tuple("LLC-loads", "the model tiny has no second level", "tacho list"),
        std::tuple("instructions:k", "only user mode", "tacho list")}) {
    const Event event = *pmu_.resolve(name);
    const auto opened = pmu_.open({&event, 1}, Self{}, Start::stopped);
    ASSERT_FALSE(opened.has_value()) << name;
    EXPECT_THAT(opened.error().what, HasSubstr(reason));
    EXPECT_THAT(opened.error().remedy, HasSubstr(remedy));
  }
  EXPECT_THAT(pmu_.resolve("instrctions").error().remedy, HasSubstr("instructions"));
  EXPECT_EQ(pmu_.resolve("instructions:u")->name, "instructions:u");
  EXPECT_FALSE(pmu_.resolve("no-such-event").has_value());
}

TEST_F(PmuSimulated, TheTaskClockIsTheCoresTime) {
  const Event clock = *pmu_.resolve("task-clock");
  EXPECT_EQ(clock.unit, "ns");
  EXPECT_DOUBLE_EQ(clock.scale, 1.0);
  CpuModel slow = model();
  slow.frequency_hz = 700'000'000;
  EXPECT_DOUBLE_EQ(SimulatedPmu(catalogue_, slow, {}).resolve("task-clock")->scale, 10.0 / 7);
}

TEST_F(PmuSimulated, CannotAttach) {
  begin();
  const Event event = *pmu_.resolve("cycles");
  for (const Target& target : {Target(Process{1}), Target(Thread{1}), Target(EveryCpu{})}) {
    const auto opened = pmu_.open({&event, 1}, target, Start::stopped);
    ASSERT_FALSE(opened.has_value());
    EXPECT_THAT(opened.error().what, HasSubstr("can't attach"));
  }
}

TEST_F(PmuSimulated, LaunchesTheCommandUnderTheSimulator) {
  begin();
  const auto& words = simulation_->command();
  EXPECT_EQ(words.front(), "/usr/bin/valgrind");
  EXPECT_THAT(words, testing::Contains("--tool=tacho"));
  EXPECT_THAT(std::vector(words.end() - 3, words.end()), ElementsAre("--", "work", "hard"));
  EXPECT_THAT(simulation_->environment(), ElementsAre("VALGRIND_LIB=/lib/tacho"));
  EXPECT_EQ(*read_file(option("--model=")), to_simulator_input(model(), 5'000, 500'000));
  const std::filesystem::path directory = std::filesystem::path(option("--model=")).parent_path();
  EXPECT_EQ(std::filesystem::status(directory).permissions(), std::filesystem::perms::owner_all);
  simulation_.reset();
  EXPECT_FALSE(std::filesystem::exists(directory));
}

TEST_F(PmuSimulated, TimeIsTheCyclesOfAllProcesses) {
  begin();
  EXPECT_EQ(simulation_->now(), 0ns);
  EXPECT_FALSE(simulation_->begun());
  EXPECT_FALSE(*simulation_->advance(1us));
  record(kColumns + simulated_bytes::slices(7, {600, 10, 1, 600, 20, 2}));
  EXPECT_TRUE(*simulation_->advance(1us));
  EXPECT_EQ(simulation_->now(), 1200ns);
  EXPECT_TRUE(simulation_->begun());
  record(simulated_bytes::columns(8, {"cycles", "instructions", "branches"}) +
         simulated_bytes::slices(8, {100, 1, 0, 50, 1, 0}));
  EXPECT_TRUE(*simulation_->advance(1300ns));
  EXPECT_EQ(simulation_->now(), 1300ns) << "no slice further than needed";
  EXPECT_FALSE(*simulation_->advance({}));
  EXPECT_EQ(simulation_->now(), 1350ns);
}

TEST_F(PmuSimulated, TimeIsExactAtTheHighestFrequency) {
  CpuModel fast = model();
  fast.frequency_hz = 100'000'000'000;
  SimulatedPmu pmu(catalogue_, fast, {});
  simulation_ = *pmu.simulate({}, {}, 5us, 500us);
  record(kColumns + simulated_bytes::slices(7, {3'999'999'999'950, 1, 1}));
  ASSERT_FALSE(*simulation_->advance({}));
  EXPECT_EQ(simulation_->now(), 39'999'999'999ns);
}

TEST_F(PmuSimulated, SetsCountOnlyDuringTheirTurns) {
  const Plan plan = make_plan(pmu_, groups({"cycles", "instructions", "branches"}), 1);
  begin();
  auto lane =
      *TargetCounters::open(pmu_, plan, Launched{1}, Start::at_exec, std::array<std::size_t, 1>());
  record(kColumns +
         simulated_bytes::slices(7, {1000, 10, 1, 1000, 20, 2, 1000, 40, 4, 1000, 80, 8}));
  ASSERT_TRUE(*simulation_->advance(1500ns));  // two slices
  Period first;
  ASSERT_TRUE(lane.turn_off(0, first).has_value());
  ASSERT_TRUE(lane.turn_on(1).has_value());
  ASSERT_TRUE(*simulation_->advance(2500ns));  // one more
  Period second;
  ASSERT_TRUE(lane.turn_off(1, second).has_value());
  ASSERT_TRUE(lane.turn_on(0).has_value());
  ASSERT_FALSE(*simulation_->advance({}));
  Period third;
  ASSERT_TRUE(lane.turn_off(0, third).has_value());

  EXPECT_THAT(first.counts, ElementsAre(30));
  EXPECT_EQ(first.reference, 2000U);
  EXPECT_EQ(first.running_ns, 2000U);
  EXPECT_THAT(second.counts, ElementsAre(4));
  EXPECT_EQ(second.reference, 1000U);
  EXPECT_THAT(third.counts, ElementsAre(80));
  std::vector<Reading> always;
  ASSERT_TRUE(lane.read_always(always).has_value());
  ASSERT_EQ(always.size(), 3U);
  EXPECT_EQ(always[0].value, 4000U) << "the reference";
  EXPECT_EQ(always[1].value, 150U) << "instructions' truth";
  EXPECT_EQ(always[2].value, 15U) << "branches' truth";
}

TEST_F(PmuSimulated, EachRunCountsFromZero) {
  const Event event = *pmu_.resolve("instructions");
  for (int run = 0; run < 2; ++run) {
    begin();
    auto group = *pmu_.open({&event, 1}, Launched{1}, Start::at_exec);
    EXPECT_THAT(read(*group, 1), ElementsAre(0));
    record(kColumns + simulated_bytes::slices(7, {1000, 10, 1}));
    ASSERT_FALSE(*simulation_->advance({}));
    EXPECT_THAT(read(*group, 1), ElementsAre(10));
  }
}

TEST_F(PmuSimulated, ASimulatorOfAnotherVersionIsAnErrorNotAZero) {
  begin();
  const Event event = *pmu_.resolve("branch-misses");
  auto group = *pmu_.open({&event, 1}, Launched{1}, Start::at_exec);
  record(kColumns + simulated_bytes::slices(7, {1000, 10, 1}));
  ASSERT_FALSE(*simulation_->advance({}));
  std::vector<Reading> readings(1);
  EXPECT_THAT(group->read(readings).error().what, HasSubstr("does not count 'branch-misses'"));

  begin();
  record(simulated_bytes::columns(7, {"loads"}) + simulated_bytes::slices(7, {1}));
  EXPECT_THAT(simulation_->advance({}).error().what, HasSubstr("does not count cycles"));
}

TEST_F(PmuSimulated, NoSliceLastsForHours) {
  begin();
  record(kColumns + simulated_bytes::slices(7, {4'000'000'000'000, 1, 1}));
  EXPECT_THAT(simulation_->advance({}).error().what, HasSubstr("damaged"));
}

TEST_F(PmuSimulated, ReportsTroubleOfTheSimulatorButNotOfTheWorkload) {
  begin();
  record(kColumns + simulated_bytes::slices(7, {1000, 10, 1}) + simulated_bytes::end(7));
  ASSERT_FALSE(*simulation_->advance({}));
  const std::string log = std::filesystem::path(option("--model=")).parent_path() / "log.42";
  std::ofstream(log)
      << "==42== \n==42== Process terminating with default action of signal 11 (SIGSEGV)\n"
         "==42==    at 0x1: main\n==42== If you believe this happened\n";
  EXPECT_THAT(*simulation_->conclude(SIGSEGV), IsEmpty());
  std::ofstream(log) << "==42== valgrind: the 'impossible' happened:\n==42==    in a test\n";
  EXPECT_THAT(*simulation_->conclude({}),
              ElementsAre(HasSubstr("trouble: valgrind: the 'impossible' happened")));
  std::ofstream(log) << "==42== cannot write to x: the counts end here\n";
  EXPECT_THAT(*simulation_->conclude({}), ElementsAre(HasSubstr("trouble: cannot write to x")));
  EXPECT_THAT(*simulation_->conclude(SIGKILL), testing::Contains(HasSubstr("may not be counted")));
}

TEST_F(PmuSimulated, ARunThatDidNotBeginIsAnErrorUnlessTheCommandWasKilled) {
  begin();
  EXPECT_THAT(simulation_->conclude({}).error().what, HasSubstr("before it had counted anything"));
  EXPECT_TRUE(simulation_->conclude(SIGINT).has_value());
}

TEST_F(PmuSimulated, ARunWithoutItsEndIsAnErrorUnlessTheCommandWasKilled) {
  begin();
  record(kColumns + simulated_bytes::slices(7, {1000, 10, 1}));
  ASSERT_FALSE(*simulation_->advance({}));
  const std::string log = std::filesystem::path(option("--model=")).parent_path() / "log.42";
  std::ofstream(log) << "==42== cannot go on\n";
  EXPECT_THAT(simulation_->conclude({}).error().what,
              HasSubstr("ended before the command did: cannot go on"));
  EXPECT_TRUE(simulation_->conclude(SIGSEGV).has_value());
}

// Deadlines are met in simulated time, each with the counts up to it, although the command
// has long ended.
TEST_F(PmuSimulated, EveryDeadlineIsMetAfterTheEnd) {
  auto supervisor = *Supervisor::create();
  ASSERT_TRUE(supervisor->prepare({.argv = {"true"}}).has_value());
  begin();
  record(kColumns + simulated_bytes::slices(7, {1000, 10, 1, 1000, 20, 2, 1000, 40, 4}));
  ASSERT_TRUE(supervisor->release().has_value());
  const auto pace = make_run_clock(*supervisor, simulation_.get());
  const auto at = [](auto time) { return RunClock::Clock::time_point(time); };
  EXPECT_EQ(pace->wait(at(1us)), Wake::deadline);
  EXPECT_EQ(pace->now(), at(1us));
  EXPECT_EQ(pace->wait(at(1500ns)), Wake::deadline);
  EXPECT_EQ(pace->now(), at(2us));
  EXPECT_EQ(pace->wait(at(1h)), Wake::ended);
  EXPECT_EQ(pace->now(), at(3us)) << "all that it did";
  EXPECT_TRUE(pace->trouble().has_value());
}

}  // namespace
}  // namespace tacho::TEST_FILE
