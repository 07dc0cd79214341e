#include "perfdata/attr.hpp"

#include "perfdata/format_constants.hpp"

namespace tacho::perfdata {
namespace {

// The flags of perf_event_attr, a C bit-field. Big-endian machines number them from the top bit of
// each byte.
class Bits {
 public:
  Bits(Bytes bytes, bool big_endian) : bytes_(bytes), big_endian_(big_endian) {}
  bool operator[](unsigned bit) const {
    const unsigned shift = big_endian_ ? 7 - bit % 8 : bit % 8;
    return (std::to_integer<unsigned>(bytes_[bit / 8]) >> shift & 1) != 0;
  }

 private:
  Bytes bytes_;
  bool big_endian_;
};

// precise_ip is two bits wide. On big-endian machines its first bit is the more significant one.
std::uint8_t precise(const Bits& bits, bool big_endian) {
  const unsigned first = bits[format::kPrecise] ? 1 : 0;
  const unsigned second = bits[format::kPrecise + 1] ? 1 : 0;
  return static_cast<std::uint8_t>(big_endian ? first * 2 + second : first + second * 2);
}

// The next word, or 0 beyond the end of a shorter (older) structure.
std::uint64_t word_or_zero(Cursor& cursor) {
  return cursor.left() >= 8 ? cursor.u64() : 0;
}

}  // namespace

std::optional<Attr> parse_attr(Bytes bytes, bool swapped) {
  Cursor whole(bytes, swapped);
  Attr attr;
  RecordedEvent& event = attr.event;
  event.type = whole.u32();
  attr.size = whole.u32();
  if (attr.size == 0) attr.size = format::kFirstAttr;
  if (attr.size < format::kSmallestAttr || attr.size > bytes.size()) return std::nullopt;

  Cursor cursor(bytes.first(attr.size), swapped);
  cursor.skip(8);
  event.config = cursor.u64();
  const std::uint64_t period_or_frequency = cursor.u64();
  event.sample_type = cursor.u64();
  event.read_format = cursor.u64();
  const Bits bits(cursor.bytes(8), cursor.big_endian());
  (bits[format::kFrequency] ? event.frequency : event.period) = period_or_frequency;
  attr.inherit = bits[format::kInherit];
  event.inherited = attr.inherit && (event.sample_type & format::kCpu) == 0;
  event.exclude_user = bits[format::kExcludeUser];
  event.exclude_kernel = bits[format::kExcludeKernel];
  event.sample_id_all = bits[format::kSampleIdAll];
  event.tells_switches = bits[format::kContextSwitch];
  event.precise = precise(bits, cursor.big_endian());
  word_or_zero(cursor);  // wakeup_events, bp_type
  event.config1 = word_or_zero(cursor);
  event.config2 = word_or_zero(cursor);
  event.branch_sample_type = word_or_zero(cursor);
  attr.user_registers = word_or_zero(cursor);
  if (cursor.left() >= 8) {
    event.stack_bytes = cursor.u32();
    const std::int32_t clock = cursor.i32();
    if (bits[format::kUseClockId]) event.clock = clock;
  }
  attr.interrupt_registers = word_or_zero(cursor);
  if (cursor.left() >= 8) {
    cursor.skip(4);  // aux_watermark
    event.max_stack = cursor.u16();
    cursor.skip(2);
  }
  event.user_registers = attr.user_registers;
  event.interrupt_registers = attr.interrupt_registers;
  word_or_zero(cursor);  // aux_sample_size
  word_or_zero(cursor);  // sig_data
  event.config3 = word_or_zero(cursor);
  return attr;
}

}  // namespace tacho::perfdata
