#include "perfdata/sample.hpp"

#include <bit>

#include "perfdata/format_constants.hpp"

namespace tacho::perfdata {
namespace {

// The size in bytes of fields of one word each; `fields` has one bit for each field.
std::uint8_t bytes_of(std::uint64_t fields) {
  return static_cast<std::uint8_t>(8 * std::popcount(fields));
}

OptionalU64 word_at(Bytes body, std::size_t at, bool swapped) {
  if (body.size() < at + 8) return std::nullopt;
  return Cursor(body.subspan(at, 8), swapped).u64();
}

OptionalU64 word_back(Bytes body, std::size_t back, bool swapped) {
  if (body.size() < back) return std::nullopt;
  return word_at(body, body.size() - back, swapped);
}

// The third word of struct perf_branch_entry, a bit-field.
Branch to_branch(std::uint64_t from, std::uint64_t to, std::uint64_t flags, bool big_endian) {
  const auto field = [&](int first, int width) {
    const int shift = big_endian ? 64 - first - width : first;
    return flags >> shift & ((std::uint64_t{1} << width) - 1);
  };
  return {.from = from,
          .to = to,
          .cycles = static_cast<std::uint16_t>(field(4, 16)),
          .mispredicted = field(0, 1) != 0,
          .predicted = field(1, 1) != 0,
          .speculation = static_cast<std::uint8_t>(field(24, 2)),
          .kind = static_cast<std::uint8_t>(field(20, 4)),
          .in_transaction = field(2, 1) != 0,
          .aborted = field(3, 1) != 0};
}

void take_stack(Cursor& cursor, Sample& sample) {
  const std::uint64_t size = cursor.u64();
  if (size == 0) return;
  const Bytes stack = cursor.bytes(size);
  const std::uint64_t filled = cursor.u64();
  sample.user_stack = stack.first(static_cast<std::size_t>(std::min(filled, size)));
}

}  // namespace

Mode mode_of(std::uint16_t misc) {
  const unsigned mode = misc & format::kModeMask;
  return mode <= static_cast<unsigned>(Mode::guest_user) ? static_cast<Mode>(mode) : Mode::unknown;
}

SampleLayout::SampleLayout(const Attr& attr)
    : type(attr.event.sample_type),
      read_format(attr.event.read_format),
      branch_type(attr.event.branch_sample_type),
      user_registers(attr.user_registers),
      interrupt_registers(attr.interrupt_registers),
      has_readings((type & format::kRead) != 0 && (read_format & format::kReadId) != 0),
      counts_each_thread(attr.inherit && (type & format::kTid) != 0) {
  using namespace format;  // NOLINT(google-build-using-namespace): names of the kernel's own
  if ((type & kTime) != 0) sample_time_ = bytes_of(type & (kIdentifier | kIp | kTid));
  if ((type & kIdentifier) != 0)
    sample_id_ = std::uint8_t{0};
  else if ((type & kId) != 0)
    sample_id_ = bytes_of(type & (kIp | kTid | kTime | kAddress));
  if (!attr.event.sample_id_all) return;
  trailer_ = bytes_of(type & (kTid | kTime | kId | kStreamId | kCpu | kIdentifier));
  if ((type & kTime) != 0)
    other_time_ = bytes_of(type & (kTime | kId | kStreamId | kCpu | kIdentifier));
  if ((type & kIdentifier) != 0)
    other_id_ = bytes_of(kIdentifier);
  else if ((type & kId) != 0)
    other_id_ = bytes_of(type & (kId | kStreamId | kCpu));
}

OptionalU64 SampleLayout::time_of_sample(Bytes body, bool swapped) const {
  return sample_time_ ? word_at(body, *sample_time_, swapped) : std::nullopt;
}
OptionalU64 SampleLayout::id_of_sample(Bytes body, bool swapped) const {
  return sample_id_ ? word_at(body, *sample_id_, swapped) : std::nullopt;
}
OptionalU64 SampleLayout::time_of_other(Bytes body, bool swapped) const {
  return other_time_ ? word_back(body, *other_time_, swapped) : std::nullopt;
}
OptionalU64 SampleLayout::id_of_other(Bytes body, bool swapped) const {
  return other_id_ ? word_back(body, *other_id_, swapped) : std::nullopt;
}

std::optional<SampleLayout::Task> SampleLayout::task_of_other(Bytes body, bool swapped) const {
  if (trailer_ == 0 || (type & format::kTid) == 0 || body.size() < trailer_) return std::nullopt;
  Cursor trailer(body.last(trailer_), swapped);
  const std::int32_t pid = trailer.i32();
  return Task{.pid = pid, .tid = trailer.i32()};
}

bool SampleLayout::same_places(const SampleLayout& other) const {
  return sample_time_ == other.sample_time_ && sample_id_ == other.sample_id_ &&
         other_time_ == other.other_time_ && other_id_ == other.other_id_ &&
         trailer_ == other.trailer_;
}

// struct read_format. The times come after the number of values, or else after the only value.
void SampleParser::take_readings(Cursor& cursor, std::uint64_t format) {
  const std::uint64_t times = bytes_of(format & (format::kTimeEnabled | format::kTimeRunning));
  const std::uint64_t size = 8 + bytes_of(format & (format::kReadId | format::kReadLost));
  const bool has_id = (format & format::kReadId) != 0;
  const std::uint64_t lost = bytes_of(format & format::kReadLost);
  readings_.clear();
  const auto take = [&](std::uint64_t before_id) {
    Reading reading;
    reading.value = cursor.u64();
    cursor.skip(before_id);
    if (has_id) reading.id = cursor.u64();
    cursor.skip(lost);
    readings_.push_back(reading);
  };
  if ((format & format::kReadGroup) == 0) return take(times);
  const std::uint64_t values = cursor.u64();
  cursor.skip(times);
  if (values > cursor.left() / size) return cursor.fail();
  for (std::uint64_t i = 0; i < values; ++i) take(0);
}

void SampleParser::take_branches(Cursor& cursor, std::uint64_t branch_type, Sample& sample) {
  constexpr std::size_t kEntry = 24;
  const std::uint64_t count = cursor.u64();
  if ((branch_type & format::kHardwareIndex) != 0) cursor.skip(8);
  if (count > cursor.left() / kEntry) return cursor.fail();
  branches_.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t from = cursor.u64();
    const std::uint64_t to = cursor.u64();
    branches_.push_back(to_branch(from, to, cursor.u64(), cursor.big_endian()));
  }
  if ((branch_type & format::kBranchCounters) != 0) cursor.skip(count * 8);
  sample.branches = branches_;
}

// The order of the fields is the kernel's (perf_output_sample).
bool SampleParser::parse(Bytes body, std::uint16_t misc, const SampleLayout& layout, bool swapped,
                         Sample& sample) {
  using namespace format;  // NOLINT(google-build-using-namespace): names of the kernel's own
  Cursor cursor(body, swapped);
  const auto has = [&](SampleBit bit) { return (layout.type & bit) != 0; };
  sample.mode = mode_of(misc);
  sample.exact_ip = (misc & kExactIp) != 0;
  if (has(kIdentifier)) cursor.skip(8);
  if (has(kIp)) sample.ip = cursor.u64();
  if (has(kTid)) {
    sample.pid = cursor.i32();
    sample.tid = cursor.i32();
  }
  if (has(kTime)) sample.time_ns = cursor.u64();
  cursor.skip(bytes_of(layout.type & (kAddress | kId | kStreamId)));
  if (has(kCpu)) {
    sample.cpu = cursor.u32();
    cursor.skip(4);
  }
  if (has(kPeriod)) sample.period = cursor.u64();
  if (has(kRead)) take_readings(cursor, layout.read_format);
  if (has(kCallchain)) {
    cursor.u64s(cursor.u64(), chain_);
    sample.chain = chain_;
  }
  if (has(kRaw)) cursor.skip(cursor.u32());
  if (has(kBranchStack)) take_branches(cursor, layout.branch_type, sample);
  if (has(kRegsUser)) {
    sample.user_abi = cursor.u64();
    sample.user_mask = layout.user_registers;
    registers_.clear();
    if (sample.user_abi != 0)
      cursor.u64s(static_cast<std::uint64_t>(std::popcount(layout.user_registers)), registers_);
    sample.user_registers = registers_;
  }
  if (has(kStackUser)) take_stack(cursor, sample);
  cursor.skip(bytes_of(layout.type & (kWeight | kWeightStruct | kDataSource | kTransaction)));
  if (has(kRegsIntr) && cursor.u64() != 0) cursor.skip(bytes_of(layout.interrupt_registers));
  cursor.skip(bytes_of(layout.type & (kPhysicalAddress | kCgroup | kDataPageSize | kCodePageSize)));
  if (has(kAux)) cursor.skip(cursor.u64());
  return cursor.ok();
}

}  // namespace tacho::perfdata
