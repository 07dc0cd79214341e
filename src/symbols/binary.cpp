#include "symbols/binary.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <sys/auxv.h>

#include <algorithm>

namespace tacho::symbols {
namespace {

Result<void> check(const ElfFile& file, const std::string& wanted) {
  if (wanted.empty() || same_build_id(file.build_id(), wanted)) return {};
  return failure(
      fmt::format("'{}' is not the file that was recorded: its build-id is {}, not {}", file.path(),
                  file.build_id().empty() ? "none" : file.build_id(), wanted),
      "record again, or put the file of then back");
}

}  // namespace

Binary::Binary(ElfFile file, const DebugPlaces& places) : file_(std::move(file)), places_(places) {}

Result<std::unique_ptr<Binary>> Binary::open(const std::string& path, const std::string& wanted,
                                             const DebugPlaces& places) {
  auto file = ElfFile::open(path);
  if (!file) return std::unexpected(file.error());
  if (auto checked = check(*file, wanted); !checked) return std::unexpected(checked.error());
  return std::unique_ptr<Binary>(new Binary(std::move(*file), places));
}

Result<std::unique_ptr<Binary>> Binary::own_vdso(const std::string& wanted) {
  const unsigned long at = ::getauxval(AT_SYSINFO_EHDR);
  if (at == 0) return failure("this process has no [vdso]");
  // Nobody tells its size: it ends with its section headers, whose place its first bytes tell.
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel tells the address as a number
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
  auto file = ElfFile::of_image({image, std::max(sections + each * count, kHeaders)}, "[vdso]");
  if (!file) return std::unexpected(file.error());
  if (auto checked = check(*file, wanted); !checked) return std::unexpected(checked.error());
  return std::unique_ptr<Binary>(new Binary(std::move(*file), {}));
}

const ElfFile* Binary::debug_file() {
  if (!looked_for_debug_) debug_ = find_debug_file(file_, places_);
  looked_for_debug_ = true;
  return debug_ ? &*debug_ : nullptr;
}

const FunctionTable& Binary::functions() {
  if (!functions_) {
    std::vector<Symbol> symbols = file_.functions();
    if (!file_.has_symtab() && debug_file() != nullptr) {
      // Its own .dynsym has only what it exports; the PLT stands only in the file itself.
      const std::vector<Symbol> more = debug_->functions();
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
      lines_ = SourceLines::open(from->path());
  }
  if (!*lines_) return std::unexpected(lines_->error());
  return (*lines_)->get();
}

Result<std::vector<Instruction>> Binary::instructions(const Function& of) const {
  return disassemble({file_.machine(), file_.is_64bit(), file_.is_big_endian(), of.thumb},
                     file_.code(of.start, of.end - of.start), of.start);
}

Result<std::vector<Instruction>> Binary::instructions(std::uint64_t first, std::uint64_t last) {
  constexpr std::uint64_t kLongestInstruction = 15;
  const Function* function = functions().at(first);
  auto made = instructions(
      Function{first, last + kLongestInstruction, {}, function != nullptr && function->thumb});
  // What stands behind may be cut off, or no code.
  if (made) std::erase_if(*made, [&](const Instruction& each) { return each.address > last; });
  return made;
}

}  // namespace tacho::symbols
