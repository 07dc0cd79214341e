// The index of a DWARF package, on bytes laid out by DWARF 5, section 7.3.5.3, and in the older
// version 2 (https://gcc.gnu.org/wiki/DebugFissionDWP).
#include "symbols/dwp_index.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

namespace tacho::symbols::TEST_FILE {
namespace {

// An index of 4 slots, with units by ID. Columns: .debug_info, .debug_abbrev, number 8. Each unit
// has the offsets 100 row + column, and the sizes 10 row + column.
std::vector<std::byte> index_of(const std::vector<std::uint64_t>& ids, bool big, unsigned version) {
  std::vector<std::byte> bytes;
  const auto add = [&](std::uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i)
      bytes.push_back(static_cast<std::byte>(value >> (8 * (big ? size - 1 - i : i))));
  };
  constexpr std::uint64_t kSlots = 4, kColumns = 3;
  add(version, version == 2 ? 4 : 2);
  if (version != 2) add(0, 2);
  add(kColumns, 4);
  add(ids.size(), 4);
  add(kSlots, 4);
  std::array<std::uint64_t, kSlots> hash{};
  std::array<std::uint64_t, kSlots> row{};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::uint64_t slot = ids[i] % kSlots;
    while (row[slot] != 0) slot = (slot + ((ids[i] >> 32 & 3) | 1)) % kSlots;
    hash[slot] = ids[i];
    row[slot] = i + 1;
  }
  for (const std::uint64_t each : hash) add(each, 8);
  for (const std::uint64_t each : row) add(each, 4);
  for (const std::uint64_t column : {1U, 3U, 8U}) add(column, 4);
  for (const std::uint64_t factor : {100U, 10U})
    for (std::size_t i = 1; i <= ids.size(); ++i)
      for (std::uint64_t column = 0; column < kColumns; ++column) add(factor * i + column, 4);
  return bytes;
}

// The second and the third ID share their first slot with the first.
const std::vector<std::uint64_t> kIds{0x1111'0000'0000'0001, 0x2222'0002'0000'0005, 0x9};

TEST(SymbolsDwpIndex, FindsTheContributionsOfEachUnit) {
  for (const bool big : {false, true})
    for (const unsigned version : {2U, 5U}) {
      const auto bytes = index_of(kIds, big, version);
      const auto index = DwpIndex::parse(bytes, big);
      ASSERT_TRUE(index);
      for (std::size_t i = 0; i < kIds.size(); ++i) {
        const auto unit = index->find(kIds[i]);
        ASSERT_TRUE(unit) << i;
        EXPECT_EQ(unit->info.offset, 100 * (i + 1));
        EXPECT_EQ(unit->info.size, 10 * (i + 1));
        EXPECT_EQ(unit->abbreviations.offset, 100 * (i + 1) + 1);
        EXPECT_EQ(unit->range_lists.size, version == 5 ? 10 * (i + 1) + 2 : 0);
        EXPECT_EQ(unit->string_offsets.size, 0U) << "it has no such column";
      }
      EXPECT_FALSE(index->find(0x1111'0000'0000'0002));
      EXPECT_FALSE(index->find(0x5));
    }
}

TEST(SymbolsDwpIndex, AnIndexThatIsCutOffIsRefusedAndAFullTableEndsTheSearch) {
  const auto bytes = index_of(kIds, false, 5);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(DwpIndex::parse(std::span(bytes).first(size), false)) << size;
  const auto full = index_of({1, 2, 3, 4}, false, 5);
  const auto index = DwpIndex::parse(full, false);
  ASSERT_TRUE(index);
  EXPECT_FALSE(index->find(9));
}

TEST(SymbolsDwpIndex, DamageIsAnErrorOrFindsNothingElse) {
  const auto bytes = index_of(kIds, false, 5);
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const unsigned bit : {0U, 4U, 7U}) {
      auto damaged = bytes;
      damaged[at] ^= std::byte{1} << bit;
      if (const auto index = DwpIndex::parse(damaged, false))
        for (const std::uint64_t id : kIds) static_cast<void>(index->find(id));
    }
}

}  // namespace
}  // namespace tacho::symbols::TEST_FILE
