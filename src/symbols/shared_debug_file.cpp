#include "symbols/shared_debug_file.hpp"

#include <elfutils/libdwelf.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <tuple>
#include <vector>

#include "base/build_id.hpp"

namespace tacho::symbols {
namespace {

constexpr std::string_view kDebugFiles = "/usr/lib/debug";  // of distributions

std::string hex(const void* bytes, std::ptrdiff_t size) {
  if (size <= 0) return {};
  return build_id_text({static_cast<const std::uint8_t*>(bytes), static_cast<std::size_t>(size)});
}

// Fails if the file is of another build.
Result<MappedElf> map_of_build(const std::string& path, const std::string& build_id) {
  MappedElf file = TACHO_TRY(map_elf(path));
  std::ignore = TACHO_TRY(size_of_debug_sections(file.elf.get(), file.data));
  const void* bytes = nullptr;
  const std::string found = hex(bytes, dwelf_elf_gnu_build_id(file.elf.get(), &bytes));
  if (found != build_id) return failure(fmt::format("'{}' is of another build", path));
  return file;
}

}  // namespace

SharedDebugFile::~SharedDebugFile() {
  if (dwarf_ != nullptr) dwarf_end(dwarf_);
}

Result<MappedElf> SharedDebugFile::find(const std::string& name, const std::string& build_id,
                                        const std::string& path) const {
  if (build_id.size() > 2)
    if (auto found = map_of_build(fmt::format("{}/.build-id/{}/{}.debug", kDebugFiles,
                                              build_id.substr(0, 2), build_id.substr(2)),
                                  build_id))
      return found;
  std::error_code unknown;
  const auto folder = std::filesystem::weakly_canonical(path, unknown).parent_path();
  return map_of_build((folder / name).string(), build_id);
}

void SharedDebugFile::add_to(Dwarf* program, Elf* elf, int descriptor, const std::string& path) {
  const char* name = nullptr;
  const void* bytes = nullptr;
  const std::ptrdiff_t size = dwelf_dwarf_gnu_debugaltlink(program, &name, &bytes);
  if (size <= 0) return;
  auto found = find(name, hex(bytes, size), path);
  if (found) {
    file_ = std::move(*found);
    dwarf_ = dwarf_begin_elf(file_.elf.get(), DWARF_C_READ, nullptr);
    if (dwarf_ == nullptr) why_missing_ = fmt::format("'{}' has no debug information", name);
  } else {
    why_missing_ =
        found.error().code == ENOENT ? fmt::format("there is no '{}'", name) : found.error().what;
  }
  if (dwarf_ == nullptr) {
    static constexpr std::array<std::byte, 4> kNothing{};
    const std::vector<DebugSection> sections = {{".debug_line", kNothing}};
    empty_ = elf_of(sections, elf, descriptor);
    if (empty_.elf) dwarf_ = dwarf_begin_elf(empty_.elf.get(), DWARF_C_READ, nullptr);
  }
  if (dwarf_ != nullptr) dwarf_setalt(program, dwarf_);
}

}  // namespace tacho::symbols
