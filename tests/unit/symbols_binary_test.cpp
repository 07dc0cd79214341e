// Compares names, lines and instructions of programs that are built here with the output of nm,
// addr2line and objdump.
#include "symbols/binary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/build_id.hpp"
#include "symbols/demangle.hpp"
#include "symbols/kallsyms_and_perf_map.hpp"
#include "symbols_built_program.hpp"

namespace tacho::symbols::TEST_FILE {
namespace {

using testing::HasSubstr;

class SymbolsBinary : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_compiler()) GTEST_SKIP() << "no C++ compiler (c++) builds programs here";
  }
  static std::unique_ptr<Binary> opened(const std::string& path) {
    auto binary = Binary::open(path, {}, {});
    EXPECT_TRUE(binary) << binary.error().what;
    return binary ? std::move(*binary) : nullptr;
  }
  // Whether tacho was built with elfutils, which reads lines.
  static bool reads_lines(Binary& binary) {
    const auto lines = binary.lines();
    return lines || lines.error().what.find("without elfutils") == std::string::npos;
  }
};

TEST_F(SymbolsBinary, EveryFunctionIsFoundAtItsFirstAndItsLastByte) {
  const BuiltProgram program;
  const auto binary = opened(program.path());
  const auto functions = program.functions();
  ASSERT_GE(functions.size(), 4U);
  for (const auto& [name, place] : functions) {
    const auto [start, size] = place;
    for (const std::uint64_t address : {start, start + size - 1}) {
      const Function* found = binary->functions().at(address);
      ASSERT_NE(found, nullptr) << name;
      EXPECT_EQ(found->start, start) << name;
      EXPECT_EQ(found->end, start + size) << name;
    }
  }
}

TEST_F(SymbolsBinary, NamesOfAStrippedProgramComeFromItsDebugFile) {
  const BuiltProgram program;
  const auto functions = program.functions();
  ASSERT_EQ(output_of("cd " + program.tree().path() +
                      " && objcopy --only-keep-debug program program.debug && strip program && "
                      "objcopy --add-gnu-debuglink=program.debug program 2>&1"),
            "");
  const auto binary = opened(program.path());
  for (const auto& [name, place] : functions) {
    const Function* found = binary->functions().at(place.first);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->start, place.first) << name;
  }
  if (!reads_lines(*binary)) GTEST_SKIP() << "built without elfutils";
  EXPECT_TRUE(binary->lines());
}

TEST_F(SymbolsBinary, ADebugFileOfAnotherBuildIsNotUsed) {
  const BuiltProgram program;
  const BuiltProgram other("-O1 -g");
  ASSERT_EQ(
      output_of("cd " + program.tree().path() + " && objcopy --only-keep-debug " + other.path() +
                " program.debug && strip program && "
                "objcopy --add-gnu-debuglink=program.debug program 2>&1"),
      "");
  const auto binary = opened(program.path());
  EXPECT_TRUE(binary->functions().named("work").empty());
  EXPECT_FALSE(binary->lines());
}

TEST_F(SymbolsBinary, AFileOfAnotherBuildIdIsRefused) {
  const BuiltProgram program;
  const std::string id = opened(program.path())->file().build_id();
  EXPECT_THAT(output_of("readelf -n " + program.path()), HasSubstr("Build ID: " + id));
  EXPECT_TRUE(Binary::open(program.path(), id, {}));
  EXPECT_TRUE(Binary::open(program.path(), id + "0000", {})) << "some recordings add zeros";
  const auto refused = Binary::open(program.path(), "00112233", {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("is not the file that was recorded"));
}

// Compared with readelf. Three fields of the header have the place of the sections.
TEST_F(SymbolsBinary, TheBuildIdIsTheSameWithSegmentsOnlyAndWithSectionsOnly) {
  const BuiltProgram program;
  const auto readelf_id = [](const std::string& path) {
    const std::string notes = output_of("readelf -n " + path + " 2>/dev/null");
    const std::size_t at = notes.find("Build ID: ");
    return at == std::string::npos ? "" : notes.substr(at + 10, notes.find('\n', at) - at - 10);
  };
  const std::string id = readelf_id(program.path());
  ASSERT_EQ(id.size(), 40U);
  std::ifstream in(program.path(), std::ios::binary);
  std::string whole((std::istreambuf_iterator<char>(in)), {});
  ElfW(Ehdr) header{};
  std::memcpy(&header, whole.data(), sizeof header);
  header.e_shoff = header.e_shnum = header.e_shstrndx = 0;
  std::memcpy(whole.data(), &header, sizeof header);
  program.tree().write("no-sections", whole);
  const std::string stripped = program.tree().path("no-sections");
  const auto opened_stripped = Binary::open(stripped, id, {});
  EXPECT_TRUE(opened_stripped) << opened_stripped.error().what;
  for (const std::string& path : {program.path(), stripped})
    EXPECT_EQ(fmt::format("{:02x}", fmt::join(read_build_id(path), "")), id) << path;

  ASSERT_EQ(output_of("cd " + program.tree().path() +
                      " && objcopy --only-keep-debug program program.debug 2>&1 && "
                      "c++ -r -nostdlib -Wl,--build-id program.cpp -o program.ko 2>&1"),
            "");
  for (const char* name : {"program.debug", "program.ko"}) {
    const std::string path = program.tree().path(name);
    const auto file = ElfFile::open(path);
    ASSERT_TRUE(file) << file.error().what;
    EXPECT_EQ(file->build_id(), readelf_id(path)) << name;
    EXPECT_FALSE(file->build_id().empty()) << name;
  }
}

// `program` has the same code as `binary`, and debug information that addr2line reads.
void compare_lines_with_addr2line(Binary* binary, const BuiltProgram& program) {
  const auto lines = binary->lines();
  ASSERT_TRUE(lines) << lines.error().what;
  int inlined = 0;
  for (const char* name : {"_ZN12_GLOBAL__N_1L4workEi", "_ZN12_GLOBAL__N_14workEi", "main"}) {
    const auto functions = program.functions();
    const auto found = functions.find(name);
    if (found == functions.end()) continue;
    const auto instructions = binary->instructions(*binary->functions().at(found->second.first));
    ASSERT_TRUE(instructions) << instructions.error().what;
    for (const Instruction& each : *instructions) {
      // addr2line prints "function\nfile:line" for each level, innermost first. Its functions come
      // from the symbol table, not from DWARF, so only the places are compared.
      std::ostringstream command;
      command << "addr2line -f -C -i -e " << program.path() << " 0x" << std::hex << each.address;
      std::istringstream printed(output_of(command.str()));
      const std::vector<Frame> frames = (*lines)->frames_at(each.address);
      std::size_t level = 0;
      std::string function;
      std::string place;
      for (; std::getline(printed, function) && std::getline(printed, place); ++level) {
        ASSERT_LT(level, frames.size()) << std::hex << each.address;
        place = place.substr(0, place.find(" ("));
        EXPECT_EQ(std::filesystem::path(frames[level].file).filename().string() + ':' +
                      (frames[level].line == 0 ? "?" : std::to_string(frames[level].line)),
                  std::filesystem::path(place).filename().string());
      }
      EXPECT_EQ(level, frames.size());
      if (frames.size() == 3) {
        ++inlined;
        EXPECT_EQ(frames[0].function, "innermost");
        EXPECT_EQ(frames[1].function, "between");
        EXPECT_THAT(frames[2].function, HasSubstr("work"));
      }
    }
  }
  EXPECT_GT(inlined, 0) << "the program has inlined functions";
}

TEST_F(SymbolsBinary, EveryAddressHasTheLineThatAddr2linePrints) {
  const BuiltProgram program;
  const auto binary = opened(program.path());
  if (!reads_lines(*binary)) GTEST_SKIP() << "built without elfutils";
  compare_lines_with_addr2line(binary.get(), program);
}

TEST_F(SymbolsBinary, LinesAreTheSameIfDebugInformationIsSplit) {
  const BuiltProgram program;
  for (const char* flags : {"-O2 -g -gsplit-dwarf", "-O2 -gdwarf-4 -gsplit-dwarf"}) {
    const BuiltProgram split(flags);
    const auto binary = opened(split.path());
    if (!reads_lines(*binary)) GTEST_SKIP() << "built without elfutils";
    compare_lines_with_addr2line(binary.get(), program);
  }
}

// elfutils before 0.189 does not know zstd: it finds nothing and reports no error.
TEST_F(SymbolsBinary, LinesThatCannotBeDecompressedAreAnErrorThatSaysSo) {
  const BuiltProgram program;
  const std::string packed = program.path() + ".packed";
  if (!output_of("objcopy --compress-debug-sections=zstd " + program.path() + ' ' + packed +
                 " 2>&1")
           .empty())
    GTEST_SKIP() << "objcopy does not know zstd";
  const auto binary = opened(packed);
  if (!reads_lines(*binary)) GTEST_SKIP() << "built without elfutils";
  if (binary->lines()) return compare_lines_with_addr2line(binary.get(), program);
  EXPECT_THAT(binary->lines().error().what, HasSubstr("zstd"));
  EXPECT_THAT(binary->lines().error().remedy, HasSubstr("--decompress-debug-sections"));
}

TEST_F(SymbolsBinary, InstructionsHaveTheAddressesThatObjdumpPrints) {
  const BuiltProgram program;
  const auto binary = opened(program.path());
  const Function* function = binary->functions().at(program.functions().at("main").first);
  const auto instructions = binary->instructions(*function);
  if (!instructions && instructions.error().what.contains("without capstone"))
    GTEST_SKIP() << "built without capstone";
  ASSERT_TRUE(instructions) << instructions.error().what;
  std::vector<std::uint64_t> expected;
  std::istringstream lines(
      output_of("objdump -d --no-show-raw-insn --disassemble=main " + program.path()));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(' ') && line.contains(":\t"))
      expected.push_back(std::stoull(line, nullptr, 16));
  std::vector<std::uint64_t> found;
  for (const Instruction& each : *instructions) found.push_back(each.address);
  EXPECT_EQ(found, expected);
}

TEST_F(SymbolsBinary, CallsThroughThePltHaveTheNameOfTheirFunction) {
  const BuiltProgram program;
  const auto binary = opened(program.path());
  const auto instructions =
      binary->instructions(*binary->functions().at(program.functions().at("main").first));
  if (!instructions) GTEST_SKIP() << instructions.error().what;
  std::vector<std::string> called;
  for (const Instruction& each : *instructions)
    if (each.target)
      if (const Function* target = binary->functions().at(*each.target))
        called.emplace_back(target->name);
  EXPECT_THAT(called, testing::Contains(HasSubstr("printf")));
}

// In assembly without .type and .size, symbols that nm calls code have names.
TEST_F(SymbolsBinary, FunctionsOfAssemblyWithoutTypesHaveNames) {
  const MadeUpTree tree;
  tree.write("code.s",
             ".text\n.globl sum\nsum: .zero 16\nhelper: .zero 16\n"
             ".globl sized\n.type sized, %function\nsized: .zero 8\nround: .zero 8\n"
             ".size sized, 16\n"
             ".globl both\nalias: both: .type both, %function\n.zero 8\n"
             ".globl past_the_end\npast_the_end:\n"
             ".data\n.globl table\ntable: .zero 16\n");
  ASSERT_EQ(output_of("cd " + tree.path() +
                      " && c++ -shared -nostdlib -x assembler code.s -o code.so 2>&1"),
            "");
  std::map<std::string, std::uint64_t> nm;
  std::istringstream lines(output_of("nm --defined-only " + tree.path("code.so")));
  std::uint64_t address = 0;
  std::string type;
  std::string name;
  while (lines >> std::hex >> address >> type >> name) nm[name] = address;
  const auto binary = opened(tree.path("code.so"));
  const auto name_at = [&](std::uint64_t at) {
    const Function* found = binary->functions().at(at);
    return found == nullptr ? std::string() : std::string(found->name);
  };
  EXPECT_EQ(name_at(nm.at("sum")), "sum");
  EXPECT_EQ(name_at(nm.at("sum") + 15), "sum");
  EXPECT_EQ(name_at(nm.at("helper")), "helper");
  EXPECT_EQ(name_at(nm.at("round")), "sized") << "the label of a loop is not a function";
  EXPECT_EQ(name_at(nm.at("both")), "both") << "it has the type of a function";
  EXPECT_NE(name_at(nm.at("past_the_end")), "past_the_end");
  EXPECT_NE(name_at(nm.at("table")), "table") << "data is no function";
}

TEST_F(SymbolsBinary, DamagedFilesAreErrorsOrHaveFewerFunctions) {
  const BuiltProgram program;
  std::ifstream in(program.path(), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t size : {std::size_t{0}, std::size_t{15}, std::size_t{63}, std::size_t{100},
                           whole.size() / 2, whole.size() - 1}) {
    program.tree().write("cut", whole.substr(0, size));
    auto binary = Binary::open(program.tree().path("cut"), {}, {});
    if (binary) static_cast<void>((*binary)->functions().size());
  }
  // Inverts each byte of the headers: nothing may be read after the end of the file.
  for (std::size_t at = 16; at < 64; ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(~damaged[at]);
    program.tree().write("damaged", damaged);
    auto binary = Binary::open(program.tree().path("damaged"), {}, {});
    if (binary) static_cast<void>((*binary)->functions().size());
  }
  const auto none = Binary::open(program.tree().path("program.cpp"), {}, {});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().what, HasSubstr("is no ELF file"));
}

// objdump names the entries by the address that their code loads, tacho by their order.
TEST_F(SymbolsBinary, PltEntriesOfArm64HaveTheAddressesThatObjdumpPrints) {
  if (output_of("aarch64-linux-gnu-gcc --version 2>/dev/null").empty())
    GTEST_SKIP() << "no cross compiler (aarch64-linux-gnu-gcc) builds programs here";
  const MadeUpTree tree;
  tree.write("calls.c",
             "int first(int); int second(int); int third(int); int fourth(int);\n"
             "int f(int x) { return first(x) + second(x) + third(x) + fourth(x); }\n");
  tree.write("thread.c",
             "extern __thread int variable; int first(int);\n"
             "int f(void) { return first(variable); }\n");
  tree.write("called.c",
             "int first(int x) { return x; } int second(int x) { return x; }\n"
             "int third(int x) { return x; } int fourth(int x) { return x; }\n");
  const auto build = [&](const std::string& flags) {
    EXPECT_EQ(output_of("cd " + tree.path() + " && aarch64-linux-gnu-gcc -nostdlib " + flags +
                        " -Wl,--no-warnings 2>&1"),
              "");
  };
  build("called.c -shared -fPIC -o libcalled.so");
  for (const std::string flags :
       {"calls.c -shared -fPIC", "calls.c -shared -fPIC -Wl,-z,pac-plt",
        "calls.c -no-pie -mbranch-protection=standard -Wl,-z,force-bti,-e,f -L. -lcalled",
        "calls.c -shared -fPIC -mbranch-protection=standard -Wl,-z,force-bti,-z,pac-plt",
        "thread.c -shared -fPIC"}) {
    build(flags + " -o out");
    std::map<std::uint64_t, std::string> objdump;
    std::istringstream lines(output_of("aarch64-linux-gnu-objdump -d -j .plt " + tree.path("out")));
    for (std::string line; std::getline(lines, line);)  // "0000000000000310 <first@plt>:"
      if (const std::size_t name = line.find('<'); line.ends_with("@plt>:"))
        objdump[std::stoull(line, nullptr, 16)] = line.substr(name + 1, line.size() - name - 3);
    ASSERT_FALSE(objdump.empty()) << flags;
    std::map<std::uint64_t, std::string> found;
    const auto binary = opened(tree.path("out"));
    for (const Symbol& each : binary->file().functions())
      if (each.name.ends_with("@plt")) found[each.address] = each.name;
    EXPECT_EQ(found, objdump) << flags;
  }
}

TEST(SymbolsVdso, HasItsFunctions) {
  auto vdso = Binary::own_vdso({});
  if (!vdso) GTEST_SKIP() << vdso.error().what;
  EXPECT_FALSE((*vdso)->file().build_id().empty());
  EXPECT_FALSE((*vdso)->functions().named("clock_gettime").empty() &&
               (*vdso)->functions().named("__vdso_clock_gettime").empty() &&
               (*vdso)->functions().named("__kernel_clock_gettime").empty());
}

TEST(SymbolsDemangle, NamesAreAsTheirProgrammersWroteThem) {
  EXPECT_EQ(demangled("_ZN12_GLOBAL__N_18multiplyEPKfS1_Pfm"),
            "(anonymous namespace)::multiply(float const*, float const*, float*, unsigned long)");
  EXPECT_EQ(demangled("main"), "main");
  EXPECT_EQ(demangled("_ZN4core3fmt5write17h0123456789abcdefE"), "core::fmt::write");
  EXPECT_EQ(demangled("_ZN61_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..fmt..Debug$GT$3fmt"
                      "17h0123456789abcdefE"),
            "<alloc::vec::Vec<T> as core::fmt::Debug>::fmt");
  // These are from RFC 2603; llvm-cxxfilt demangled the last one.
  EXPECT_EQ(demangled("_RINvNtC3std3mem8align_ofdE"), "std::mem::align_of::<f64>");
  EXPECT_EQ(demangled("_RNvNtCs1234_7mycrate3foo3bar"), "mycrate::foo::bar");
  EXPECT_EQ(demangled("_RNCNvCsd6OfIWA0jdz_5hello4main0B3_"), "hello::main::{closure#0}");
  EXPECT_EQ(demangled("_Rnot"), "_Rnot");
  EXPECT_EQ(demangled("_Znot"), "_Znot");
}

TEST(SymbolsDemangle, ANameThatWouldBecomeTooLongStaysMangled) {
  // A pair of numbers, then fifteen times a pair of the previous element: 65,536 numbers.
  std::string name = "_RIC1aThhE";
  for (const char* back : {"B3_", "B7_", "Bf_", "Bn_", "Bv_", "BD_", "BL_", "BT_", "B11_", "B19_",
                           "B1j_", "B1t_", "B1D_", "B1N_", "B1X_"})
    name += std::string("T") + back + back + "E";
  EXPECT_EQ(demangled(name + 'E'), name + 'E');
}

TEST(SymbolsDemangle, BriefNamesHaveNoParameters) {
  EXPECT_EQ(without_parameters("(anonymous namespace)::multiply(float const*, unsigned long)"),
            "(anonymous namespace)::multiply");
  EXPECT_EQ(without_parameters("void std::sort<int*>(int*, int*)"), "std::sort<int*>");
  EXPECT_EQ(without_parameters("A::f(int) const"), "A::f");
  EXPECT_EQ(without_parameters("f(int) [clone .cold]"), "f [clone .cold]");
  EXPECT_EQ(without_parameters("operator delete(void*)@plt"), "operator delete@plt");
  EXPECT_EQ(without_parameters("free@plt"), "free@plt");
  EXPECT_EQ(without_parameters("A::operator()(int)"), "A::operator()");
  EXPECT_EQ(without_parameters("std::ostream& operator<< <char>(std::ostream&, char)"),
            "operator<< <char>");
  EXPECT_EQ(without_parameters("main::{lambda(int)#1}::operator()(int) const"),
            "main::{lambda(int)#1}::operator()");
  EXPECT_EQ(without_parameters("main"), "main");
  // Functions within a const member function.
  EXPECT_EQ(without_parameters("A::f(int) const::{lambda(int)#2}::operator()(int) const"),
            "A::f(int) const::{lambda(int)#2}::operator()");
  EXPECT_EQ(without_parameters("bool A::f<int>(int) const &::Local::g() &&"),
            "A::f<int>(int) const &::Local::g");
  EXPECT_EQ(without_parameters("char const& A::f(int) volatile"), "A::f");
}

TEST(SymbolsDemangle, NamesThatAreNotMangledStayWhole) {
  EXPECT_EQ(brief_name("_ZN1A1fEi"), "A::f");
  for (const char* name :
       {"main.(*Server).handle", "net/http.(*conn).serve.func1", "RegExp:(a|b) c",
        "Function:~handler (/app/a b.js)", "jit one(int, char)"})
    EXPECT_EQ(brief_name(name), name);
  EXPECT_FALSE(is_meant("main.(*Server).handle", "main."));
}

TEST(SymbolsDemangle, AFunctionIsFoundByItsNameWithAndWithoutScopes) {
  const std::string name = "(anonymous namespace)::multiply(float const*, unsigned long)";
  EXPECT_TRUE(is_meant(name, "multiply"));
  EXPECT_TRUE(is_meant(name, "(anonymous namespace)::multiply"));
  EXPECT_TRUE(is_meant(name, name));
  EXPECT_FALSE(is_meant(name, "ply"));
  EXPECT_FALSE(is_meant("multiply_and_print(int)", "multiply"));
}

TEST(SymbolsTables, KernelFunctionsComeFromKallsyms) {
  const MadeUpTree tree;
  tree.write("kallsyms",
             "ffffffff81000000 T _stext\nffffffff81000000 T _text\nffffffff81000000 T __startup\n"
             "ffffffff81000100 t inner\nffffffff81000200 D data\nffffffff81000300 W weak\n"
             "ffffffffc0000000 t probe\t[driver]\nffffffffc0000f80 t remove\t[driver]\n"
             "ffffffffc0000f80 t exit\t[driver]\nffffffffc0004000 t bpf_prog_1\t[bpf]\n");
  const auto kernel = read_kernel_functions(tree.path("kallsyms"));
  ASSERT_TRUE(kernel) << kernel.error().what;
  EXPECT_EQ(kernel->text_start, 0xffffffff81000000U);
  EXPECT_EQ(kernel->functions.at(0xffffffff810000ff)->name, "_stext");
  EXPECT_EQ(kernel->functions.at(0xffffffff81000100)->name, "inner");
  EXPECT_EQ(kernel->functions.at(0xffffffff81000250)->name, "inner") << "data is no function";
  EXPECT_EQ(kernel->functions.at(0xffffffffc0000010)->name, "probe");
  EXPECT_EQ(kernel->functions.at(0xffffffff80000000), nullptr);
  EXPECT_EQ(kernel->functions.at(0xffffffff81000fff)->name, "weak");
  EXPECT_EQ(kernel->functions.at(0xffffffff81001000), nullptr)
      << "the kernel ends before its modules";
  EXPECT_EQ(kernel->functions.at(0xffffffffc0000f7f)->name, "probe");
  EXPECT_EQ(kernel->functions.at(0xffffffffc0000fff)->name, "remove");
  EXPECT_EQ(kernel->functions.at(0xffffffffc0001000), nullptr) << "and a module before the next";
  EXPECT_EQ(kernel->functions.at(0xffffffffc0004010)->name, "bpf_prog_1");
}

TEST(SymbolsTables, AKernelThatHidesItsAddressesIsAnErrorWithARemedy) {
  const MadeUpTree tree;
  tree.write("kallsyms", "0000000000000000 T _text\n0000000000000000 t inner\n");
  const auto kernel = read_kernel_functions(tree.path("kallsyms"));
  ASSERT_FALSE(kernel);
  EXPECT_THAT(kernel.error().remedy, HasSubstr("kptr_restrict"));
}

TEST(SymbolsTables, APerfMapHasItsFunctionsAndSkipsOtherLines) {
  const MadeUpTree tree;
  tree.write("perf-5.map",
             "7f0000000000 20 Foo::bar(int) [tier 1]\nnonsense\n7f0000000020 10 baz\n");
  const auto map = read_perf_map(tree.path("perf-5.map"));
  ASSERT_TRUE(map) << map.error().what;
  EXPECT_EQ(map->functions.at(0x7f000000001f)->name, "Foo::bar(int) [tier 1]");
  EXPECT_EQ(map->functions.at(0x7f0000000020)->name, "baz");
  EXPECT_EQ(map->functions.at(0x7f0000000030), nullptr);
  tree.write("perf-6.map", "9 1 f");  // short enough for the small buffer of std::string
  const auto brief = read_perf_map(tree.path("perf-6.map"));
  ASSERT_TRUE(brief) << brief.error().what;
  EXPECT_EQ(brief->functions.at(9)->name, "f");
}

// `expected` has the name of the innermost function for each address.
TEST(SymbolsTables, AnAddressBelongsToTheInnermostFunctionThatContainsIt) {
  std::vector<Symbol> symbols;
  std::vector<std::string> expected(0x1000);
  const auto add = [&](std::uint64_t address, std::uint64_t size, std::string_view name) {
    symbols.push_back({address, size, name, false, true, false});
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(address), size, name);
  };
  add(0x100, 0xe00, "all");
  for (std::uint64_t i = 0; i < 100; ++i) add(0x110 + 0x10 * i, 8, "part");
  for (std::uint64_t i = 0; i < 40; ++i) add(0x800 + i, 0x200 - 2 * i, "nested");
  add(0xef0, 0x20, "beyond");  // begins within "all" and ends after it
  std::ranges::reverse(symbols);
  const FunctionTable table(symbols);
  for (std::uint64_t address = 0; address < expected.size(); ++address) {
    const Function* found = table.at(address);
    EXPECT_EQ(found == nullptr ? "" : found->name, expected[address]) << address;
  }
}

}  // namespace
}  // namespace tacho::symbols::TEST_FILE
