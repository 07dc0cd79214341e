#include "symbols/binary.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <sys/auxv.h>

#include <algorithm>

#include "symbols/unpack.hpp"

namespace tacho::symbols {
namespace {

Result<void> check_build_id(const ElfFile& file, const std::string& wanted) {
  if (wanted.empty() || same_build_id(file.build_id(), wanted)) return {};
  return failure(
      fmt::format("'{}' is not the file that was recorded: its build-id is {}, not {}", file.path(),
                  file.build_id().empty() ? "none" : file.build_id(), wanted),
      "record again, or put the recorded file back");
}

}  // namespace

Binary::Binary(ElfFile file, const DebugPlaces& places) : file_(std::move(file)), places_(places) {}

Result<std::unique_ptr<Binary>> Binary::open(const std::string& path, const std::string& wanted,
                                             const DebugPlaces& places) {
  ElfFile file = TACHO_TRY(ElfFile::open(path));
  TACHO_TRY(check_build_id(file, wanted));
  return std::unique_ptr<Binary>(new Binary(std::move(file), places));
}

Result<std::unique_ptr<Binary>> Binary::own_vdso(const std::string& wanted) {
  const unsigned long at = ::getauxval(AT_SYSINFO_EHDR);
  if (at == 0) return failure("this process has no [vdso]");
  // The kernel does not state the size of the image. The image ends with the section headers; the
  // ELF header has their offset, size and number.
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel passes the address as a number
  const auto* image = reinterpret_cast<const std::byte*>(at);
  constexpr std::size_t kHeaders = sizeof(void*) == 8 ? 64 : 52;
  const auto number = [&](std::size_t offset, std::size_t size) {
    std::size_t value = 0;  // the machine's own byte order
    std::copy_n(image + offset, size, reinterpret_cast<std::byte*>(&value));
    return value;
  };
  const bool wide = sizeof(void*) == 8;
  const std::size_t sections = wide ? number(40, 8) : number(32, 4);
  const std::size_t each = wide ? number(58, 2) : number(46, 2);
  const std::size_t count = wide ? number(60, 2) : number(48, 2);
  ElfFile file =
      TACHO_TRY(ElfFile::of_image({image, std::max(sections + each * count, kHeaders)}, "[vdso]"));
  TACHO_TRY(check_build_id(file, wanted));
  return std::unique_ptr<Binary>(new Binary(std::move(file), {}));
}

const ElfFile* Binary::debug_file() {
  if (!looked_for_debug_) debug_ = find_debug_file(file_, places_, refused_debug_);
  looked_for_debug_ = true;
  return debug_ ? &*debug_ : nullptr;
}

// MiniDebugInfo: an ELF file within the file, packed with xz, that has the symbol table of the
// functions that are not exported (GDB manual, section MiniDebugInfo). Fedora ships its programs
// so.
const ElfFile* Binary::mini_debug_file() {
  if (!looked_for_mini_) {
    looked_for_mini_ = true;
    if (const Section* packed = file_.section(".gnu_debugdata"))
      if (auto unpacked = unpack_xz(file_.contents(*packed)))
        if (auto file = ElfFile::of_unpacked(std::move(*unpacked), file_.path()))
          mini_debug_ = std::move(*file);
  }
  return mini_debug_ ? &*mini_debug_ : nullptr;
}

bool Binary::is_stripped() {
  if (file_.has_symtab()) return false;
  if (debug_file() != nullptr && debug_file()->has_symtab()) return false;
  return mini_debug_file() == nullptr || !mini_debug_file()->has_symtab();
}

const FunctionTable& Binary::functions() {
  if (!functions_) {
    std::vector<Symbol> symbols = file_.functions();
    // The .dynsym of the file has only exported functions. But only the file has the PLT, and
    // MiniDebugInfo leaves exported functions out. So the functions of the file are kept.
    const ElfFile* other = nullptr;
    if (!file_.has_symtab()) other = debug_file() != nullptr ? debug_file() : mini_debug_file();
    if (other != nullptr) {
      const std::vector<Symbol> more = other->functions();
      symbols.insert(symbols.end(), more.begin(), more.end());
    }
    functions_ = FunctionTable(std::move(symbols));
  }
  return *functions_;
}

Result<SourceLines*> Binary::lines() {
  if (!lines_) {
    const ElfFile* from = file_.has_lines() ? &file_ : debug_file();
    if (from == nullptr)
      lines_ = failure(fmt::format("'{}' has no debug information", file_.path()),
                       "compile it with -g, or install its debug symbols");
    else
      lines_ = SourceLines::open(from->path(), {from->path() + ".dwp", file_.path() + ".dwp"});
  }
  if (!*lines_) return std::unexpected(lines_->error());
  return (*lines_)->get();
}

Result<std::vector<Instruction>> Binary::instructions(const Function& of) const {
  return disassemble({file_.machine(), file_.is_64bit(), file_.is_big_endian(), of.thumb},
                     file_.code(of.start, of.end - of.start), of.start);
}

Result<std::vector<Instruction>> Binary::instructions(std::uint64_t first, std::uint64_t last) {
  constexpr std::uint64_t kLongestInstruction = 15;  // bytes: x86
  const Function* function = functions().at(first);
  std::vector<Instruction> found = TACHO_TRY(instructions(
      Function{first, last + kLongestInstruction, {}, function != nullptr && function->thumb}));
  // The bytes after the last instruction may be cut off, or may not be code.
  std::erase_if(found, [&](const Instruction& each) { return each.address > last; });
  return found;
}

}  // namespace tacho::symbols
