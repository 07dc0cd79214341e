// The fields of each type of record, as include/uapi/linux/perf_event.h and
// tools/lib/perf/include/perf/event.h of Linux define them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tacho {

// How a field is stored, and how it is shown.
enum class FieldForm : std::uint8_t {
  i32,
  u8,
  u16,
  u32,
  u64,
  hex64,
  text,              // up to its zero byte; takes all bytes that are left
  build_id,          // 20 bytes, their number, and padding
  file_or_build_id,  // of MMAP2: a build ID if misc says it, otherwise device and inode
  words,             // as many words as are left
  bytes,             // all bytes that are left
};

struct RecordField {
  std::string_view name;
  FieldForm form;
};

struct RecordLayout {
  std::uint32_t type;  // PERF_RECORD_*
  std::string_view name;
  std::span<const RecordField> fields;
};

// Returns nullptr for a type that tacho does not know.
const RecordLayout* find_record_layout(std::uint32_t type);

}  // namespace tacho
