#include "caliper/add_note.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "caliper/pause_regions.hpp"
#include "caliper/registry.hpp"

namespace tacho::caliper {
namespace {

// A program may note any values. A sum that is too large for 64 bits is the largest number.
std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) {
  return a + std::min(b, std::numeric_limits<std::uint64_t>::max() - a);
}

Note* note_of(const Record& record, std::string_view name) {
  for (Note* note = record.notes; note != nullptr; note = note->next)
    if (note->name == name) return note;
  return nullptr;
}

// Returns null if memory runs out.
[[gnu::noinline, gnu::cold]] Note* new_note(Thread& thread, Record& record,
                                            std::string_view name) noexcept {
  const PauseRegions pause(thread);
  try {
    Note& note = *thread.notes.emplace_back(std::make_unique<Note>());
    note.values = thread.room_of_notes.make(0, false);
    note.name = name;
    if (note.values == nullptr) return nullptr;
    Registry::get().add(note, record);
    return &note;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

void add_note(Thread& thread, std::string_view name, std::uint64_t value) noexcept {
  if (thread.depth == 0 || thread.depth > Thread::kMaxDepth) return;
  Record* const record = thread.frames[thread.depth - 1].record;
  if (record == nullptr) return;
  Note* note = note_of(*record, name);
  if (note == nullptr) note = new_note(thread, *record, name);
  if (note == nullptr) return;
  note->running = sum_of(note->running, value);
  note->noted = true;
}

void end_notes(Thread& thread, const Record& record) noexcept {
  for (Note* note = record.notes; note != nullptr; note = note->next) {
    if (!note->noted) continue;
    const std::uint64_t total = sum_of(note->values->ticks.sum.get(), note->running);
    if (note->values->has_sketches()) {
      note->values->add(0, note->running);
    } else {
      note->values->add_first(0, note->running);
      if (note->values->is_full()) {
        const PauseRegions pause(thread);
        Registry::get().add_sketches(*note);
      }
    }
    note->values->ticks.sum.set(total);
  }
  drop_notes(record);
}

void drop_notes(const Record& record) noexcept {
  for (Note* note = record.notes; note != nullptr; note = note->next) note->drop();
}

}  // namespace tacho::caliper
