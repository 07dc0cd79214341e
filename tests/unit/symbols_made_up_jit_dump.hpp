// Builds jitdump files in memory, in either byte order, as the specification in Linux describes
// them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/jit_dump.hpp"

namespace tacho::symbols {

class MadeUpJitDump {
 public:
  explicit MadeUpJitDump(bool swapped = false, std::uint32_t pid = 5, std::uint64_t flags = 0,
                         std::uint32_t machine = 62 /* EM_X86_64 */)
      : swapped_(swapped) {
    for (const std::uint32_t each : {std::uint32_t{0x4A695444}, 1U, 40U, machine, 0U, pid})
      u32(each);
    u64(1);  // time
    u64(flags);
  }

  // Each returns the offset of the record.
  std::size_t load(std::uint64_t time, std::uint64_t address, std::string_view name,
                   std::string_view code, std::uint64_t number) {
    const std::size_t at = begin(0, 16 + 40 + name.size() + 1 + code.size(), time);
    u32(5);
    u32(5);
    u64(address);
    u64(address);
    u64(code.size());
    u64(number);
    text(name);
    bytes_.append(code);
    return at;
  }
  std::size_t move(std::uint64_t time, std::uint64_t from, std::uint64_t to, std::uint64_t size,
                   std::uint64_t number) {
    const std::size_t at = begin(1, 16 + 48, time);
    u32(5);
    u32(5);
    for (const std::uint64_t each : {from, from, to, size, number}) u64(each);
    return at;
  }
  struct Line {
    std::uint64_t address;
    std::uint32_t line;
    std::string file;
  };
  std::size_t lines(std::uint64_t time, std::uint64_t address, const std::vector<Line>& lines) {
    std::size_t size = 16 + 16;
    for (const Line& each : lines) size += 16 + each.file.size() + 1;
    const std::size_t at = begin(2, size, time);
    u64(address);
    u64(lines.size());
    for (const Line& each : lines) {
      u64(each.address);
      u32(each.line);
      u32(0);
      text(each.file);
    }
    return at;
  }
  std::size_t unwinding(std::uint64_t time) {
    const std::size_t at = begin(4, 16 + 24 + 8, time);
    for (int i = 0; i < 4; ++i) u64(8);
    return at;
  }
  std::size_t close(std::uint64_t time) { return begin(3, 16, time); }

  std::string& bytes() { return bytes_; }
  Result<std::shared_ptr<JitDump>> read() const {
    const std::string copy = bytes_;
    return JitDump::read(
        [copy](std::uint64_t offset, std::span<std::byte> to) {
          if (offset >= copy.size()) return std::size_t{0};
          const std::size_t count = std::min(to.size(), copy.size() - offset);
          std::memcpy(to.data(), copy.data() + offset, count);
          return count;
        },
        copy.size());
  }

 private:
  std::size_t begin(std::uint32_t type, std::size_t size, std::uint64_t time) {
    const std::size_t at = bytes_.size();
    u32(type);
    u32(static_cast<std::uint32_t>(size));
    u64(time);
    return at;
  }
  void u32(std::uint32_t value) {
    if (swapped_) value = __builtin_bswap32(value);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void u64(std::uint64_t value) {
    if (swapped_) value = __builtin_bswap64(value);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    bytes_.append(value);
    bytes_.push_back('\0');
  }

  bool swapped_;
  std::string bytes_;
};

}  // namespace tacho::symbols
