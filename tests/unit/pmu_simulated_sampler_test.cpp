// Tests recordings of a simulated core: perf's format has the values that the simulator sent.
#include "pmu/simulated/simulated_sampler.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cstring>
#include <fstream>

#include "events/catalogue.hpp"
#include "events_made_up_tree.hpp"
#include "perfdata/reader.hpp"
#include "perfdata/writer.hpp"
#include "pmu/simulated/simulated.hpp"
#include "simulation_bytes.hpp"

namespace tacho::TEST_FILE {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class PmuSimulatedSampler : public testing::Test {
 protected:
  static CpuModel model() {
    CpuModel m;
    m.name = "tiny";
    m.frequency_hz = 2'000'000'000;
    return m;
  }
  std::string option(std::string_view name) const {
    for (const std::string& word : simulation_->command())
      if (word.starts_with(name)) return word.substr(name.size());
    return {};
  }
  Result<std::unique_ptr<Sampler>> sample(const std::vector<std::string>& names,
                                          const SampleSpec& spec) {
    const std::vector<std::string> command = {"work"};
    simulation_ = *pmu_.simulate(command, {}, 1ms, 20ms);
    std::vector<Event> events;
    for (const std::string& name : names) events.push_back(*pmu_.resolve(name));
    return pmu_.sample({&events, 1}, Launched{1}, Start::at_exec, spec);
  }

  Catalogue catalogue_{{"/nonexistent/sysfs", {"/nonexistent/tracefs"}}};
  SimulatedPmu pmu_{catalogue_, model(), {"/usr/bin/valgrind", "/lib/tacho"}};
  std::unique_ptr<Simulation> simulation_;
};

TEST_F(PmuSimulatedSampler, WritesTheEventsToSampleForTheSimulator) {
  SampleSpec spec;
  spec.period = 1'000;
  spec.branches = true;
  ASSERT_TRUE(sample({"cycles", "l1d_cache", "task-clock"}, spec).has_value());
  std::ifstream file(option("--sampling="));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, HasSubstr("\ntells 1 0\nevent 1000 4000 cycles\nevent 1000 4000 loads+stores\n"
                              // 1,000 ns at 2 GHz
                              "event 2000 4000 cycles\nend\n"));
}

TEST_F(PmuSimulatedSampler, ItsRecordsAreReadAsTheSimulatorSentThem) {
  SampleSpec spec;
  spec.period = 100;
  spec.branches = true;
  auto sampler = sample({"instructions", "stall-load"}, spec);
  ASSERT_TRUE(sampler.has_value()) << sampler.error().what;
  using simulated_bytes::number;
  const std::string branches =
      number(1) + number(0x40) + number(0x50) + number(70'000) + number(6 * 2 + 1);
  std::ofstream(option("--records="), std::ios::app)
      << simulated_bytes::columns(7, {"cycles"}) +
             simulated_bytes::batch(7, 3, number(0) + number(1'000)) +
             simulated_bytes::batch(7, 3,
                                    number(3) + number(0) + number(7) + number(1) + number(4) +
                                        "work" + number(1) + number(500) + number(8) + number(1) +
                                        number(100) + number(0x1234) + branches + number(0) +
                                        number(0) + number(2'000));
  std::vector<perfdata::WrittenEvent> events;
  for (const OpenedEvent& event : (*sampler)->events())
    events.push_back({event.name, event.attributes, event.ids});
  const MadeUpTree tree;
  const std::string path = tree.path("perf.data");
  auto writer = perfdata::Writer::create(path);
  ASSERT_TRUE(writer.has_value() && writer->start(events).has_value());
  std::uint64_t branch_flags = 0;  // struct perf_branch_entry: the sample's last word
  const auto sink = [&](std::span<const std::byte> records) {
    std::memcpy(&branch_flags, records.last<sizeof branch_flags>().data(), sizeof branch_flags);
    return writer->append({&records, 1});
  };
  ASSERT_TRUE((*sampler)->drain(sink).has_value());
  ASSERT_TRUE(writer->finish({}, events).has_value());

  const auto reader = perfdata::Reader::open(path);
  ASSERT_TRUE(reader.has_value());
  const auto name = (*reader)->next();
  ASSERT_TRUE(name.has_value() && *name != nullptr);
  EXPECT_EQ(std::get<perfdata::Command>((*name)->what).name, "work");
  EXPECT_TRUE(std::get<perfdata::Command>((*name)->what).exec);
  const auto second = (*reader)->next();
  ASSERT_TRUE(second.has_value() && *second != nullptr);
  const auto& read = std::get<perfdata::Sample>((*second)->what);
  EXPECT_EQ(read.ip, 0x1234U);
  EXPECT_TRUE(read.exact_ip);
  EXPECT_EQ(read.pid, 7);
  EXPECT_EQ(read.tid, 8);
  EXPECT_EQ(read.period, 100U);
  EXPECT_EQ(read.time_ns, 750U);  // 1,500 cycles at 2 GHz: those of the slice before are counted
  EXPECT_EQ((*reader)->description().events[read.event].name, "stall-load");
  ASSERT_EQ(read.branches.size(), 1U);
  EXPECT_EQ(read.branches[0].from, 0x40U);
  EXPECT_EQ(read.branches[0].to, 0x50U);
  EXPECT_EQ(read.branches[0].cycles, 65'535U) << "a real stack has 16 bits";
  EXPECT_EQ(branch_flags >> 20 & 15, 6U);
  EXPECT_TRUE(read.branches[0].mispredicted);
  EXPECT_FALSE(read.branches[0].predicted);
}

TEST_F(PmuSimulatedSampler, RefusesWhatASimulationCannotSample) {
  SampleSpec dwarf;
  dwarf.chains = SampleSpec::Chains::dwarf;
  EXPECT_THAT(sample({"cycles"}, dwarf).error().what, HasSubstr("copies no stacks"));
  EXPECT_THAT(sample({"page-faults"}, {}).error().what, HasSubstr("'page-faults'"));
  const EventGroup cycles = {*pmu_.resolve("cycles")};
  EXPECT_THAT(pmu_.sample({&cycles, 1}, EveryCpu{}, Start::stopped, {}).error().what,
              HasSubstr("can't attach"));
}

}  // namespace
}  // namespace tacho::TEST_FILE
