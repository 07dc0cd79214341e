// Walks through records as the kernel writes them into its buffers (perf_event_open(2)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tacho::perfdata {

// The beginning of each record, perf_event_header.
struct RecordHeader {
  std::uint32_t type = 0;  // format::RecordType
  std::uint16_t misc = 0;
  std::uint16_t size = 0;  // bytes of the whole record
};

// The value at this place, in this machine's byte order; T() if the bytes end before.
template <class T>
T value_at(std::span<const std::byte> bytes, std::size_t at) {
  T value{};
  if (at <= bytes.size() && bytes.size() - at >= sizeof value)
    std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Calls `visit` with each record. Stops at one whose size is impossible.
template <class Visit>
void for_each_record(std::span<const std::byte> records, const Visit& visit) {
  while (records.size() >= sizeof(RecordHeader)) {
    const std::size_t size = value_at<RecordHeader>(records, 0).size;
    if (size < sizeof(RecordHeader) || size > records.size()) return;
    visit(records.first(size));
    records = records.subspan(size);
  }
}

}  // namespace tacho::perfdata
