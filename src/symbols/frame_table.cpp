// Reads call frame information with libdw of elfutils.
#include "symbols/frame_table.hpp"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <libelf.h>

#include <array>
#include <cstdlib>

namespace tacho::symbols {
namespace {

// DWARF's numbers of registers (the psABI of each architecture).
struct Numbers {
  std::uint16_t machine = 0;  // EM_*
  unsigned stack = 0;         // the stack pointer
  int link = -1;              // the link register; -1: calls push the return address
};
constexpr std::array kMachines = {Numbers{EM_X86_64, 7, -1}, Numbers{EM_AARCH64, 31, 30}};
constexpr std::uint64_t kWord = 8;  // bytes

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
struct EndFrames {
  void operator()(Dwarf_CFI* frames) const { dwarf_cfi_end(frames); }
};
struct FreeFrame {
  void operator()(Dwarf_Frame* frame) const { std::free(frame); }  // NOLINT: libdw allocates it
};

class DwarfFrameTable final : public FrameTable {
 public:
  DwarfFrameTable(const ElfFile& file, const Numbers& numbers) : numbers_(numbers) {
    elf_version(EV_CURRENT);
    const auto bytes = file.all();
    // libelf reads the bytes only: it was not told to change them.
    elf_.reset(
        elf_memory(reinterpret_cast<char*>(const_cast<std::byte*>(bytes.data())), bytes.size()));
    if (elf_) frames_.reset(dwarf_getcfi_elf(elf_.get()));
  }

  ReturnAddress at(std::uint64_t address) override {
    Dwarf_Frame* made = nullptr;
    if (!frames_ || dwarf_cfi_addrframe(frames_.get(), address, &made) != 0) return {};
    const std::unique_ptr<Dwarf_Frame, FreeFrame> frame(made);
    return numbers_.link < 0 ? on_stack(frame.get()) : in_register(frame.get());
  }

 private:
  // A call pushes the return address right below the canonical frame address. That is counted from
  // the stack pointer until the function has set its frame pointer.
  ReturnAddress on_stack(Dwarf_Frame* frame) const {
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_frame_cfa(frame, &operations, &count) != 0 || count != 1) return {};
    const Dwarf_Op& only = operations[0];
    if (only.atom != DW_OP_bregx) return {};
    if (only.number != numbers_.stack) return {.place = ReturnAddress::Place::frame};
    if (only.number2 < kWord) return {};
    return {.place = ReturnAddress::Place::stack, .offset = only.number2 - kWord};
  }

  // The function has stored the link register, or it is as it was at the call.
  ReturnAddress in_register(Dwarf_Frame* frame) const {
    std::array<Dwarf_Op, 3> memory{};
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_frame_register(frame, numbers_.link, memory.data(), &operations, &count) != 0)
      return {};
    const bool stored = count > 0;
    return {.place = stored ? ReturnAddress::Place::frame : ReturnAddress::Place::link_register};
  }

  Numbers numbers_;
  std::unique_ptr<Elf, EndElf> elf_;
  std::unique_ptr<Dwarf_CFI, EndFrames> frames_;
};

}  // namespace

std::unique_ptr<FrameTable> FrameTable::of(const ElfFile& file) {
  for (const Numbers& numbers : kMachines)
    if (numbers.machine == file.machine() && file.is_64bit())
      return std::make_unique<DwarfFrameTable>(file, numbers);
  return nullptr;
}

}  // namespace tacho::symbols
