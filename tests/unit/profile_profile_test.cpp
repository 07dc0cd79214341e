// Samples of made-up records, counted by address and call chain.
#include "profile/profile.hpp"

#include <gtest/gtest.h>

#include "profile_made_up_recording.hpp"

namespace tacho::TEST_FILE {
namespace {

constexpr std::uint64_t kContextKernel = ~std::uint64_t{0} - 127;  // PERF_CONTEXT_KERNEL
constexpr std::uint64_t kContextUser = ~std::uint64_t{0} - 511;    // PERF_CONTEXT_USER

TEST(Profile, AnAddressBelongsToTheFileThatIsMappedThere) {
  MadeUpRecording recording;
  recording.map(1, 0x400000, 0x1000, "/bin/a", 0x2000);
  recording.sample(1, 0x400010);
  recording.sample(1, 0x400010);
  recording.sample(1, 0x400fff);
  recording.sample(1, 0x401000);  // one past its end
  EXPECT_EQ(recording.samples_at("/bin/a", 0x2010), 2U);
  EXPECT_EQ(recording.samples_at("/bin/a", 0x2fff), 1U);
  EXPECT_EQ(recording.samples_at("[unknown]", 0x401000), 1U);
  EXPECT_EQ(recording.profile.total(0).samples, 4U);
  EXPECT_EQ(recording.profile.total(0).sum, 4000U);
}

TEST(Profile, AnExecBeginsWithoutMappings) {
  MadeUpRecording recording;
  recording.map(1, 0x400000, 0x1000, "/bin/shell");
  recording.exec(1, "program");
  recording.sample(1, 0x400010);
  recording.map(1, 0x400000, 0x1000, "/bin/program");
  recording.sample(1, 0x400010);
  EXPECT_EQ(recording.samples_at("/bin/shell", 0x10), 0U);
  EXPECT_EQ(recording.samples_at("[unknown]", 0x400010), 1U);
  EXPECT_EQ(recording.samples_at("/bin/program", 0x10), 1U);
}

TEST(Profile, AChildHasItsParentsMappingsUntilOneOfThemChanges) {
  MadeUpRecording recording;
  recording.map(1, 0x400000, 0x1000, "/bin/parent");
  recording.fork(1, 2);
  recording.sample(2, 0x400010);
  recording.map(2, 0x400000, 0x1000, "/bin/child");
  recording.sample(2, 0x400010);
  recording.sample(1, 0x400010);
  EXPECT_EQ(recording.samples_at("/bin/parent", 0x10), 2U);
  EXPECT_EQ(recording.samples_at("/bin/child", 0x10), 1U);
}

TEST(Profile, AProcessThatGetsADeadOnesNumberHasNothingOfIt) {
  MadeUpRecording recording;
  recording.exec(7, "server");
  recording.exec(100, "old");
  recording.map(100, 0x400000, 0x1000, "/bin/old");
  recording.fork(7, 100);  // the recording has no mappings of process 7
  recording.sample(100, 0x400010);
  EXPECT_EQ(recording.samples_at("/bin/old", 0x10), 0U);
  EXPECT_EQ(recording.samples_at("[unknown]", 0x400010), 1U);
  EXPECT_EQ(recording.profile.name_of(100), "server");
  recording.exec(200, "old");
  recording.fork(8, 200);  // the recording has no name of thread 8
  EXPECT_EQ(recording.profile.name_of(200), "");
}

TEST(Profile, AThreadSharesItsProcessesMappings) {
  MadeUpRecording recording;
  perfdata::Fork thread;
  thread.pid = thread.parent_pid = 1;
  thread.tid = 7;
  thread.parent_tid = 1;
  recording.map(1, 0x400000, 0x1000, "/bin/a");
  recording.add(thread);
  recording.sample(1, 0x400010);
  EXPECT_EQ(recording.samples_at("/bin/a", 0x10), 1U);
}

// dlclose leaves no record: only the next mapping shows that the addresses are of another library.
TEST(Profile, ALibraryThatIsLoadedWhereAnotherWasReplacesIt) {
  MadeUpRecording recording;
  recording.map(1, 0x10000, 0x4000, "/lib/first.so");
  recording.sample(1, 0x11000);
  recording.map(1, 0x11000, 0x1000, "/lib/second.so");
  for (const std::uint64_t ip : {0x10fffU, 0x11000U, 0x11fffU, 0x12000U, 0x13fffU})
    recording.sample(1, ip);
  EXPECT_EQ(recording.samples_at("/lib/first.so", 0x1000), 1U);
  EXPECT_EQ(recording.samples_at("/lib/first.so", 0xfff), 1U);
  EXPECT_EQ(recording.samples_at("/lib/second.so", 0), 1U);
  EXPECT_EQ(recording.samples_at("/lib/second.so", 0xfff), 1U);
  EXPECT_EQ(recording.samples_at("/lib/first.so", 0x2000), 1U) << "what it left uncovered stays";
  EXPECT_EQ(recording.samples_at("/lib/first.so", 0x3fff), 1U);
}

TEST(Profile, AMappingThatCoversSeveralOthersReplacesThemAll) {
  MadeUpRecording recording;
  recording.map(1, 0x10000, 0x1000, "/a");
  recording.map(1, 0x11000, 0x1000, "/b");
  recording.map(1, 0x12000, 0x2000, "/c");
  recording.map(1, 0x10800, 0x2000, "/all");
  for (const std::uint64_t ip : {0x10000U, 0x10900U, 0x11900U, 0x127ffU, 0x12800U})
    recording.sample(1, ip);
  EXPECT_EQ(recording.samples_at("/a", 0), 1U);
  EXPECT_EQ(recording.samples_at("/all", 0x100), 1U);
  EXPECT_EQ(recording.samples_at("/all", 0x1100), 1U);
  EXPECT_EQ(recording.samples_at("/all", 0x1fff), 1U);
  EXPECT_EQ(recording.samples_at("/c", 0x800), 1U);
}

TEST(Profile, KernelSamplesOfEveryProcessBelongToTheOneKernel) {
  MadeUpRecording recording;
  recording.map(-1, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text", 0xffffffff81000000);
  recording.kernel_sample(1, 0xffffffff81000010);
  recording.kernel_sample(2, 0xffffffff81000010);
  recording.sample(1, 0xffffffff81000010);  // this address cannot be in user mode
  EXPECT_EQ(recording.samples_at("[kernel.kallsyms]", 0xffffffff81000010), 2U);
  EXPECT_EQ(recording.samples_at("[unknown]", 0xffffffff81000010), 1U);
}

// If /proc/kallsyms is hidden from the user, samples of the kernel still have their mode.
TEST(Profile, KernelSamplesWithoutAKernelMappingBelongToTheKernel) {
  MadeUpRecording recording;
  recording.map(1, 0x400000, 0x1000, "/a");
  recording.kernel_sample(1, 0xffffffff81000010);
  recording.sample(1, 0x500000);
  EXPECT_EQ(recording.samples_at("[kernel]", 0xffffffff81000010), 1U);
  EXPECT_EQ(recording.samples_at("[unknown]", 0x500000), 1U);
}

TEST(Profile, AddressesInMemoryWithoutAFileAreKeptByProcess) {
  MadeUpRecording recording;
  recording.map(5, 0x7f0000000000, 0x1000, "//anon");
  recording.map(6, 0x7f0000000000, 0x1000, "//anon");
  recording.sample(5, 0x7f0000000010);
  recording.sample(6, 0x7f0000000010);
  EXPECT_EQ(recording.samples_at("[anonymous of process 5]", 0x7f0000000010), 1U);
  EXPECT_EQ(recording.samples_at("[anonymous of process 6]", 0x7f0000000010), 1U);
}

// A program that runs from memory (memfd_create(2)) can be recognized by its build ID only.
TEST(Profile, AMappingWithABuildIdIsAFile) {
  MadeUpRecording recording;
  perfdata::Mapping mapping;
  mapping.pid = 5;
  mapping.start = mapping.length = 0x1000;
  mapping.path = "/memfd:code (deleted)";
  recording.add(mapping);
  mapping.start = 0x3000;
  mapping.offset = 0x7000;
  mapping.build_id.size = 20;
  recording.add(mapping);
  recording.sample(5, 0x1010);
  recording.sample(5, 0x3010);
  EXPECT_EQ(recording.samples_at("[anonymous of process 5]", 0x1010), 1U);
  EXPECT_EQ(recording.samples_at("/memfd:code (deleted)", 0x7010), 1U);
}

TEST(Profile, EventsAreCountedSeparately) {
  MadeUpRecording recording({"cycles", "instructions"});
  recording.map(1, 0x400000, 0x1000, "/bin/a");
  recording.sample(1, 0x400010, 0, 500);
  recording.sample(1, 0x400010, 1, 100);
  recording.sample(1, 0x400010, 1, 300);
  const Profile& profile = recording.finished();
  EXPECT_EQ(profile.count(0, 0).sum, 500U);
  EXPECT_EQ(profile.count(1, 0).samples, 2U);
  EXPECT_EQ(profile.count(1, 0).sum, 400U);
  EXPECT_EQ(profile.count(1, 0).squares, 100.0 * 100 + 300.0 * 300);
}

// Memory does not grow with the number of samples.
TEST(Profile, SamplesOfOnePlaceAndChainTakeOneCellAndOneNode) {
  MadeUpRecording recording;
  recording.map(1, 0x400000, 0x1000, "/bin/a");
  for (int i = 0; i < 1'000'000; ++i)
    recording.sample(1, 0x400010, 0, 1000, {kContextUser, 0x400010, 0x400021});
  EXPECT_EQ(recording.profile.cells().size(), 2U);
  EXPECT_EQ(recording.profile.nodes().size(), 2U);
  EXPECT_EQ(recording.profile.total(0).samples, 1'000'000U);
}

TEST(Profile, CallersAreAtTheirCallsAndInterruptedCodeAtItsAddress) {
  MadeUpRecording recording;
  recording.map(1, 0x400000, 0x1000, "/bin/a");
  recording.map(-1, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text", 0xffffffff81000000);
  recording.sample(
      1, 0xffffffff81000010, 0, 1000,
      {kContextKernel, 0xffffffff81000010, 0xffffffff81000100, kContextUser, 0x400030, 0x400050},
      perfdata::Mode::kernel);
  std::vector<std::uint64_t> path;
  const auto& nodes = recording.profile.nodes();
  for (std::size_t at = nodes.size() - 1; at != kNoParent; at = nodes[at].parent)
    path.push_back(recording.profile.cells()[nodes[at].cell].offset);
  EXPECT_EQ(path, (std::vector<std::uint64_t>{0xffffffff81000010, 0xffffffff810000ff, 0x30, 0x4f}));
  EXPECT_TRUE(recording.profile.has_chains());
}

// After the mark follows the number of a later record instead of an address.
TEST(Profile, DeferredCallersAreCountedAndNotInvented) {
  MadeUpRecording recording;
  recording.map(-1, 0xffffffff81000000, 0x100000, "[kernel.kallsyms]_text");
  constexpr std::uint64_t kKernel = ~std::uint64_t{0} - 127, kDeferred = ~std::uint64_t{0} - 639;
  recording.sample(5, 0xffffffff81000010, 0, 1000,
                   {kKernel, 0xffffffff81000010, 0xffffffff81000100, kDeferred, 0x7000000000001},
                   perfdata::Mode::kernel);
  EXPECT_EQ(recording.profile.nodes().size(), 2U);
  EXPECT_EQ(recording.profile.deferred(), 1U);
}

TEST(Profile, LostAndThrottledAreCounted) {
  MadeUpRecording recording;
  perfdata::Lost lost;
  lost.count = 17;
  recording.add(lost);
  recording.add(perfdata::Throttle{true, {}});
  recording.add(perfdata::Throttle{false, {}});
  EXPECT_EQ(recording.profile.lost(), 17U);
  EXPECT_EQ(recording.profile.throttled(), 1U);
}

// A LOST record is written with the next record for which there is room, so the last one may be
// missing. The sum that perf record writes includes all.
TEST(Profile, TheSumOfTheRecorderIsNotAddedToTheLostRecords) {
  MadeUpRecording recording;
  recording.add(perfdata::Lost{.count = 17, .id = {}, .summed_up = false});
  recording.add(perfdata::Lost{.count = 3, .id = {}, .summed_up = false});
  EXPECT_EQ(recording.profile.lost(), 20U);
  recording.add(perfdata::Lost{.count = 19, .id = {}, .summed_up = true});
  recording.add(perfdata::Lost{.count = 4, .id = {}, .summed_up = true});
  EXPECT_EQ(recording.profile.lost(), 23U);
}

}  // namespace
}  // namespace tacho::TEST_FILE
