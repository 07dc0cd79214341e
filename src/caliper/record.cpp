// The memory of records: pages of their own, which the kernel fills with zeros.
#include "caliper/record.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace tacho::caliper {
namespace {

constexpr std::size_t kRecords = 16;  // of a chunk

// A multiple of a cache line, in which the next record begins.
std::size_t size_with(std::uint32_t events, std::uint32_t series) {
  constexpr std::size_t kLine = 64;
  const std::size_t size = sizeof(Record) + events * sizeof(Figures) + series * sizeof(TurnSeries);
  return (size + kLine - 1) / kLine * kLine;
}

std::size_t size_of_sketches(std::uint32_t events) {
  return (std::size_t{1} + events) * sizeof(Sketch);
}

// The kernel provides a page only when it is touched, and most sketches use one page.
void touch_sketches(Record& record) {
  for (std::size_t quantity = 0; quantity <= record.events; ++quantity)
    record.sketch(quantity).touch();
}

}  // namespace

Record* move_to_sketches(const Record& full) noexcept {
  Record* const record = full.larger;
  std::memcpy(static_cast<void*>(record), &full, size_with(full.events, full.series));
  record->larger = nullptr;
  touch_sketches(*record);
  for (std::size_t quantity = 0; quantity <= full.events; ++quantity) {
    const Figures& figures = full.figures(quantity);
    for (std::size_t i = 0; i < figures.firsts(); ++i)
      record->sketch(quantity).add(figures.first[i].get());
  }
  return record;
}

void clear_record(Record* record) noexcept {
  Note* const notes = record->notes;
  Record* const larger = record->larger;
  const std::uint32_t events = record->events;
  const std::uint32_t series = record->series;
  const bool is_gate = record->is_gate;
  for (std::size_t quantity = 0; record->has_sketches() && quantity <= events; ++quantity) {
    const Figures& figures = record->figures(quantity);
    if (figures.executions.get() > 0)
      record->sketch(quantity).clear(~figures.inverted_minimum.get(), figures.maximum.get());
  }
  std::memset(static_cast<void*>(record), 0, size_with(events, series));
  record->notes = notes;
  record->larger = larger;
  record->events = events;
  record->series = series;
  record->is_gate = is_gate;
}

RecordRoom::~RecordRoom() {
  for (const Chunk& chunk : chunks_) ::munmap(chunk.memory, chunk.bytes);
}

Record* RecordRoom::make(std::uint32_t events, bool take_turns) noexcept {
  const std::uint32_t series = take_turns ? events : 0;
  if (chunks_.empty() || chunks_.back().used == kRecords || chunks_.back().events != events ||
      chunks_.back().series != series)
    if (!add_chunk(events, series)) return nullptr;
  Chunk& chunk = chunks_.back();
  const std::size_t size = size_with(events, series);
  char* const place = chunk.memory + kRecords * size +
                      chunk.used * (size_of_sketches(events) + size) + size_of_sketches(events);
  auto* const record = reinterpret_cast<Record*>(chunk.memory + chunk.used++ * size);
  std::memset(static_cast<void*>(record), 0, size);  // causes its page faults now
  record->larger = reinterpret_cast<Record*>(place);
  record->events = events;
  record->series = series;
  return record;
}

bool RecordRoom::add_chunk(std::uint32_t events, std::uint32_t series) noexcept {
  const std::size_t bytes = kRecords * (2 * size_with(events, series) + size_of_sketches(events));
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  // A huge page would be nearly all unused.
  ::madvise(memory, bytes, MADV_NOHUGEPAGE);
  try {
    chunks_.push_back({static_cast<char*>(memory), bytes, events, series, 0});
    return true;
  } catch (const std::bad_alloc&) {
    ::munmap(memory, bytes);
    return false;
  }
}

}  // namespace tacho::caliper
