#include "perfdata/encode_records.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>

#include "base/byte_writer.hpp"
#include "perfdata/format_constants.hpp"

namespace tacho::perfdata {
namespace {

// Begins a record. finish() writes its size into the header.
ByteWriter begin(std::uint32_t type, std::uint16_t misc) {
  ByteWriter out;
  out.add(perf_event_header{.type = type, .misc = misc, .size = 0});
  return out;
}

std::vector<std::byte> finish(ByteWriter out) {
  out.set(offsetof(perf_event_header, size), static_cast<std::uint16_t>(out.size()));
  return out.take();
}

void add_trailer(ByteWriter& out, const Trailer& trailer, std::int32_t pid, std::int32_t tid) {
  if ((trailer.sample_type & PERF_SAMPLE_TID) != 0) {
    out.add(pid);
    out.add(tid);
  }
  if ((trailer.sample_type & PERF_SAMPLE_TIME) != 0) out.add(trailer.time_ns);
  if ((trailer.sample_type & PERF_SAMPLE_CPU) != 0) out.add(std::uint64_t{0});
  if ((trailer.sample_type & PERF_SAMPLE_IDENTIFIER) != 0) out.add(trailer.id);
}

constexpr std::size_t kLongestPath = 4'096;  // bytes: PATH_MAX of Linux

perf_event_attr attributes_of(const WrittenEvent& event) {
  perf_event_attr attributes{};
  std::memcpy(&attributes, event.attributes.data(),
              std::min(sizeof attributes, event.attributes.size()));
  return attributes;
}

// The registers of the mask `wanted`, in the order of its bits.
void add_registers(ByteWriter& out, const Sample& sample, std::uint64_t wanted) {
  out.add(sample.user_abi);
  if (sample.user_abi == 0) return;
  std::size_t next = 0;
  for (std::uint64_t bit = 1; bit != 0; bit <<= 1U) {
    const bool known = (sample.user_mask & bit) != 0;
    const std::uint64_t value = known ? sample.user_registers[next++] : 0;
    if ((wanted & bit) != 0) out.add(value);
  }
}

// As the kernel does, it takes less of a stack for which the record has no room.
void add_stack(ByteWriter& out, std::span<const std::byte> stack, std::size_t most) {
  constexpr std::size_t kLongest = std::numeric_limits<std::uint16_t>::max();  // of a record
  const std::size_t room = kLongest - std::min(kLongest, out.size() + 2 * format::kWord);
  const std::size_t size = std::min({stack.size(), most, room}) / format::kWord * format::kWord;
  out.add(std::uint64_t{size});
  if (size == 0) return;
  out.add_bytes(stack.first(size));
  out.add(std::uint64_t{size});  // all of it is stack
}

}  // namespace

Trailer trailer_of(std::span<const WrittenEvent> events) {
  return {attributes_of(events.front()).sample_type, events.front().ids.front()};
}

std::vector<std::byte> encode(const Mapping& mapping, const Trailer& trailer) {
  const bool has_id = mapping.build_id.size > 0;
  const auto mode = mapping.mode == Mode::kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
  ByteWriter out =
      begin(PERF_RECORD_MMAP2,
            static_cast<std::uint16_t>(mode | (has_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0) |
                                       (mapping.executable ? 0 : PERF_RECORD_MISC_MMAP_DATA)));
  out.add(mapping.pid);
  out.add(mapping.tid);
  out.add(mapping.start);
  out.add(mapping.length);
  out.add(mapping.offset);
  if (has_id) {
    out.add(mapping.build_id.size);
    out.add(std::array<std::uint8_t, 3>{});
    out.add(mapping.build_id.bytes);
  } else {
    out.add(std::array<std::uint64_t, 3>{});  // device, inode and its generation: not known
  }
  constexpr std::uint32_t kReadable = 1;    // PROT_READ
  constexpr std::uint32_t kExecutable = 4;  // PROT_EXEC
  out.add(mapping.executable ? kReadable | kExecutable : kReadable);
  out.add(std::uint32_t{2});  // MAP_PRIVATE
  out.add_padded(std::string_view(mapping.path).substr(0, kLongestPath), format::kWord);
  add_trailer(out, trailer, mapping.pid, mapping.tid);
  return finish(std::move(out));
}

std::vector<std::byte> encode(const Command& command, const Trailer& trailer) {
  ByteWriter out = begin(PERF_RECORD_COMM, command.exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
  out.add(command.pid);
  out.add(command.tid);
  out.add_padded(std::string_view(command.name).substr(0, kLongestPath), format::kWord);
  add_trailer(out, trailer, command.pid, command.tid);
  return finish(std::move(out));
}

// The order of the fields is the kernel's (perf_output_sample).
std::vector<std::byte> encode(const Sample& sample, const WrittenEvent& event) {
  constexpr std::uint64_t kKnown = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                   PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
                                   PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK |
                                   PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  const perf_event_attr attributes = attributes_of(event);
  const auto has = [&](std::uint64_t field) { return (attributes.sample_type & field) != 0; };
  if ((attributes.sample_type & ~kKnown) != 0 || event.ids.empty()) return {};
  ByteWriter out = begin(PERF_RECORD_SAMPLE, sample.mode == Mode::kernel ? PERF_RECORD_MISC_KERNEL
                                                                         : PERF_RECORD_MISC_USER);
  if (has(PERF_SAMPLE_IDENTIFIER)) out.add(event.ids.front());
  if (has(PERF_SAMPLE_IP)) out.add(sample.ip.value_or(0));
  if (has(PERF_SAMPLE_TID)) {
    out.add(sample.pid.value_or(-1));
    out.add(sample.tid.value_or(-1));
  }
  if (has(PERF_SAMPLE_TIME)) out.add(sample.time_ns.value_or(0));
  if (has(PERF_SAMPLE_CPU)) out.add(std::uint64_t{sample.cpu.value_or(0)});
  if (has(PERF_SAMPLE_PERIOD)) out.add(sample.period.value_or(1));
  if (has(PERF_SAMPLE_CALLCHAIN)) {
    out.add(std::uint64_t{sample.chain.size()});
    out.add_bytes(std::as_bytes(sample.chain));
  }
  if (has(PERF_SAMPLE_BRANCH_STACK)) out.add(std::uint64_t{0});  // entries
  if (has(PERF_SAMPLE_REGS_USER)) add_registers(out, sample, attributes.sample_regs_user);
  if (has(PERF_SAMPLE_STACK_USER)) add_stack(out, sample.user_stack, attributes.sample_stack_user);
  return finish(std::move(out));
}

std::vector<std::byte> encode_round_end() {
  return finish(begin(format::kFinishedRound, 0));
}

}  // namespace tacho::perfdata
