#include "simulation/refused_program.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/program_files.hpp"
#include "simulation/program_head.hpp"

namespace tacho {
namespace {

constexpr int kMostInterpreters = 5;  // the kernel's bound for scripts that name scripts
// Where Valgrind 3.19 puts a position-independent program (its log with -d shows it).
constexpr std::uint64_t kProgramsStart = 0x108000;

constexpr const char* kCountWithout =
    "count without a simulation: tacho stat --pmu software, or --pmu hardware where there is a PMU";

struct Machine {
  std::uint16_t code;
  std::string_view name;
};
constexpr auto kMachines = std::to_array<Machine>({{EM_ARM, "ARM"},
                                                   {EM_AARCH64, "64-bit ARM"},
                                                   {EM_RISCV, "RISC-V"},
                                                   {EM_PPC, "PowerPC"},
                                                   {EM_PPC64, "64-bit PowerPC"},
                                                   {EM_MIPS, "MIPS"},
                                                   {EM_S390, "IBM Z"}});

// The addresses from `start` on, up to and without `end`.
struct Span {
  std::uint64_t start = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t end = 0;
};

// The addresses of a 64-bit program's memory, from its first to its last segment.
Span addresses_of(std::string_view head, const Elf64_Ehdr& header) {
  Span all;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment =
        part_at<Elf64_Phdr>(head, header.e_phoff + std::uint64_t{i} * sizeof(Elf64_Phdr));
    if (!segment) break;
    if (segment->p_type != PT_LOAD) continue;
    all.start = std::min(all.start, segment->p_vaddr);
    all.end = std::max(all.end, segment->p_vaddr + segment->p_memsz);
  }
  return all;
}

std::unexpected<Error> refusal(const std::string& file, std::string_view reason,
                               std::string_view remedy) {
  return failure(fmt::format("cannot simulate '{}': {}", file, reason), std::string(remedy));
}

Result<void> check_rights(const std::string& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) return {};
  const bool as_another = (status.st_mode & (S_ISUID | S_ISGID)) != 0;
  if (!as_another && ::getxattr(file.c_str(), "security.capability", nullptr, 0) < 0) return {};
  return refusal(file,
                 as_another ? "it runs with the rights of another user or group (setuid, setgid)"
                            : "it has capabilities of its own (setcap)",
                 "simulate a copy without these rights: cp FILE COPY");
}

Result<void> check_machine(const std::string& file, const Elf64_Ehdr& header,
                           const std::string& library) {
  const bool wide = header.e_ident[EI_CLASS] == ELFCLASS64;
  if (wide && header.e_machine == EM_X86_64) return {};
  if (!wide && header.e_machine == EM_386 &&
      ::access((library + "/tacho-x86-linux").c_str(), F_OK) == 0)
    return {};
  const auto known = std::ranges::find(kMachines, header.e_machine, &Machine::code);
  if (known != kMachines.end())
    return refusal(file, fmt::format("it is a program for {}", known->name),
                   "compile it for x86-64; models of other processors simulate x86-64 code, too");
  if (!wide)
    return refusal(file, "it is a program of 32 bits",
                   fmt::format("compile it for 64 bits, or {}", kCountWithout));
  return refusal(file, "it is a program for another processor", "compile it for x86-64");
}

// Valgrind's own code has fixed addresses, where a program with very large static arrays wants its
// data.
Result<void> check_room(const std::string& file, std::string_view head, const Elf64_Ehdr& header,
                        const std::string& library) {
  const std::string tool = head_of(library + "/tacho-amd64-linux");
  const auto tool_header = part_at<Elf64_Ehdr>(tool, 0);
  if (!tool_header || !is_elf(tool)) return {};
  const Span taken = addresses_of(tool, *tool_header);
  Span wanted = addresses_of(head, header);
  if (header.e_type == ET_DYN && wanted.start < wanted.end)
    wanted = {kProgramsStart, kProgramsStart + (wanted.end - wanted.start)};
  if (wanted.start >= taken.end || wanted.end <= taken.start) return {};
  return refusal(file,
                 fmt::format("its code and static data need the addresses from {:#x} to {:#x}, and "
                             "the simulator is at {:#x}",
                             wanted.start, wanted.end, taken.start),
                 "allocate large arrays when the program runs (malloc)");
}

// Checks the file of a native program.
Result<void> check_native(const std::string& file, std::string_view head,
                          const std::string& library) {
  const auto header = part_at<Elf64_Ehdr>(head, 0);
  if (!header) return {};
  TACHO_TRY(check_machine(file, *header, library));
  if (header->e_ident[EI_CLASS] == ELFCLASS64) TACHO_TRY(check_room(file, head, *header, library));
  return {};
}

}  // namespace

Result<std::optional<Emulator>> check_runs(const std::string& name, const std::string& library,
                                           const std::string& directory) {
  std::vector<std::string> files = program_files(name, directory);
  std::erase_if(files, [](const auto& file) { return ::access(file.c_str(), X_OK) != 0; });
  std::string file = files.empty() ? std::string() : files.front();
  for (int i = 0; i < kMostInterpreters && !file.empty(); ++i) {
    TACHO_TRY(check_rights(file));
    const std::string head = head_of(file);
    if (is_elf(head)) {
      auto emulator = TACHO_TRY(find_emulator(file, head, library));
      if (emulator && i > 0)
        return refusal(name, fmt::format("its interpreter '{}' is a program for ARM", file),
                       "name the interpreter in the command: INTERPRETER SCRIPT");
      if (emulator) return emulator;
      TACHO_TRY(check_native(file, head, library));
    }
    file = interpreter_of(head);
  }
  return std::nullopt;
}

Result<void> check_runs_natively_too(const std::string& name, const std::string& library) {
  if (TACHO_TRY(check_runs(name, library)))
    return failure(fmt::format("cannot run '{}' natively: it is a program for ARM", name),
                   "leave --with-native out: the simulation alone counts it");
  return {};
}

}  // namespace tacho
