#include "symbols/jit_dump.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/hash_seed.hpp"
#include "symbols/jit_lines.hpp"
#include "symbols/window.hpp"

namespace tacho::symbols {
namespace {

constexpr std::uint32_t kMagic = 0x4A695444;  // "JiTD" in the writer's byte order
constexpr std::uint64_t kJitHeader = 40;      // bytes
constexpr std::uint64_t kTscTimes = 1;        // a flag of the header: times are the processor's TSC

// Bounds the memory: a function takes about 300 bytes, more than its record in the file may have.
// Records of real compilers have about 500, most of them code.
constexpr std::uint64_t kAlwaysAllowed = std::uint64_t{1} << 19U;
constexpr std::uint64_t kLeastRecord = 128;  // bytes, of the functions above that number

std::uint64_t most_functions(std::uint64_t size) {
  return kAlwaysAllowed + size / kLeastRecord;
}

// The types of records (JIT_CODE_*). Records of other types, such as unwinding information, are
// skipped.
enum class RecordType : std::uint32_t { load = 0, move = 1, debug_info = 2, close = 3 };
constexpr std::uint64_t kRecordHeader = 16;  // bytes: type, size, time

constexpr auto kNarrowMachines = std::to_array<std::uint32_t>({EM_386, EM_ARM, EM_MIPS, EM_PPC});

bool is_wide(std::uint32_t machine) {
  return std::ranges::find(kNarrowMachines, machine) == kNarrowMachines.end();
}

}  // namespace

// Reads the records one after the other into a JitDump.
class JitDumpReader {
 public:
  explicit JitDumpReader(JitDump& to) : to_(to), window_(to.file_, to.size_) {}

  Result<void> read_header() {
    const std::uint32_t magic = window_.u32();
    if (window_.left() < kJitHeader - sizeof magic ||
        (magic != kMagic && magic != __builtin_bswap32(kMagic)))
      return failure("it is not a jitdump: its first bytes are not 'JiTD'");
    to_.swapped_ = magic != kMagic;
    window_.set_swapped(to_.swapped_);
    const std::uint32_t version = window_.u32();
    const std::uint32_t size = window_.u32();
    if (version != 1 || size < kJitHeader)
      return failure(
          fmt::format("it is a jitdump of version {}, and tacho knows version 1", version));
    const std::uint32_t machine = window_.u32();
    to_.kind_ = {.machine = static_cast<std::uint16_t>(machine),
                 .wide = is_wide(machine),
                 .big_endian = to_.swapped_ == (std::endian::native == std::endian::little)};
    window_.skip(4);  // padding
    to_.pid_ = window_.u32();
    window_.skip(8);  // time of the header
    to_.monotonic_ = (window_.u64() & kTscTimes) == 0;
    window_.go_to(size);
    return {};
  }

  void read_records() {
    while (window_.ok() && window_.left() >= kRecordHeader) {
      const std::uint64_t begin = window_.at();
      const auto type = static_cast<RecordType>(window_.u32());
      const std::uint32_t size = window_.u32();
      const std::uint64_t time = window_.u64();
      if (size < kRecordHeader || size > to_.size_ - begin) return;
      if (type == RecordType::close) {
        to_.complete_ = true;
        return;
      }
      const std::uint64_t most = most_functions(to_.size_);
      if (to_.functions_.size() >= most || to_.placements_.size() >= 2 * most) return;
      if (!take(type, begin, begin + size, time)) return;
      window_.go_to(begin + size);
    }
    to_.complete_ = window_.ok() && window_.left() == 0;
  }

 private:
  bool take(RecordType type, std::uint64_t begin, std::uint64_t end, std::uint64_t time) {
    if (type == RecordType::load) return load(end, time);
    if (type == RecordType::move) return move(end, time);
    if (type == RecordType::debug_info) lines_[window_.u64()] = begin;
    return window_.ok();
  }

  // Its fields: pid, tid, address, address of the code, size, number, name, code.
  bool load(std::uint64_t end, std::uint64_t time) {
    window_.skip(16);
    JitFunction made;
    made.address = window_.u64();
    made.size = window_.u64();
    const std::uint64_t number = window_.u64();
    auto name = window_.text(end);
    if (!name || window_.at() > end || made.size > end - window_.at()) return false;
    made.name = std::move(*name);
    made.offset = window_.at();
    if (made.size == 0 || made.address + made.size < made.address) return true;
    // Source lines come right before the code that they describe.
    if (const auto lines = lines_.extract(made.address)) made.lines_at = lines.mapped();
    by_number_[number] = to_.functions_.size();
    to_.placements_.push_back({time, made.address, made.size, made.offset});
    to_.functions_.push_back(std::move(made));
    return true;
  }

  // Its fields: pid, tid, address, old and new address of the code, size, number.
  bool move(std::uint64_t end, std::uint64_t time) {
    window_.skip(16);
    const std::uint64_t from = window_.u64();
    const std::uint64_t to = window_.u64();
    const std::uint64_t size = window_.u64();
    const auto found = by_number_.find(window_.u64());
    if (!window_.ok() || window_.at() > end) return false;
    if (found == by_number_.end()) return true;
    const JitFunction& moved = to_.functions_[found->second];
    if (size > moved.size || from + size < from || to + size < to) return true;
    to_.placements_.push_back({time, from, size, std::nullopt});
    to_.placements_.push_back({time, to, size, moved.offset});
    return true;
  }

  JitDump& to_;
  Window window_;
  std::unordered_map<std::uint64_t, std::size_t, NumberHash> by_number_;  // index in functions_
  std::unordered_map<std::uint64_t, std::uint64_t, NumberHash>
      lines_;  // by address: offset of the record
};

JitDump::JitDump() = default;

Result<std::shared_ptr<JitDump>> JitDump::read(ReadAt file, std::uint64_t size) {
  std::shared_ptr<JitDump> made(new JitDump());
  made->file_ = std::move(file);
  made->size_ = size;
  JitDumpReader reader(*made);
  TACHO_TRY(reader.read_header());
  reader.read_records();
  std::ranges::stable_sort(made->placements_, {}, &JitPlacement::time);
  std::vector<Symbol> symbols;
  for (const JitFunction& each : made->functions_)
    symbols.push_back(
        {.address = each.offset, .size = each.size, .name = each.name, .global = true});
  made->table_ = FunctionTable(std::move(symbols));
  made->lines_ = jit_lines(made->functions_, made->file_, made->size_, made->swapped_);
  return made;
}

const JitFunction* JitDump::at(std::uint64_t offset) const {
  return function_at(functions_, offset);
}

std::uint64_t JitDump::address_of(std::uint64_t offset) const {
  const JitFunction* function = at(offset);
  return function == nullptr ? offset : function->address + (offset - function->offset);
}

Result<std::vector<Instruction>> JitDump::instructions(const JitFunction& of,
                                                       std::uint64_t most) const {
  std::vector<std::byte> code(static_cast<std::size_t>(std::min(of.size, most)));
  code.resize(file_(of.offset, code));
  return disassemble(kind_, code, of.address);
}

}  // namespace tacho::symbols
