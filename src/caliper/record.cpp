// The memory of records: pages of their own, which the kernel fills with zeros.
#include "caliper/record.hpp"

#include <sys/mman.h>

#include <cstring>

namespace tacho::caliper {
namespace {

std::size_t size_with(std::uint32_t events, std::uint32_t series) {
  return sizeof(Record) + events * sizeof(Figures) + series * sizeof(TurnSeries);
}

void touch(Record& record) {
  record.ticks.touch();
  for (std::uint32_t event = 0; event < record.events; ++event) record.event(event).touch();
}

}  // namespace

// The kernel provides a page only when it is touched, and most sketches use one page.
Record* make_record(std::uint32_t events, bool take_turns) noexcept {
  const std::uint32_t series = take_turns ? events : 0;
  void* memory = ::mmap(nullptr, size_with(events, series), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* record = static_cast<Record*>(memory);
  record->events = events;
  record->series = series;
  touch(*record);
  return record;
}

void clear_record(Record* record) noexcept {
  const std::uint32_t events = record->events;
  const std::uint32_t series = record->series;
  // The kernel does not take back pages that the program has locked (mlockall(2)).
  if (::madvise(record, size_with(events, series), MADV_DONTNEED) != 0)
    std::memset(static_cast<void*>(record), 0, size_with(events, series));
  record->events = events;
  record->series = series;
  touch(*record);
}

void free_record(Record* record) noexcept {
  ::munmap(record, size_with(record->events, record->series));
}

}  // namespace tacho::caliper
