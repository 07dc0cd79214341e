// Names and lines that are packed: MiniDebugInfo (xz), sections packed with zstd, packages of split
// debug information. Compared with what nm and addr2line print of the program before it was packed.
#include "symbols/unpack.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "symbols/binary.hpp"
#include "symbols/demangle.hpp"
#include "symbols_built_program.hpp"

namespace tacho::symbols::TEST_FILE {
namespace {

using testing::Each;
using testing::HasSubstr;

bool has(const std::string& tool) {
  return !output_of(tool + " --version 2>/dev/null").empty();
}

std::vector<std::byte> bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

bool without_liblzma() {
  const auto none = unpack_xz({});
  return !none && none.error().what.contains("without liblzma");
}

TEST(SymbolsUnpack, XzGivesTheBytesBackAndRefusesDamageAndBombs) {
  if (!has("xz")) GTEST_SKIP() << "xz is not installed: it packs what is unpacked here";
  if (without_liblzma()) GTEST_SKIP() << "built without liblzma";
  const MadeUpTree tree;
  tree.write("text", std::string(100'000, 'a') + "end");
  ASSERT_EQ(output_of("cd " + tree.path() +
                      " && xz -k text 2>&1 && "
                      "head -c 80000000 /dev/zero | xz -0 > bomb.xz 2>&1"),
            "");
  const auto packed = bytes_of(tree.path("text.xz"));
  const auto unpacked = unpack_xz(packed);
  ASSERT_TRUE(unpacked) << unpacked.error().what;
  EXPECT_EQ(*unpacked, bytes_of(tree.path("text")));
  const auto cut = unpack_xz(std::span(packed).first(packed.size() - 1));
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().what, HasSubstr("no complete xz file"));
  auto damaged = packed;
  damaged[damaged.size() / 2] ^= std::byte{0xff};
  EXPECT_FALSE(unpack_xz(damaged));
  const auto bomb = unpack_xz(bytes_of(tree.path("bomb.xz")));
  ASSERT_FALSE(bomb);
  EXPECT_THAT(bomb.error().what, HasSubstr("more than 64 MiB and 10 times"));
}

TEST(SymbolsUnpack, ZstdGivesTheBytesBackAndRefusesWrongSizes) {
  if (!has("zstd")) GTEST_SKIP() << "zstd is not installed: it packs what is unpacked here";
  const MadeUpTree tree;
  tree.write("text", std::string(1000, 'a') + "end");
  ASSERT_EQ(output_of("cd " + tree.path() + " && zstd -q text 2>&1"), "");
  const auto packed = bytes_of(tree.path("text.zst"));
  const auto unpacked = unpack_zstd(packed, 1003);
  if (!unpacked && unpacked.error().what.contains("without zstd"))
    GTEST_SKIP() << "built without zstd";
  ASSERT_TRUE(unpacked) << unpacked.error().what;
  EXPECT_EQ(*unpacked, bytes_of(tree.path("text")));
  EXPECT_FALSE(unpack_zstd(packed, 1002));
  EXPECT_FALSE(unpack_zstd(packed, 1004));
  EXPECT_FALSE(unpack_zstd(packed, std::uint64_t{1} << 62)) << "without taking the memory";
}

// The commands are those of the GDB manual (MiniDebugInfo).
TEST(SymbolsUnpack, NamesOfAStrippedProgramComeFromItsMiniDebugInfo) {
  if (!has_compiler() || !has("xz")) GTEST_SKIP() << "no C++ compiler (c++), or no xz";
  if (without_liblzma()) GTEST_SKIP() << "built without liblzma";
  const BuiltProgram program;
  const auto functions = program.functions();
  ASSERT_EQ(output_of("cd " + program.tree().path() +
                      " && nm program --format=posix --defined-only |"
                      " awk '$2 == \"T\" || $2 == \"t\" {print $1}' > keep"
                      " && objcopy --only-keep-debug program full"
                      " && objcopy -S --keep-symbols=keep full small && xz small"
                      " && strip program && cp program stripped"
                      " && objcopy --add-section .gnu_debugdata=small.xz program 2>&1"),
            "");
  const auto stripped = Binary::open(program.tree().path("stripped"), {}, {});
  const auto packed = Binary::open(program.path(), {}, {});
  ASSERT_TRUE(stripped && packed);
  EXPECT_TRUE((*stripped)->functions().named("work").empty());
  EXPECT_TRUE((*stripped)->is_stripped());
  EXPECT_FALSE((*packed)->is_stripped());
  for (const auto& [name, place] : functions) {
    const Function* found = (*packed)->functions().at(place.first);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->start, place.first) << name;
    EXPECT_EQ(found->end, place.first + place.second) << name;
  }
}

TEST(SymbolsUnpack, AFileWithASymbolTableIsNotStripped) {
  if (!has_compiler()) GTEST_SKIP() << "no C++ compiler (c++) builds programs here";
  const BuiltProgram program;
  const auto binary = Binary::open(program.path(), {}, {});
  ASSERT_TRUE(binary);
  EXPECT_FALSE((*binary)->is_stripped());
}

// All addresses of the program's own functions, with all levels of inlining at each.
std::vector<std::vector<Frame>> all_frames(Binary& binary, const BuiltProgram& program) {
  std::vector<std::vector<Frame>> all;
  const auto lines = binary.lines();
  if (!lines) return all;
  for (const auto& [name, place] : program.functions())
    if (name == "main" || brief_name(name).ends_with("work"))
      for (std::uint64_t at = place.first; at < place.first + place.second; ++at)
        all.push_back((*lines)->frames_at(at));
  return all;
}

void expect_same_frames(const std::vector<std::vector<Frame>>& found,
                        const std::vector<std::vector<Frame>>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  bool inlined = false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), expected[i].size()) << i;
    inlined = inlined || found[i].size() == 3;
    for (std::size_t level = 0; level < found[i].size(); ++level) {
      EXPECT_EQ(found[i][level].function, expected[i][level].function);
      EXPECT_EQ(found[i][level].symbol, expected[i][level].symbol);
      EXPECT_EQ(found[i][level].file, expected[i][level].file);
      EXPECT_EQ(found[i][level].line, expected[i][level].line);
    }
  }
  EXPECT_TRUE(inlined) << "innermost is inlined into between, and that into work";
}

// A program split into files, whose frames are compared with those after they were packed.
void expect_frames_from_package(const std::string& compile, const std::string& pack) {
  SCOPED_TRACE(compile);
  const BuiltProgram program;  // which `compile` replaces
  ASSERT_EQ(output_of("cd " + program.tree().path() + " && " + compile +
                      " -gsplit-dwarf program.cpp -o program 2>&1"),
            "");
  const auto split = Binary::open(program.path(), {}, {});
  ASSERT_TRUE(split);
  const auto expected = all_frames(**split, program);
  const auto inlined = [](const auto& frames) { return frames.size() == 3; };
  ASSERT_TRUE(std::ranges::any_of(expected, inlined)) << "with the .dwo files";
  const std::string directory = "cd " + program.tree().path() + " && ";
  output_of(directory + "timeout 20 " + pack + " && mkdir away && mv *.dwo away");
  const auto packed = Binary::open(program.path(), {}, {});
  ASSERT_TRUE(packed);
  expect_same_frames(all_frames(**packed, program), expected);
  EXPECT_EQ((*(*packed)->lines())->what_is_missing(), "");

  output_of(directory + "rm program.dwp");
  const auto without = Binary::open(program.path(), {}, {});
  ASSERT_TRUE(without);
  const auto bare = all_frames(**without, program);
  EXPECT_FALSE(std::ranges::any_of(bare, inlined));
  EXPECT_THAT((*(*without)->lines())->what_is_missing(), HasSubstr("1 of its units has"));
  EXPECT_THAT((*(*without)->lines())->what_is_missing(), HasSubstr(".dwo"));
}

bool reads_dwarf() {
  const auto lines = SourceLines::open("/nonexistent");
  return lines || !lines.error().what.contains("without elfutils");
}

// The code is in one piece, so that ranges are relative to its start, or in several ones. llvm-dwp
// 19 loops forever on some files of GCC 12 with DWARF 5, and dwp of binutils does not know it.
TEST(SymbolsUnpack, InlinedFunctionsComeFromAPackageOfDwarf5) {
  if (!has_compiler() || !has("clang++-19") || !has("llvm-dwp-19"))
    GTEST_SKIP() << "no clang++-19 or no llvm-dwp-19";
  if (!reads_dwarf()) GTEST_SKIP() << "built without elfutils";
  for (const std::string flags : {"-O2", "-O2 -ffunction-sections"})
    expect_frames_from_package("clang++-19 -gdwarf-5 " + flags,
                               "llvm-dwp-19 -e program -o program.dwp");
}

TEST(SymbolsUnpack, InlinedFunctionsComeFromAPackageOfDwarf4) {
  if (!has_compiler() || !has("dwp")) GTEST_SKIP() << "no C++ compiler, or no dwp of binutils";
  if (!reads_dwarf()) GTEST_SKIP() << "built without elfutils";
  for (const std::string flags : {"-O2 -fno-reorder-functions", "-O2 -ffunction-sections"})
    expect_frames_from_package("c++ -gdwarf-4 " + flags, "dwp -e program -o program.dwp");
}

// elfutils before 0.189 does not know zstd: it finds nothing and reports no error.
TEST(SymbolsUnpack, LinesComeFromSectionsThatArePackedWithZstd) {
  if (!has_compiler() || !has("llvm-objcopy-19"))
    GTEST_SKIP() << "no C++ compiler, or no llvm-objcopy-19";
  if (!reads_dwarf()) GTEST_SKIP() << "built without elfutils";
  if (const auto none = unpack_zstd({}, 0); !none && none.error().what.contains("without zstd"))
    GTEST_SKIP() << "built without zstd";
  const BuiltProgram program;
  const auto plain = Binary::open(program.path(), {}, {});
  ASSERT_TRUE(plain);
  const auto expected = all_frames(**plain, program);
  ASSERT_EQ(output_of("llvm-objcopy-19 --compress-debug-sections=zstd " + program.path() + " 2>&1"),
            "");
  EXPECT_THAT(output_of("readelf -t " + program.path() + " 2>&1"), HasSubstr("COMPRESSED"));
  const auto packed = Binary::open(program.path(), {}, {});
  ASSERT_TRUE(packed);
  ASSERT_TRUE((*packed)->lines()) << (*packed)->lines().error().what;
  expect_same_frames(all_frames(**packed, program), expected);
}

}  // namespace
}  // namespace tacho::symbols::TEST_FILE
