// Fuzzes jitdump files. Whatever a file contains, its code lies within it and does not overlap, and
// what is found at an offset contains the offset.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "symbols/jit_dump.hpp"

namespace {

void demand(bool good) {
  if (!good) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = [=](std::uint64_t offset, std::span<std::byte> to) {
    demand(offset <= size && to.size() <= size - offset);
    if (!to.empty()) std::memcpy(to.data(), data + offset, to.size());
    return to.size();
  };
  const auto dump = tacho::symbols::JitDump::read(read, size);
  if (!dump) {
    demand(!dump.error().what.empty());
    return 0;
  }
  std::uint64_t end = 0;
  for (const auto& each : (*dump)->functions()) {
    demand(each.offset >= end && each.size > 0 && each.size <= size - each.offset);
    demand(each.lines_at < each.offset);
    end = each.offset + each.size;
    demand((*dump)->at(each.offset) == &each && (*dump)->at(end - 1) == &each);
    demand((*dump)->address_of(end - 1) == each.address + each.size - 1);
    demand((*dump)->table().at(each.offset) != nullptr);
    static_cast<void>((*dump)->lines().frames_at(end - 1));
    constexpr std::uint64_t kMostCode = 4096;  // bytes: the time goes into decoding them
    const auto instructions = (*dump)->instructions(each, kMostCode);
    if (!instructions) continue;
    for (const auto& one : *instructions)
      demand(one.address - each.address < std::min(each.size, kMostCode));
  }
  std::uint64_t time = 0;
  for (const auto& each : (*dump)->placements()) {
    demand(each.time >= time && each.address + each.size >= each.address);
    if (each.offset) demand((*dump)->at(*each.offset) != nullptr);
    time = each.time;
  }
  return 0;
}
