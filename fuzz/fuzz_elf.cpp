// Fuzzes the reader of ELF files, which recordings name and anybody may have written. Whatever the
// file contains, its functions, sections and code lie within it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "symbols/elf_file.hpp"
#include "symbols/function_table.hpp"

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
  static_cast<void>(file->debug_link());
  const tacho::symbols::FunctionTable table(functions);
  return 0;
}
