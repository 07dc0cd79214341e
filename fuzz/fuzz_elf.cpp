// Fuzzes the reader of ELF files, which recordings name and anybody may have written. Whatever the
// file contains, its functions, sections and code lie within it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "symbols/code_file.hpp"
#include "symbols/dwp_index.hpp"
#include "symbols/elf_file.hpp"
#include "symbols/function_table.hpp"
#include "symbols/mapped_elf.hpp"
#include "symbols/unpack.hpp"

namespace {

using tacho::symbols::ElfFile;

void demand(bool good) {
  if (!good) std::abort();
}

std::uint64_t sum_of(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  for (const std::byte byte : bytes) sum += std::to_integer<std::uint64_t>(byte);
  return sum;
}

// What is packed into a file: MiniDebugInfo, and the index of a package of debug information.
void read_packed(const ElfFile& file) {
  if (const auto* packed = file.section(".gnu_debugdata")) {
    const auto contents = file.contents(*packed);
    if (auto image = tacho::symbols::unpack_xz(contents)) {
      demand(image->size() <= tacho::symbols::most_unpacked(contents.size()));
      const auto inner = ElfFile::of_unpacked(std::move(*image), "fuzz");
      if (inner) static_cast<void>(inner->functions());
    }
  }
  if (const auto* index = file.section(".debug_cu_index"))
    for (const bool big : {false, true})
      if (const auto parsed = tacho::symbols::DwpIndex::parse(file.contents(*index), big))
        static_cast<void>(parsed->find(0x123456789abcdef0));
}

// What the code says of calls: each leads to a place, or to a name that is not empty.
void follow_calls(std::vector<char> image, std::uint64_t begin, std::uint64_t size) {
  elf_version(EV_CURRENT);
  const tacho::symbols::OwnedElf elf(elf_memory(image.data(), image.size()));
  tacho::symbols::CodeFile code(elf.get());
  constexpr std::uint64_t kEnough = 256;  // bytes of the function
  for (std::uint64_t at = begin; at - begin < std::min(size, kEnough); ++at) {
    static_cast<void>(code.follows_call(at));
    const auto callee = code.callee_before(at);
    if (!callee) continue;
    demand(callee->import.empty() || callee->address == 0);
    if (const auto function = code.described_before(at)) {
      demand(function->begin <= at);
      static_cast<void>(code.exports(callee->import, function->begin));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = ElfFile::of_image(std::as_bytes(std::span(data, size)), "fuzz");
  if (!file) {
    demand(!file.error().what.empty());
    return 0;
  }
  volatile std::uint64_t sum = 0;
  for (const char* name : {".text", ".dynsym", ".strtab", ".note.gnu.build-id"})
    if (const auto* section = file->section(name)) {
      const auto contents = file->contents(*section);
      demand(contents.size() <= size);
      sum = sum + sum_of(contents);
    }
  const auto functions = file->functions();
  demand(functions.size() <= size);
  constexpr std::size_t kEnough = 64;  // each function may be as long as the file
  for (const auto& each : std::span(functions).first(std::min(functions.size(), kEnough))) {
    sum = sum + each.name.size() + sum_of(file->code(each.address, each.size));
    if (const auto offset = file->offset_of(each.address)) sum = sum + *offset;
  }
  if (!functions.empty())
    follow_calls({data, data + size}, functions.back().address, functions.back().size);
  static_cast<void>(file->debug_link());
  read_packed(*file);
  const tacho::symbols::FunctionTable table(functions);
  return 0;
}
