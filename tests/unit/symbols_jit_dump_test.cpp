#include "symbols/jit_dump.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "symbols/compiled_names.hpp"
#include "symbols_made_up_jit_dump.hpp"

namespace tacho::symbols::TEST_FILE {
namespace {

using testing::HasSubstr;

const std::string kSpin = "\x89\xf9\xff\xc9\x75\xfc\xc3";  // mov; dec; jne; ret

std::string name_at(const JitDump& dump, std::uint64_t offset) {
  const JitFunction* function = dump.at(offset);
  return function == nullptr ? "" : function->name;
}

TEST(SymbolsJitDump, CodeIsFoundByItsPlaceInTheFileInBothByteOrders) {
  for (const bool swapped : {false, true}) {
    MadeUpJitDump file(swapped);
    const auto first = file.load(10, 0x7000, "first", kSpin, 1) + 16 + 40 + 6;
    file.unwinding(11);
    const auto second = file.load(12, 0x7000, "second", kSpin + kSpin, 2) + 16 + 40 + 7;
    file.close(13);
    const auto dump = file.read();
    ASSERT_TRUE(dump) << dump.error().what;
    EXPECT_EQ((*dump)->pid(), 5U);
    EXPECT_TRUE((*dump)->is_complete());
    EXPECT_TRUE((*dump)->is_monotonic());
    EXPECT_EQ(name_at(**dump, first - 1), "");
    EXPECT_EQ(name_at(**dump, first), "first");
    EXPECT_EQ(name_at(**dump, first + 6), "first");
    EXPECT_EQ(name_at(**dump, first + 7), "");
    EXPECT_EQ(name_at(**dump, second + 13), "second");
    EXPECT_EQ((*dump)->address_of(second + 3), 0x7003U);
    ASSERT_EQ((*dump)->placements().size(), 2U);
    EXPECT_EQ((*dump)->placements()[1].time, 12U);
    EXPECT_EQ((*dump)->placements()[1].size, 14U);
    EXPECT_EQ((*dump)->table().at(second)->name, "second");
  }
}

TEST(SymbolsJitDump, PlacementsAreByTimeAndAMoveLeavesTheOldPlace) {
  MadeUpJitDump file;
  const auto code = file.load(20, 0x7000, "late", kSpin, 1) + 16 + 40 + 5;
  file.load(10, 0x8000, "early", kSpin, 2);
  file.move(30, 0x7000, 0x9000, kSpin.size(), 1);
  file.move(31, 0x1, 0x2, 7, 77);  // of code that was never described
  const auto dump = file.read();
  ASSERT_TRUE(dump) << dump.error().what;
  const auto& placements = (*dump)->placements();
  ASSERT_EQ(placements.size(), 4U);
  EXPECT_EQ(placements[0].address, 0x8000U);
  EXPECT_EQ(placements[1].address, 0x7000U);
  EXPECT_EQ(placements[2].address, 0x7000U);
  EXPECT_FALSE(placements[2].offset);
  EXPECT_EQ(placements[3].address, 0x9000U);
  EXPECT_EQ(placements[3].offset, code);
}

TEST(SymbolsJitDump, LinesBelongToTheCodeThatFollowsThem) {
  for (const bool swapped : {false, true}) {
    MadeUpJitDump file(swapped);
    // "\xff" repeats the name before it. The entries need not be sorted.
    file.lines(10, 0x7000,
               {{0x7004, 12, "a.js"}, {0x7000, 11, "\xff"}, {0x7006, 3, "file:///b.js"}});
    const auto first = file.load(10, 0x7000, "first", kSpin, 1) + 16 + 40 + 6;
    const auto second = file.load(11, 0x7000, "second", kSpin, 2) + 16 + 40 + 7;
    const auto dump = file.read();
    ASSERT_TRUE(dump) << dump.error().what;
    SourceLines& lines = (*dump)->lines();
    const auto at = [&](std::uint64_t offset) {
      const auto frame = lines.line_at(offset);
      return frame ? frame->file + ":" + std::to_string(frame->line) : "";
    };
    EXPECT_EQ(at(first), "a.js:11");
    EXPECT_EQ(at(first + 3), "a.js:11");
    EXPECT_EQ(at(first + 4), "a.js:12");
    EXPECT_EQ(at(first + 6), "/b.js:3");
    EXPECT_EQ(at(second), "") << "lines describe one compilation only";
    ASSERT_EQ(lines.frames_at(first).size(), 1U);
    EXPECT_EQ(lines.frames_at(first).front().function, "first");
  }
}

// V8's lines, whose addresses are 64 bytes too large.
TEST(SymbolsJitDump, LinesBehindAnElfHeaderAreMovedBack) {
  MadeUpJitDump file;
  file.lines(10, 0x7000, {{0x7040, 11, "a.js"}, {0x7046, 12, "a.js"}});
  const auto first = file.load(10, 0x7000, "first", kSpin, 1) + 16 + 40 + 6;
  const auto dump = file.read();
  ASSERT_TRUE(dump) << dump.error().what;
  EXPECT_EQ((*dump)->lines().line_at(first + 5)->line, 11U);
  EXPECT_EQ((*dump)->lines().line_at(first + 6)->line, 12U);
}

TEST(SymbolsJitDump, InstructionsAreThoseOfTheCodeInTheFile) {
  MadeUpJitDump file;
  file.load(10, 0x7000, "spin", kSpin, 1);
  const auto dump = file.read();
  ASSERT_TRUE(dump) << dump.error().what;
  const auto instructions = (*dump)->instructions((*dump)->functions().front(), 1 << 20);
  if (!instructions && instructions.error().what.find("capstone") != std::string::npos)
    GTEST_SKIP() << instructions.error().what;
  ASSERT_TRUE(instructions) << instructions.error().what;
  ASSERT_EQ(instructions->size(), 4U);
  EXPECT_EQ((*instructions)[2].address, 0x7004U);
  EXPECT_EQ((*instructions)[2].target, 0x7002U);
}

TEST(SymbolsJitDump, AFileThatIsNoneIsRefusedWithTheReason) {
  MadeUpJitDump file;
  const std::string whole = file.bytes();
  file.bytes()[3] = 'x';
  EXPECT_THAT(file.read().error().what, HasSubstr("JiTD"));
  file.bytes() = whole;
  file.bytes()[4] = 2;
  EXPECT_THAT(file.read().error().what, HasSubstr("version 2"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    file.bytes() = whole.substr(0, size);
    EXPECT_FALSE(file.read()) << size;
  }
}

TEST(SymbolsJitDump, AFunctionIsMeantByItsNameWithinItsDescription) {
  const std::string_view js = "JS:*hotLoop /tmp/sum.js:1:17";
  EXPECT_TRUE(is_compiled_name(js, "hotLoop"));
  for (const char* other : {"Loop", "hot", "sum", "tmp", ""})
    EXPECT_FALSE(is_compiled_name(js, other)) << other;
  for (const char* name : {"hotLoop", "Hot.hotLoop", "int Hot.hotLoop(int)"})
    EXPECT_TRUE(is_compiled_name("int Hot.hotLoop(int)", name)) << name;
}

// The compiler may be writing still, and a hostile file may claim any length.
TEST(SymbolsJitDump, ADamagedRecordEndsTheFile) {
  MadeUpJitDump file;
  file.load(10, 0x7000, "first", kSpin, 1);
  const std::size_t second = file.load(11, 0x8000, "second", kSpin, 2);
  const std::string whole = file.bytes();
  for (std::size_t size = second; size < whole.size(); ++size) {
    file.bytes() = whole.substr(0, size);
    const auto dump = file.read();
    ASSERT_TRUE(dump) << dump.error().what;
    EXPECT_EQ((*dump)->functions().size(), 1U) << size;
    EXPECT_EQ((*dump)->is_complete(), size == second) << size;
  }
  const auto with = [&](std::size_t at, std::string_view bytes) {
    file.bytes() = whole;
    file.bytes().replace(second + at, bytes.size(), bytes);
    return file.read().value();
  };
  EXPECT_EQ(with(4, {"\0\0\0\0", 4})->functions().size(), 1U) << "a record of 0 bytes";
  EXPECT_EQ(with(4, "\xff\xff\xff\xff")->functions().size(), 1U) << "a record of 4 GiB";
  EXPECT_EQ(with(40, "\xff\xff\xff\xff\xff\xff\xff\xff")->functions().size(), 1U) << "its code";
  EXPECT_EQ(with(32, "\xff\xff\xff\xff\xff\xff\xff\xff")->functions().size(), 1U)
      << "code beyond the last address";
}

}  // namespace
}  // namespace tacho::symbols::TEST_FILE
