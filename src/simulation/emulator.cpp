#include "simulation/emulator.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/program_files.hpp"
#include "simulation/program_head.hpp"

namespace tacho {
namespace {

struct Architecture {
  std::uint16_t machine;
  unsigned char width;  // ELFCLASS32 or ELFCLASS64
  std::string_view name;
  const char* qemu;
  // The processor, unless the user names one in QEMU_CPU. The simulator decodes no SVE code, and
  // libc must not choose it.
  std::string_view processor;
};
constexpr auto kArchitectures = std::to_array<Architecture>(
    {{EM_ARM, ELFCLASS32, "32-bit ARM", "qemu-arm", ""},
     {EM_AARCH64, ELFCLASS64, "64-bit ARM", "qemu-aarch64", "max,sve=off,sme=off"}});

// Where Debian's cross compilers have the libraries of dynamic programs.
struct Libraries {
  std::string_view loader;  // as the program names it
  std::string_view root;    // the directory that has the loader
  std::string_view package;
};
constexpr auto kLibraries = std::to_array<Libraries>(
    {{"/lib/ld-linux-armhf.so.3", "/usr/arm-linux-gnueabihf", "libc6-armhf-cross"},
     {"/lib/ld-linux.so.3", "/usr/arm-linux-gnueabi", "libc6-armel-cross"},
     {"/lib/ld-linux-aarch64.so.1", "/usr/aarch64-linux-gnu", "libc6-arm64-cross"}});

bool is_there(const std::string& file) {
  return ::access(file.c_str(), R_OK) == 0;
}

// The loader that a dynamic program names, or nothing.
template <class Header, class Segment>
std::string loader_in(std::string_view head) {
  const auto header = part_at<Header>(head, 0);
  for (unsigned i = 0; header && i < header->e_phnum; ++i) {
    const auto segment =
        part_at<Segment>(head, header->e_phoff + std::uint64_t{i} * sizeof(Segment));
    if (!segment) break;
    if (segment->p_type != PT_INTERP || segment->p_offset >= head.size()) continue;
    std::string_view name = head.substr(static_cast<std::size_t>(segment->p_offset));
    if (segment->p_filesz < name.size())
      name = name.substr(0, static_cast<std::size_t>(segment->p_filesz));
    return std::string(name.substr(0, name.find('\0')));
  }
  return {};
}

std::string loader_of(std::string_view head) {
  return head[EI_CLASS] == ELFCLASS64 ? loader_in<Elf64_Ehdr, Elf64_Phdr>(head)
                                      : loader_in<Elf32_Ehdr, Elf32_Phdr>(head);
}

// QEMU's option for the directory with the program's libraries. None if the program needs none, or
// finds them without it.
Result<std::vector<std::string>> library_options(const std::string& file, std::string_view qemu,
                                                 const std::string& loader) {
  const std::string usual = fmt::format("/etc/qemu-binfmt/{}", qemu.substr(qemu.find('-') + 1));
  if (loader.empty() || std::getenv("QEMU_LD_PREFIX") != nullptr || is_there(loader) ||
      is_there(usual + loader))
    return {};
  const auto known = std::ranges::find(kLibraries, loader, &Libraries::loader);
  if (known != kLibraries.end() && is_there(fmt::format("{}{}", known->root, loader)))
    return {{"-L", std::string(known->root)}};
  return failure(
      fmt::format("cannot simulate '{}': its loader '{}' is not here", file, loader),
      fmt::format("{}set QEMU_LD_PREFIX to a directory with the program's system, or link the "
                  "program with -static",
                  known == kLibraries.end() ? "" : fmt::format("apt install {}, ", known->package)),
      ENOENT);
}

}  // namespace

Result<std::optional<Emulator>> find_emulator(const std::string& file, std::string_view head,
                                              const std::string& library) {
  const auto header = part_at<Elf32_Ehdr>(head, 0);  // the two widths begin alike
  if (!header || header->e_ident[EI_DATA] != ELFDATA2LSB) return std::nullopt;
  const auto found = std::ranges::find_if(kArchitectures, [&](const Architecture& each) {
    return each.machine == header->e_machine && each.width == header->e_ident[EI_CLASS];
  });
  if (found == kArchitectures.end()) return std::nullopt;
  Emulator emulator;
  emulator.file = file;
  emulator.plugin = library + "/qemu-simulator.so";
  auto qemu = find_helper(found->qemu);
  if (!qemu)
    return failure(fmt::format("cannot simulate '{}': it is a program for {}, and there is no '{}' "
                               "in PATH to run it",
                               file, found->name, found->qemu),
                   "apt install qemu-user (qemu-user-static takes no plugins)", ENOENT);
  if (!is_there(emulator.plugin))
    return failure(fmt::format("cannot simulate '{}': tacho's plugin for QEMU, '{}', is not there",
                               file, emulator.plugin),
                   "build tacho with its simulator, or set TACHO_SIMULATOR_DIR to its directory",
                   ENOENT);
  emulator.qemu = std::move(*qemu);
  emulator.options = TACHO_TRY(library_options(file, found->qemu, loader_of(head)));
  if (!found->processor.empty() && std::getenv("QEMU_CPU") == nullptr)
    emulator.options.insert(emulator.options.end(), {"-cpu", std::string(found->processor)});
  return emulator;
}

}  // namespace tacho
