// Names of the kernel of another machine or boot, and of BPF programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events_made_up_tree.hpp"
#include "locate/resolver.hpp"
#include "profile_made_up_recording.hpp"
#include "symbols_built_program.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kRecorded = 0xffffffff92000000;  // of _text
constexpr std::uint64_t kDriver = 0xffffffffc0000000;

// A kernel that ran on another machine, with a module.
class KernelNames : public testing::Test {
 protected:
  KernelNames() {
    recording_.description.host = "elsewhere";
    recording_.map(-1, kRecorded, 0x1000000, "[kernel.kallsyms]_text", kRecorded);
    recording_.map(-1, kDriver, 0x4000, "[driver]");
  }
  void write_kallsyms(const std::string& text_start) {
    tree_.write("kallsyms", text_start + "000 T _text\n" + text_start + "100 t inner\n" +
                                text_start + "200 t next\nffffffffc0000010 t probe\t[driver]\n");
    sources_.kallsyms = tree_.path("kallsyms");
  }
  // The name of the function at an address, and the warnings.
  std::string name_at(std::uint64_t address) {
    Resolver resolver(spaces().modules(), recording_.description, sources_);
    const CodePlace place = spaces().find(1, perfdata::Mode::kernel, address);
    const std::string name = resolver.function(resolver.function_of(place)).name;
    warnings_ = resolver.warnings();
    return name;
  }
  const AddressSpaces& spaces() { return recording_.kept; }

  struct Spaces : AddressSpaces {
    void add(const perfdata::Record& record, const perfdata::Description&) {
      AddressSpaces::add(std::get<perfdata::Mapping>(record.what));
    }
  };
  MadeUpTree tree_;
  MadeUpRecords<Spaces> recording_;
  SymbolSources sources_;
  std::vector<std::string> warnings_;
};

TEST_F(KernelNames, TheUsersKallsymsIsUsedForAnotherMachine) {
  write_kallsyms("ffffffff92000");
  EXPECT_EQ(name_at(kRecorded + 0x110), "") << "it may be another kernel";
  EXPECT_THAT(warnings_, Contains(HasSubstr("'elsewhere'")));
  sources_.trusts_kallsyms = true;
  EXPECT_EQ(name_at(kRecorded + 0x110), "inner");
  EXPECT_EQ(name_at(kDriver + 0x20), "probe");
  EXPECT_THAT(warnings_, IsEmpty());
}

// System.map has the addresses of the linker.
TEST_F(KernelNames, FunctionsOfAnotherBootAreShiftedButModulesHaveNoNames) {
  write_kallsyms("ffffffff81000");
  sources_.trusts_kallsyms = true;
  EXPECT_EQ(name_at(kRecorded + 0x110), "inner");
  EXPECT_EQ(name_at(kDriver + 0x20), "");
  EXPECT_THAT(warnings_, Contains(HasSubstr("is of another boot")));
}

TEST_F(KernelNames, VmlinuxNamesTheKernelWhereverItWasLoaded) {
  if (!has_compiler()) GTEST_SKIP() << "no compiler (c++) assembles programs here";
  tree_.write("kernel.s",
              ".text\n.globl _text\n_text: .zero 256\n"
              ".globl inner\n.type inner, %function\ninner: .zero 256\n.size inner, 256\n");
  ASSERT_EQ(
      output_of("cd " + tree_.path() +
                " && c++ -static -nostdlib -Wl,-e,_text -x assembler kernel.s -o vmlinux 2>&1"),
      "");
  sources_.vmlinux = tree_.path("vmlinux");
  EXPECT_EQ(name_at(kRecorded + 0x110), "inner");
  EXPECT_THAT(warnings_, IsEmpty());
  perfdata::Description::BuildIdOf other{
      .pid = -1, .mode = perfdata::Mode::kernel, .id = {}, .path = "[kernel.kallsyms]_text"};
  other.id.size = 20;
  recording_.kept.add_build_ids({other});
  EXPECT_EQ(name_at(kRecorded + 0x110), "") << "the recorded kernel has another build ID";
  EXPECT_THAT(warnings_, Contains(HasSubstr("is not the file that was recorded")));
}

TEST_F(KernelNames, AnAddressBelongsToTheBpfProgramThatWasThereThen) {
  constexpr std::uint64_t kProgram = 0xffffffffc0100000;
  const auto place = [&] { return spaces().find(1, perfdata::Mode::kernel, kProgram + 0x80); };
  recording_.map(-1, kProgram, 0x100, "[bpf]bpf_prog_1_first");
  const CodePlace first = place();
  recording_.map(-1, kProgram, 0x200, "[bpf]bpf_prog_2_second");
  const CodePlace second = place();
  Resolver resolver(spaces().modules(), recording_.description, sources_);
  EXPECT_EQ(resolver.function(resolver.function_of(first)).name, "bpf_prog_1_first");
  EXPECT_EQ(resolver.function(resolver.function_of(second)).name, "bpf_prog_2_second");
  EXPECT_EQ(resolver.module_name(first.module), "[bpf]");
  EXPECT_EQ(first.module, second.module);
  EXPECT_THAT(resolver.warnings(), IsEmpty());
}

}  // namespace
}  // namespace tacho::TEST_FILE
