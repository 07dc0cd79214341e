#include "perfdata/encode_records.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

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
  if ((trailer.sample_type & PERF_SAMPLE_TIME) != 0) out.add(std::uint64_t{0});
  if ((trailer.sample_type & PERF_SAMPLE_CPU) != 0) out.add(std::uint64_t{0});
  if ((trailer.sample_type & PERF_SAMPLE_IDENTIFIER) != 0) out.add(trailer.id);
}

constexpr std::size_t kLongestPath = 4'096;  // bytes: PATH_MAX of Linux

}  // namespace

Trailer trailer_of(std::span<const WrittenEvent> events) {
  perf_event_attr attributes{};
  const WrittenEvent& event = events.front();
  std::memcpy(&attributes, event.attributes.data(),
              std::min(sizeof attributes, event.attributes.size()));
  return {attributes.sample_type, event.ids.front()};
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

std::vector<std::byte> encode_round_end() {
  return finish(begin(format::kFinishedRound, 0));
}

}  // namespace tacho::perfdata
