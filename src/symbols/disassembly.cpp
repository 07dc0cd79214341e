// Disassembles with capstone.
#include "symbols/disassembly.hpp"

#include <capstone/capstone.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/parse_number.hpp"

namespace tacho::symbols {
namespace {

struct Architecture {
  cs_arch arch;
  unsigned mode32, mode64;  // cs_mode, by the file's class
  std::uint16_t machine;
  std::uint8_t shortest;  // bytes to skip where there is no instruction
};

constexpr Architecture kArchitectures[] = {
    {CS_ARCH_X86, CS_MODE_64, CS_MODE_64, EM_X86_64, 1},
    {CS_ARCH_X86, CS_MODE_32, CS_MODE_32, EM_386, 1},
    {CS_ARCH_ARM64, CS_MODE_ARM, CS_MODE_ARM, EM_AARCH64, 4},
    {CS_ARCH_ARM, CS_MODE_ARM, CS_MODE_ARM, EM_ARM, 4},
    {CS_ARCH_PPC, CS_MODE_64, CS_MODE_64, EM_PPC64, 4},
    {CS_ARCH_MIPS, CS_MODE_MIPS32, CS_MODE_MIPS64, EM_MIPS, 4},
    {CS_ARCH_SYSZ, 0, 0, EM_S390, 2},
};

// The target of a direct jump or call: its last operand, "0x1234" or "#0x1234".
std::optional<std::uint64_t> target_of(csh handle, const cs_insn& instruction) {
  if (!cs_insn_group(handle, &instruction, CS_GRP_JUMP) &&
      !cs_insn_group(handle, &instruction, CS_GRP_CALL))
    return std::nullopt;
  std::string_view operand = instruction.op_str;
  const std::size_t last = operand.rfind(", ");
  if (last != operand.npos) operand.remove_prefix(last + 2);
  if (operand.starts_with('#')) operand.remove_prefix(1);
  if (!operand.starts_with("0x")) return std::nullopt;
  return parse_number<std::uint64_t>(operand.substr(2), 16);
}

// Whether a jump is conditional. True for architectures that tacho does not know in detail: that is
// the weaker claim.
bool is_conditional(cs_arch arch, const cs_insn& jump) {
  if (arch == CS_ARCH_X86) return jump.id != X86_INS_JMP && jump.id != X86_INS_LJMP;
  if (arch == CS_ARCH_ARM64)
    return jump.id != ARM64_INS_BR &&
           (jump.id != ARM64_INS_B ||
            (jump.detail->arm64.cc != ARM64_CC_INVALID && jump.detail->arm64.cc != ARM64_CC_AL));
  return true;
}

Flow flow_of(csh handle, cs_arch arch, const cs_insn& instruction) {
  if (cs_insn_group(handle, &instruction, CS_GRP_CALL) ||
      cs_insn_group(handle, &instruction, CS_GRP_RET))
    return Flow::away;
  if (!cs_insn_group(handle, &instruction, CS_GRP_JUMP)) return Flow::onwards;
  return is_conditional(arch, instruction) ? Flow::conditional : Flow::away;
}

Instruction unknown(std::span<const std::byte> code, std::uint64_t address) {
  Instruction made{address, static_cast<std::uint8_t>(code.size()), ".byte", {}, Flow::unknown};
  for (const std::byte byte : code)
    made.text += fmt::format(" 0x{:02x}", std::to_integer<unsigned>(byte));
  return made;
}

}  // namespace

Result<std::vector<Instruction>> disassemble(const CodeKind& kind, std::span<const std::byte> code,
                                             std::uint64_t address) {
  const auto* found = std::ranges::find(kArchitectures, kind.machine, &Architecture::machine);
  if (found == std::end(kArchitectures))
    return failure(fmt::format("cannot show instructions of ELF machine {}", kind.machine));
  unsigned mode = kind.wide ? found->mode64 : found->mode32;
  if (kind.thumb) mode = CS_MODE_THUMB;
  if (kind.big_endian) mode |= static_cast<unsigned>(CS_MODE_BIG_ENDIAN);
  csh handle = 0;
  if (const cs_err error = cs_open(found->arch, static_cast<cs_mode>(mode), &handle);
      error != CS_ERR_OK)
    return failure(fmt::format("cannot show instructions: {}", cs_strerror(error)));
  const auto closing = [](csh* open) { cs_close(open); };
  const std::unique_ptr<csh, decltype(closing)> closes(&handle, closing);
  cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
  if (found->arch == CS_ARCH_X86) cs_option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
  const auto freeing = [](cs_insn* each) { cs_free(each, 1); };
  const std::unique_ptr<cs_insn, decltype(freeing)> each(cs_malloc(handle), freeing);

  std::vector<Instruction> instructions;
  const auto* at = reinterpret_cast<const std::uint8_t*>(code.data());
  std::size_t left = code.size();
  const std::size_t step = kind.thumb ? 2 : found->shortest;
  while (left > 0) {
    const std::size_t done = code.size() - left;
    if (cs_disasm_iter(handle, &at, &left, &address, each.get())) {
      std::string text = each->mnemonic;
      if (each->op_str[0] != '\0') (text += ' ') += each->op_str;
      instructions.push_back({each->address, static_cast<std::uint8_t>(each->size), std::move(text),
                              target_of(handle, *each), flow_of(handle, found->arch, *each)});
      continue;
    }
    const std::size_t skipped = std::min(step, left);
    instructions.push_back(unknown(code.subspan(done, skipped), address));
    at += skipped;
    left -= skipped;
    address += skipped;
  }
  return instructions;
}

}  // namespace tacho::symbols
