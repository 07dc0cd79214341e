// The code of large functions, from a made-up instruction set: the first byte of an instruction
// says how many bytes it has.
#include "symbols/function_code.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <random>
#include <set>

namespace tacho::symbols::TEST_FILE {
namespace {

constexpr std::uint64_t kStart = 0x400000;

struct MadeUpFunction {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint64_t> addresses;  // of its instructions

  explicit MadeUpFunction(std::size_t instructions) {
    std::mt19937 random(11);  // NOLINT: the same numbers in each run
    for (std::size_t i = 0; i < instructions; ++i) {
      addresses.push_back(kStart + bytes.size());
      const auto size = static_cast<std::uint8_t>(1 + random() % 15);
      bytes.insert(bytes.end(), size, size);
    }
  }

  // As a decoder does it: an instruction that the bytes cut is none.
  DecodePiece decode() const {
    return [this](std::uint64_t offset, std::uint64_t size) -> Result<std::vector<Instruction>> {
      std::vector<Instruction> found;
      const std::uint64_t end = std::min<std::uint64_t>(offset + size, bytes.size());
      for (std::uint64_t at = offset; at < end;) {
        const std::uint8_t length = bytes[at] <= end - at ? bytes[at] : std::uint8_t{1};
        found.push_back({.address = kStart + at, .size = length, .text = "nop", .target = {}});
        at += length;
      }
      return found;
    };
  }
};

std::vector<std::uint64_t> addresses(const FunctionCode& code) {
  std::vector<std::uint64_t> found;
  for (const Instruction& each : code.instructions) found.push_back(each.address);
  return found;
}

TEST(FunctionCode, HasEveryInstructionOfAFunctionThatFits) {
  for (const auto count : std::initializer_list<std::size_t>{1, 1000, 20'000, kMostInstructions}) {
    const MadeUpFunction function(count);
    const auto code = function_code(function.bytes.size(), function.decode(), {});
    ASSERT_TRUE(code) << code.error().what;
    EXPECT_EQ(addresses(*code), function.addresses);
    EXPECT_EQ(code->left_out, 0U);
  }
}

TEST(FunctionCode, HasTheInstructionsWithSamplesOfAFunctionThatIsTooLarge) {
  const std::size_t count = kMostInstructions * 3 + 17;
  const MadeUpFunction function(count);
  std::vector<SamplesAt> hits;
  for (std::size_t i = 100; i < count; i += count / 200)
    hits.push_back({function.addresses[i], 1 + i % 5});
  hits.push_back({function.addresses.back(), 1});
  const auto code = function_code(function.bytes.size(), function.decode(), hits);
  ASSERT_TRUE(code) << code.error().what;
  const std::vector<std::uint64_t> shown = addresses(*code);
  EXPECT_LE(shown.size(), kMostInstructions);
  EXPECT_GT(shown.size(), kMostInstructions / 2);
  EXPECT_EQ(shown.size() + code->left_out, count);
  EXPECT_TRUE(std::ranges::is_sorted(shown));
  EXPECT_TRUE(std::ranges::includes(function.addresses, shown));
  const std::set<std::uint64_t> known(shown.begin(), shown.end());
  for (const SamplesAt& hit : hits) EXPECT_TRUE(known.contains(hit.address)) << hit.address;
}

TEST(FunctionCode, LeavesOutThePartsWithTheFewestSamples) {
  const std::size_t count = kMostInstructions * 2;
  const MadeUpFunction function(count);
  std::vector<SamplesAt> hits;  // at each instruction; the second half has more
  for (std::size_t i = 0; i < count; ++i)
    hits.push_back({function.addresses[i], i < kMostInstructions ? 1U : 2U});
  const auto code = function_code(function.bytes.size(), function.decode(), hits);
  ASSERT_TRUE(code) << code.error().what;
  EXPECT_EQ(addresses(*code),
            std::vector<std::uint64_t>(function.addresses.begin() + kMostInstructions,
                                       function.addresses.end()));
}

TEST(FunctionCode, PassesOnWhyItCannotBeDecoded) {
  const auto code = function_code(
      100, [](std::uint64_t, std::uint64_t) { return failure("no decoder", "build it"); }, {});
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().what, "no decoder");
}

}  // namespace
}  // namespace tacho::symbols::TEST_FILE
