#include "dump/register_names.hpp"

#include <fmt/format.h>

#include <array>
#include <span>

namespace tacho {
namespace {

using Names = std::span<const std::string_view>;

// The numbers are in arch/*/include/uapi/asm/perf_regs.h of Linux.
constexpr auto kX86 = std::to_array<std::string_view>(
    {"AX", "BX", "CX", "DX", "SI", "DI", "BP",  "SP",  "IP",  "FLAGS", "CS",  "SS",
     "DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13",   "R14", "R15"});
constexpr auto kArm =
    std::to_array<std::string_view>({"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9",
                                     "r10", "fp", "ip", "sp", "lr", "pc"});
constexpr auto kArm64 = std::to_array<std::string_view>(
    {"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
     "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
     "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc"});

Names names_of(std::string_view architecture) {
  if (architecture == "x86_64" || (architecture.starts_with('i') && architecture.ends_with("86")))
    return kX86;
  if (architecture == "aarch64") return kArm64;
  if (architecture.starts_with("arm")) return kArm;
  return {};
}

}  // namespace

std::string register_name(std::string_view architecture, unsigned number) {
  const Names names = names_of(architecture);
  return number < names.size() ? std::string(names[number]) : fmt::format("r{}", number);
}

}  // namespace tacho
