// Follows code of a program that is built here: 1000 instructions that do nothing, and a return.
#include "blocks/run_code.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "symbols_built_program.hpp"

namespace tacho::TEST_FILE {
namespace {

constexpr std::uint64_t kNops = 1000;
constexpr const char* kCode = R"(
__asm__(".text\n.globl first\n.globl last\nfirst:\n.rept 1000\nnop\n.endr\nlast:\n");
extern "C" void after() {}
)";

class BlocksRunCode : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_compiler()) GTEST_SKIP() << "no C++ compiler (c++) builds programs here";
    tree_.write("code.cpp", kCode);
    ASSERT_EQ(output_of("cd " + tree_.path() +
                        " && c++ -fno-toplevel-reorder -O2 -shared "
                        "-nostdlib code.cpp -o code.so 2>&1"),
              "");
    std::istringstream lines(output_of("nm --defined-only " + tree_.path("code.so")));
    for (std::string address, type, name; lines >> address >> type >> name;) {
      if (name == "first") first_ = std::stoull(address, nullptr, 16);
      if (name == "last") last_ = std::stoull(address, nullptr, 16);
      if (name == "after") after_ = std::stoull(address, nullptr, 16);
    }
    ASSERT_GT(last_, first_);
    ASSERT_GE(after_, last_);
    size_ = (last_ - first_) / kNops;
    auto binary = symbols::Binary::open(tree_.path("code.so"), {}, {});
    ASSERT_TRUE(binary) << binary.error().what;
    binary_ = std::move(*binary);
    if (const auto any = binary_->instructions(first_, first_); !any)
      GTEST_SKIP() << any.error().what;
  }

  std::uint64_t nop(std::uint64_t number) const { return first_ + number * size_; }

  MadeUpTree tree_;
  std::uint64_t first_ = 0, last_ = 0, after_ = 0, size_ = 0;
  std::unique_ptr<symbols::Binary> binary_;
};

TEST_F(BlocksRunCode, WalksCountTheInstructionsFromTheFirstToTheLast) {
  RunCode code(*binary_);
  for (const std::uint64_t count : {1U, 2U, 300U, 1000U}) {
    const RunCode::Walk walk = code.walk(nop(1000 - count), nop(999), 5000);
    EXPECT_TRUE(walk.possible);
    EXPECT_FALSE(walk.cut);
    EXPECT_EQ(walk.instructions, count);
    EXPECT_EQ(walk.followed, count);
  }
}

TEST_F(BlocksRunCode, WalksEndAfterAsManyInstructionsAsAreAllowed) {
  for (const std::uint64_t most : {0U, 1U, 300U, 999U}) {
    RunCode code(*binary_);
    const RunCode::Walk walk = code.walk(nop(0), nop(999), most);
    EXPECT_TRUE(walk.possible) << most;
    EXPECT_TRUE(walk.cut) << most;
    EXPECT_EQ(walk.instructions, std::nullopt) << most;
    EXPECT_EQ(walk.followed, most);
  }
  RunCode code(*binary_);
  const RunCode::Walk walk = code.walk(nop(0), nop(999), 1000);
  EXPECT_FALSE(walk.cut);
  EXPECT_EQ(walk.instructions, 1000U);
}

TEST_F(BlocksRunCode, WalksOverAReturnAreImpossible) {
  RunCode code(*binary_);
  const RunCode::Walk walk = code.walk(nop(990), after_ + 64, 5000);
  EXPECT_FALSE(walk.possible);
  EXPECT_FALSE(walk.cut);
  EXPECT_EQ(walk.instructions, std::nullopt);
}

}  // namespace
}  // namespace tacho::TEST_FILE
