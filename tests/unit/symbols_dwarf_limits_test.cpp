// Walks of hostile DWARF units, and the cost of line tables. The bytes are those of the standard
// (DWARF 4, chapter 7); tests/cli/test_budget_symbols.py has whole programs.
#include <gtest/gtest.h>

#include <cstring>

#include "symbols/die_walk.hpp"
#include "symbols/dwarf_budget.hpp"
#include "symbols/line_table_cost.hpp"

namespace tacho::symbols::TEST_FILE {
namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> made;
  for (const int value : values) made.push_back(static_cast<std::byte>(value));
  return made;
}

// 1: a namespace with children and a sibling of 4 bytes. 2: a variable. 3: a namespace with
// children.
const std::vector<std::byte> kTable =
    bytes_of({1, 0x39, 1, 0x01, 0x13, 0, 0, 2, 0x34, 0, 0, 0, 3, 0x39, 1, 0, 0, 0});

struct Walked {
  explicit Walked(std::vector<std::byte> entries)
      : bytes(std::move(entries)), table(*Abbreviations::parse(kTable, 0)) {}
  DieWalk walk() { return {unit, 0}; }

  std::vector<std::byte> bytes;
  Abbreviations table;
  UnitBytes unit{bytes, false, {4, 8, 4}, &table};
};

std::vector<std::pair<std::size_t, int>> places(DieWalk walk) {
  std::vector<std::pair<std::size_t, int>> found;  // offset and depth
  while (walk.next()) found.emplace_back(walk.at(), walk.depth());
  return found;
}

TEST(SymbolsDwarfLimits, AWalkVisitsEachEntryOnce) {
  Walked tree(bytes_of({3, 2, 3, 2, 2, 0, 2, 0, 2}));
  EXPECT_EQ(places(tree.walk()), (std::vector<std::pair<std::size_t, int>>{
                                     {0, 0}, {1, 1}, {2, 1}, {3, 2}, {4, 2}, {6, 1}}));
}

// A walk that follows them visits 2^70 entries.
TEST(SymbolsDwarfLimits, SiblingsThatAreChildrenAreVisitedOnce) {
  constexpr int kCount = 70;
  constexpr int kSize = 5;
  std::vector<std::byte> entries = bytes_of({3});
  for (int i = 0; i < kCount; ++i)
    for (const int byte : {1, 1 + kSize * (i + 1), 0, 0, 0})
      entries.push_back(static_cast<std::byte>(byte));
  entries.resize(entries.size() + kCount + 1);
  Walked tree(entries);
  EXPECT_EQ(places(tree.walk()).size(), kCount + 1U);
}

TEST(SymbolsDwarfLimits, ChildrenAreSkippedWithAndWithoutASiblingAndNeverBackwards) {
  for (const int sibling : {9, 0, 1, 200}) {  // right, none, backwards, behind the end
    Walked tree(bytes_of({3, 1, sibling, 0, 0, 0, 2, 2, 0, 2, 0}));
    DieWalk walk = tree.walk();
    ASSERT_TRUE(walk.next() && walk.next());
    EXPECT_EQ(walk.at(), 1U);
    walk.skip_children();
    if (sibling == 200) {
      EXPECT_FALSE(walk.next());
      EXPECT_TRUE(walk.is_damaged());
      continue;
    }
    ASSERT_TRUE(walk.next()) << sibling;
    EXPECT_EQ(walk.at(), 9U) << sibling;
    EXPECT_EQ(walk.depth(), 1) << sibling;
    EXPECT_FALSE(walk.next());
  }
}

TEST(SymbolsDwarfLimits, AWalkEndsWhereTheUnitIsCutOffOrDamaged) {
  Walked cut(bytes_of({3, 1, 0, 0}));
  DieWalk walk = cut.walk();
  EXPECT_TRUE(walk.next());
  EXPECT_FALSE(walk.next());
  EXPECT_TRUE(walk.is_damaged());
  Walked unknown(bytes_of({3, 77}));
  EXPECT_EQ(places(unknown.walk()).size(), 1U);
}

TEST(SymbolsDwarfLimits, ATableOfAbbreviationsEndsAndHasFewAttributes) {
  const auto table = Abbreviations::parse(kTable, 0);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->bytes(), kTable.size());
  ASSERT_NE(table->find(2), nullptr);
  EXPECT_EQ(table->find(2)->tag, 0x34U);
  EXPECT_EQ(table->find(4), nullptr);
  const auto first = Abbreviations::parse(kTable, 0, 1);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->bytes(), 7U);
  for (std::size_t size = 0; size < kTable.size(); ++size)
    EXPECT_FALSE(Abbreviations::parse(std::span(kTable).first(size), 0)) << size;
  EXPECT_FALSE(Abbreviations::parse(kTable, kTable.size() + 1));
  std::vector<std::byte> wide = bytes_of({1, 0x39, 0});
  for (int i = 0; i < 300; ++i)
    for (const int byte : {0x3c, 0x19}) wide.push_back(static_cast<std::byte>(byte));
  wide.resize(wide.size() + 3);
  EXPECT_FALSE(Abbreviations::parse(wide, 0)) << "300 attributes";
}

// A line table of version 3 with this program and these directories.
std::vector<std::byte> line_table(std::vector<std::byte> program, std::size_t directory,
                                  std::size_t files) {
  std::vector<std::byte> header =
      bytes_of({1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1});
  header.resize(header.size() + directory, std::byte{'d'});
  header.resize(header.size() + 2);
  for (std::size_t i = 0; i < files; ++i)
    for (const int byte : {int{'f'}, 0, 1, 0, 0}) header.push_back(static_cast<std::byte>(byte));
  header.push_back(std::byte{0});
  const auto word = [](std::size_t value) {
    std::vector<std::byte> made(4);
    for (std::byte& byte : made) {
      byte = static_cast<std::byte>(value);
      value >>= 8;
    }
    return made;
  };
  std::vector<std::byte> body = bytes_of({3, 0});
  for (const auto& part : {word(header.size()), header, program})
    body.insert(body.end(), part.begin(), part.end());
  std::vector<std::byte> whole = word(body.size());
  whole.insert(whole.end(), body.begin(), body.end());
  return whole;
}

std::optional<std::uint64_t> cost_of(const std::vector<std::byte>& table) {
  return line_table_cost({table, {}, {}, false}, {0, 8, 10});
}

TEST(SymbolsDwarfLimits, ALineTableCostsByItsRowsAndItsPaths) {
  const auto none = cost_of(line_table({}, 1, 1));
  const auto rows = cost_of(line_table(bytes_of({0x20, 1, 2, 5, 0xff, 0, 1, 1}), 1, 1));
  ASSERT_TRUE(none && rows);
  EXPECT_EQ(*rows - *none, 4 * 48U) << "two special opcodes, a copy and the end of the sequence";
  const auto few = cost_of(line_table({}, 1000, 1));
  const auto many = cost_of(line_table({}, 1000, 101));
  ASSERT_TRUE(few && many);
  EXPECT_GE(*many - *few, 100 * 1000U) << "each file has a copy of the directory's path";
}

TEST(SymbolsDwarfLimits, ADamagedLineTableHasNoCost) {
  EXPECT_FALSE(cost_of(line_table({}, 5000, 1))) << "a path longer than any";
  EXPECT_FALSE(cost_of(line_table(bytes_of({0, 0}), 1, 1))) << "an opcode without a length";
  EXPECT_FALSE(cost_of(line_table(bytes_of({0, 20, 2, 0}), 1, 1))) << "one behind the end";
  EXPECT_FALSE(cost_of(line_table(bytes_of({0, 3, 1, 0}), 1, 1))) << "one that is too long";
  const auto whole = line_table(bytes_of({0x20}), 1, 1);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(cost_of({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}));
}

TEST(SymbolsDwarfLimits, FilesShareWhatTheyTakeBeyondTheirSize) {
  constexpr std::uint64_t kBig = 100 << 20;
  const auto first = std::make_unique<DwarfBudget>(0);
  EXPECT_TRUE(first->take_name(kBig));
  {
    DwarfBudget second(0);
    EXPECT_FALSE(second.take_name(kBig)) << "the other file has it";
    DwarfBudget large(kBig);
    EXPECT_TRUE(large.take_name(2 * kBig)) << "its own size explains it";
  }
  DwarfBudget third(0);
  EXPECT_TRUE(third.take_name(kBig / 4));
}

}  // namespace
}  // namespace tacho::symbols::TEST_FILE
