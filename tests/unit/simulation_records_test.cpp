// The reader of the simulator's records: complete batches are read, in pieces of any size; damage
// is reported with its place.
#include "simulation/records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "simulation_bytes.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Counts = std::vector<std::uint64_t>;

std::vector<Slice> all(Records& records) {
  std::vector<Slice> slices;
  for (auto slice = records.next(); slice && *slice; slice = records.next())
    slices.push_back(**slice);
  return slices;
}

std::string damage_of(std::string_view text) {
  Records records;
  records.add(text);
  while (true) {
    const auto slice = records.next();
    if (!slice) return slice.error().what;
    if (!*slice) return "none";
  }
}

const std::string kFile = simulated_bytes::columns(7, {"cycles", "loads"}) +
                          simulated_bytes::slices(7, {1000, 3, 2000, 0}) +
                          simulated_bytes::columns(8, {"cycles", "loads"}) +
                          simulated_bytes::slices(8, {300, 70'000}) +
                          simulated_bytes::slices(7, {5, 128});

TEST(SimulationRecords, SlicesOfAllProcessesComeInTheOrderOfTheFile) {
  Records records;
  EXPECT_THAT(records.columns(), IsEmpty());
  records.add(kFile);
  const auto slices = all(records);
  ASSERT_EQ(slices.size(), 4U);
  EXPECT_THAT(records.columns(), ElementsAre("cycles", "loads"));
  EXPECT_EQ(slices[0].counts, (Counts{1000, 3}));
  EXPECT_EQ(slices[1].counts, (Counts{2000, 0}));
  EXPECT_EQ(slices[2].counts, (Counts{300, 70'000}));
  EXPECT_EQ(slices[3].counts, (Counts{5, 128}));
  EXPECT_EQ(slices[1].process, 7U);
  EXPECT_EQ(slices[2].process, 8U);
}

TEST(SimulationRecords, SlicesAreTheSameInPiecesOfAnySize) {
  for (std::size_t size = 1; size < kFile.size(); ++size) {
    Records records;
    std::vector<Counts> counts;
    for (std::size_t at = 0; at < kFile.size(); at += size) {
      records.add(std::string_view(kFile).substr(at, size));
      for (const Slice& slice : all(records)) counts.push_back(slice.counts);
    }
    EXPECT_THAT(counts,
                ElementsAre(Counts{1000, 3}, Counts{2000, 0}, Counts{300, 70'000}, Counts{5, 128}))
        << size;
  }
}

TEST(SimulationRecords, ATruncatedLastBatchIsIgnored) {
  const std::size_t last = kFile.size() - simulated_bytes::slices(7, {5, 128}).size();
  for (std::size_t length = last; length < kFile.size(); ++length) {
    Records records;
    records.add(std::string_view(kFile).substr(0, length));
    EXPECT_EQ(all(records).size(), 3U) << length;
    EXPECT_TRUE(records.next().has_value()) << length;
  }
}

TEST(SimulationRecords, AProcessThatExecutesAnotherProgramNamesItsColumnsAgain) {
  Records records;
  records.add(simulated_bytes::columns(7, {"cycles"}) + simulated_bytes::slices(7, {1}) +
              simulated_bytes::columns(7, {"cycles"}) + simulated_bytes::slices(7, {2}));
  EXPECT_EQ(all(records).size(), 2U);
}

// The first process is the command: the counts are complete when it has come to its end.
TEST(SimulationRecords, AreCompleteWhenTheFirstProcessHasEnded) {
  const std::string command =
      simulated_bytes::columns(7, {"cycles"}) + simulated_bytes::slices(7, {1});
  const std::string child =
      simulated_bytes::columns(8, {"cycles"}) + simulated_bytes::slices(8, {2});
  const auto complete = [](const std::string& text) {
    Records records;
    records.add(text);
    EXPECT_FALSE(records.complete());
    all(records);
    return records.complete();
  };
  EXPECT_FALSE(complete(""));
  EXPECT_FALSE(complete(command));
  EXPECT_FALSE(complete(command + child + simulated_bytes::end(8)));
  EXPECT_FALSE(complete(command + simulated_bytes::end(7).substr(0, 15)));
  EXPECT_TRUE(complete(command + simulated_bytes::end(7)));
  EXPECT_TRUE(complete(command + simulated_bytes::end(7) + child)) << "a daemon lives on";
  EXPECT_FALSE(complete(command + simulated_bytes::end(7) + command))
      << "it has executed another program";
}

TEST(SimulationRecords, NumbersHaveSixtyFourBits) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  Records records;
  records.add(simulated_bytes::columns(7, {"cycles"}) + simulated_bytes::slices(7, {kMost}));
  const auto slices = all(records);
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_EQ(slices[0].counts, Counts{kMost});

  const std::string head = simulated_bytes::columns(7, {"cycles"});
  const std::string nine(9, '\xff');
  EXPECT_THAT(damage_of(head + simulated_bytes::batch(7, 2, nine + '\x02')), HasSubstr("64 bits"));
  EXPECT_THAT(damage_of(head + simulated_bytes::batch(7, 2, nine + "\x80\x01")),
              HasSubstr("64 bits"));
}

TEST(SimulationRecords, DamageIsReportedWithItsPlace) {
  const std::string head = simulated_bytes::columns(7, {"cycles", "loads"});
  const std::string at = std::to_string(head.size());
  EXPECT_THAT(damage_of(head + "TSR2" + std::string(12, '\0')),
              HasSubstr("at byte " + at + ": no batch begins here"));
  EXPECT_THAT(damage_of(head + "X"), HasSubstr("at byte " + at + ": no batch"));
  EXPECT_THAT(damage_of(head + simulated_bytes::batch(7, 5, "")), HasSubstr("at byte " + at));
  EXPECT_THAT(damage_of(head + simulated_bytes::batch(7, 4, "x")),
              HasSubstr("an end with something in it"));
  EXPECT_THAT(damage_of(head + "TSR1" + simulated_bytes::word(7) + simulated_bytes::word(2) +
                        simulated_bytes::word(65'537)),
              HasSubstr("65537 bytes"));
  EXPECT_THAT(damage_of(head + simulated_bytes::slices(8, {1, 2})),
              HasSubstr("process 8 has not named its columns"));
  EXPECT_THAT(damage_of(head + simulated_bytes::columns(8, {"cycles"})),
              HasSubstr("other columns"));
  EXPECT_THAT(damage_of(head + simulated_bytes::slices(7, {1, 2, 3})),
              HasSubstr("goes on behind its batch"));
  EXPECT_THAT(damage_of(head + simulated_bytes::batch(7, 2, "\x80")),
              HasSubstr("goes on behind its batch"));
  EXPECT_THAT(damage_of(simulated_bytes::batch(7, 1, "cycles")), HasSubstr("does not end"));
  EXPECT_THAT(damage_of(simulated_bytes::batch(7, 1, std::string("a\0\0", 3))),
              HasSubstr("without a name"));
  EXPECT_THAT(damage_of(simulated_bytes::batch(7, 1, "")), HasSubstr("does not end"));
}

TEST(SimulationRecords, NothingComesAfterDamage) {
  Records records;
  records.add(simulated_bytes::columns(7, {"cycles"}) + simulated_bytes::slices(7, {1}) + "damage");
  EXPECT_EQ(all(records).size(), 1U);
  const auto first = records.next();
  ASSERT_FALSE(first.has_value());
  records.add(simulated_bytes::slices(7, {2}));
  const auto second = records.next();
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().what, first.error().what);
}

// One trace record of each kind in docs/explanation/simulator.md.
std::string trace_bytes() {
  using simulated_bytes::number;
  const auto text = [](std::string_view t) { return number(t.size()) + std::string(t); };
  const auto begin = [](std::uint64_t kind, std::uint64_t cycle, std::uint64_t thread) {
    return number(kind) + number(cycle) + number(thread);
  };
  return begin(3, 0, 7) + number(1) + text("prog") +                                        //
         begin(2, 0, 7) + number(0x400000) + number(0x1000) + number(0x200) + text("/x") +  //
         begin(4, 3, 9) + number(7) + number(8) +                                           //
         begin(1, 500, 9) + number(1) + number(100) + number(0x400010) +                    //
         number(1) + number(0x400020) + number(0x400000) + number(70'000) + number(6 * 2 + 1) +
         number(2) + number(0x400123) + number(0x400456) +  //
         begin(5, 600, 9) + number(0);
}

TEST(SimulationRecords, TheTraceOfASliceIsRead) {
  Records records;
  records.add(
      simulated_bytes::columns(7, {"cycles", "loads"}) +
      simulated_bytes::batch(
          7, 3, trace_bytes() + simulated_bytes::number(1000) + simulated_bytes::number(3)));
  const auto slices = all(records);
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_EQ(slices[0].counts, (Counts{1000, 3}));
  const auto& h = slices[0].trace;
  ASSERT_EQ(h.size(), 5U);
  EXPECT_EQ(std::get<traced::ThreadName>(h[0].what).text, "prog");
  EXPECT_TRUE(std::get<traced::ThreadName>(h[0].what).of_program);
  EXPECT_EQ(std::get<traced::CodeMapping>(h[1].what).path, "/x");
  EXPECT_EQ(std::get<traced::CodeMapping>(h[1].what).offset, 0x200U);
  EXPECT_EQ(std::get<traced::ThreadStart>(h[2].what).parent_thread, 8U);
  EXPECT_EQ(h[2].thread, 9U);
  const auto& sample = std::get<traced::Sample>(h[3].what);
  EXPECT_EQ(h[3].cycle, 500U);
  EXPECT_EQ(sample.event, 1U);
  EXPECT_EQ(sample.period, 100U);
  EXPECT_EQ(sample.ip, 0x400010U);
  ASSERT_EQ(sample.branches.size(), 1U);
  EXPECT_EQ(sample.branches[0].cycles, 70'000U);
  EXPECT_EQ(sample.branches[0].kind, 6);
  EXPECT_TRUE(sample.branches[0].mispredicted);
  EXPECT_THAT(sample.callers, ElementsAre(0x400123, 0x400456));
  EXPECT_TRUE(std::holds_alternative<traced::ThreadEnd>(h[4].what));
}

TEST(SimulationRecords, ATraceThatIsTruncatedOrOutOfBoundsIsRefused) {
  const std::string head = simulated_bytes::columns(7, {"cycles"});
  const std::string whole = trace_bytes();
  for (std::size_t length = 1; length < whole.size(); ++length)
    EXPECT_NE(damage_of(head + simulated_bytes::batch(7, 3, whole.substr(0, length))), "none")
        << length;
  const auto sample = [](std::uint64_t branches) {
    std::string text;
    for (const std::uint64_t n : {1U, 0U, 7U, 0U, 1U, 1U}) text += simulated_bytes::number(n);
    return text + simulated_bytes::number(branches);
  };
  EXPECT_THAT(damage_of(head + simulated_bytes::batch(7, 3, sample(33))),
              HasSubstr("33 where 32 is the most"));
  EXPECT_THAT(damage_of(head + simulated_bytes::batch(7, 3, simulated_bytes::number(6))),
              HasSubstr("6 where 5"));
  EXPECT_THAT(damage_of(head + simulated_bytes::batch(
                                   7, 3,
                                   simulated_bytes::number(3) + simulated_bytes::number(0) +
                                       simulated_bytes::number(7) + simulated_bytes::number(1) +
                                       simulated_bytes::number(9) + "short")),
              HasSubstr("a text that goes on behind its batch"));
}

}  // namespace
}  // namespace tacho::TEST_FILE
