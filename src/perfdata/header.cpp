#include "perfdata/header.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "perfdata/attr.hpp"
#include "perfdata/format_constants.hpp"
#include "perfdata/parse_features.hpp"

namespace tacho::perfdata {
namespace {

constexpr std::size_t kFeatureWords = format::kFeatures / 64;

struct FileHeader {
  std::uint64_t attr_size = 0;
  format::Section attrs, data, event_types;
  std::array<std::uint64_t, kFeatureWords> features{};
};

format::Section take_section(Cursor& cursor) {
  const std::uint64_t offset = cursor.u64();
  return {offset, cursor.u64()};
}

bool has(const FileHeader& header, std::uint64_t feature) {
  return (header.features[static_cast<std::size_t>(feature / 64)] >> feature % 64 & 1) != 0;
}

// The feature bits are an array of `long` of the recording machine. If that is a 32-bit machine of
// the other byte order, the halves of each word are exchanged. Every recording has the host
// feature, which shows the order.
void correct_feature_order(FileHeader& header) {
  if (has(header, format::kFeatureHost)) return;
  FileHeader halved = header;
  for (std::uint64_t& word : halved.features) word = word << 32 | word >> 32;
  if (has(halved, format::kFeatureHost)) header = halved;
}

std::unexpected<Error> no_recording(
    const Input& input, std::string_view reason,
    const char* remedy = "give a file that tacho record or perf record wrote") {
  return failure(fmt::format("{} is no recording in perf's format: {}", input.name(), reason),
                 remedy);
}

std::unexpected<Error> damaged_header(const Input& input, std::uint64_t offset,
                                      std::string_view reason) {
  return failure(fmt::format("{} is damaged at byte {}: {}", input.name(), offset, reason),
                 "tacho can't read anything in it; record again");
}

// Reads a whole section of a file. Returns nullopt if the section ends after the end of the file or
// is larger than `limit`.
std::optional<std::vector<std::byte>> read_section(const Input& input,
                                                   const format::Section& section,
                                                   std::uint64_t limit) {
  const std::uint64_t size = input.size().value_or(0);
  if (section.size > limit || section.offset > size || section.size > size - section.offset)
    return std::nullopt;
  std::vector<std::byte> bytes(static_cast<std::size_t>(section.size));
  const auto got = input.read_at(section.offset, bytes.data(), bytes.size());
  if (!got || *got != bytes.size()) return std::nullopt;
  return bytes;
}

// Whether the recording has the other byte order. A file begins with "PERFILE2", in reverse if it
// has the other byte order. The oldest recordings begin with "PERFFILE" on every machine, and the
// size of their header shows the byte order. Returns nullopt for any other beginning.
std::optional<bool> is_swapped(Bytes head) {
  const std::string_view magic(reinterpret_cast<const char*>(head.data()), 8);
  constexpr bool kLittle = std::endian::native == std::endian::little;
  if (magic == "PERFILE2") return !kLittle;
  if (magic == "2ELIFREP") return kLittle;
  if (magic != "PERFFILE") return std::nullopt;
  return Cursor(head.subspan(8), false).u64() > std::numeric_limits<std::uint32_t>::max();
}

Result<void> read_attrs(const Input& input, const FileHeader& header, Metadata& metadata) {
  constexpr std::uint64_t kMostBytes = EventTable::kMostEvents * 256;
  constexpr std::uint64_t kIds = 16;  // bytes: after each attr, the section of its ids
  if (header.attr_size < format::kSmallestAttr + kIds)
    return damaged_header(input, 16, fmt::format("events of {} bytes", header.attr_size));
  const auto bytes = read_section(input, header.attrs, kMostBytes);
  if (!bytes)
    return damaged_header(
        input, 24,
        fmt::format("{} bytes of events at byte {}", header.attrs.size, header.attrs.offset));
  Cursor attrs(*bytes, metadata.description.swapped);
  while (attrs.left() >= header.attr_size) {
    const std::uint64_t offset = header.attrs.offset + (bytes->size() - attrs.left());
    const auto attr =
        parse_attr(attrs.bytes(header.attr_size - kIds), metadata.description.swapped);
    const format::Section section = take_section(attrs);
    const auto ids = read_section(input, section, EventTable::kMostIds * 8);
    std::vector<std::uint64_t> words;
    if (ids) Cursor(*ids, metadata.description.swapped).u64s(ids->size() / 8, words);
    if (!attr || !ids) return damaged_header(input, offset, "an event has an impossible size");
    if (!metadata.add_event(*attr, std::move(words)))
      return damaged_header(input, offset, "there are too many events or ids");
  }
  if (metadata.events.empty()) return damaged_header(input, 24, "there are no events");
  return {};
}

// Describes the tracepoints. Their formats are in a section with the lowest number,
// so its entry is the first one, at `at`.
void read_tracing_data(const Input& input, const FileHeader& header, std::uint64_t at,
                       Metadata& metadata) {
  constexpr std::size_t kSection = 16;
  if (!has(header, format::kFeatureTracingData) || !metadata.lacks_tracepoints()) return;
  const auto entry = read_section(input, {at, kSection}, kSection);
  if (!entry) return;
  Cursor cursor(*entry, metadata.description.swapped);
  if (const auto data = read_section(input, take_section(cursor), Metadata::kMostTracingData))
    metadata.add_tracing_data(*data);
}

// After the data there is a table of sections: one entry for each feature of the file.
void read_features(const Input& input, const FileHeader& header, Metadata& metadata,
                   std::uint64_t& damaged) {
  constexpr std::size_t kSection = 16;
  std::uint64_t at = header.data.offset + header.data.size;
  for (std::uint64_t feature = 0; feature < format::kFeatures; ++feature) {
    if (!has(header, feature)) continue;
    const auto entry = read_section(input, {at, kSection}, kSection);
    at += kSection;
    if (!wants_feature(feature)) continue;
    std::optional<std::vector<std::byte>> section;
    if (entry) {
      Cursor cursor(*entry, metadata.description.swapped);
      section = read_section(input, take_section(cursor), Metadata::kAllowance);
    }
    if (!section || !metadata.add_feature(feature, *section)) ++damaged;
  }
  read_tracing_data(input, header, header.data.offset + header.data.size, metadata);
}

// Whether the file has features, and no data before them. perf record writes the bits of the
// features before there are any, so the table itself has to be there: its first entry points behind
// it. The beginning of a record is no offset in a file, because its size is in the uppermost bits.
bool has_features_alone(const Input& input, const FileHeader& header, bool swapped) {
  constexpr std::uint64_t kEntry = 16;
  std::uint64_t entries = 0;
  for (const std::uint64_t word : header.features)
    entries += static_cast<std::uint64_t>(std::popcount(word));
  const auto first = read_section(input, {header.data.offset, kEntry}, kEntry);
  if (entries == 0 || !first) return false;
  Cursor cursor(*first, swapped);
  return take_section(cursor).offset == header.data.offset + entries * kEntry;
}

Result<Start> read_file_header(Input& input, Bytes bytes, Metadata& metadata) {
  FileHeader header;
  Cursor cursor(bytes, metadata.description.swapped);
  cursor.skip(16);
  header.attr_size = cursor.u64();
  header.attrs = take_section(cursor);
  header.data = take_section(cursor);
  header.event_types = take_section(cursor);
  if (cursor.left() > 0)
    for (std::uint64_t& word : header.features) word = cursor.u64();
  correct_feature_order(header);

  TACHO_TRY(read_attrs(input, header, metadata));
  Start start;
  const std::uint64_t size = *input.size();
  if (header.data.offset > size)
    return damaged_header(input, 40, fmt::format("data at byte {}", header.data.offset));
  // perf record writes the size of the data, and the features, only when it ends.
  metadata.description.unfinished =
      header.data.size == 0 && !has_features_alone(input, header, metadata.description.swapped);
  if (metadata.description.unfinished) header.data.size = size - header.data.offset;
  start.data_end = header.data.size > std::numeric_limits<std::uint64_t>::max() - header.data.offset
                       ? std::numeric_limits<std::uint64_t>::max()
                       : header.data.offset + header.data.size;
  if (!metadata.description.unfinished && *start.data_end <= size) {
    const auto types = read_section(input, header.event_types, Metadata::kAllowance);
    if (!types || !metadata.add_event_types(*types)) ++start.damaged_features;
    read_features(input, header, metadata, start.damaged_features);
  }
  input.seek(header.data.offset, std::min(*start.data_end, size));
  return start;
}

}  // namespace

Result<Start> read_header(Input& input, Metadata& metadata) {
  const Bytes head = input.peek(format::kPipeHeader);
  if (input.error()) return std::unexpected(*input.error());
  if (head.empty())
    return no_recording(input, "it has 0 bytes",
                        "if a recorder made it, it was ended before it wrote: record again");
  if (head.size() < format::kPipeHeader)
    return no_recording(input, fmt::format("it has {} bytes", head.size()));
  const std::optional<bool> swapped = is_swapped(head);
  if (!swapped) return no_recording(input, "it does not begin with PERFILE2");
  metadata.description.swapped = *swapped;

  const std::uint64_t size = Cursor(head.subspan(8), *swapped).u64();
  if (size == format::kPipeHeader) {
    metadata.description.pipe = true;
    input.take(format::kPipeHeader);
    return Start{};
  }
  if (size != format::kFileHeader && size != format::kHeaderWithoutFeatures)
    return damaged_header(input, 8, fmt::format("a header of {} bytes", size));
  if (!input.size())
    return failure(
        input.name() + " is a recording that can't be read as a stream",
        "give the file's name, or pipe the output of 'tacho record -o -' or 'perf record -o -'");
  const Bytes header = input.peek(static_cast<std::size_t>(size));
  if (header.size() < size)
    return damaged_header(input, header.size(), "the file ends in its header");
  return read_file_header(input, header, metadata);
}

bool begins_as_recording(const std::string& path) {
  std::array<std::byte, format::kPipeHeader> head{};  // the rest of a shorter file is 0
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return file && ::read(file.get(), head.data(), head.size()) >= 0 && is_swapped(head);
}

}  // namespace tacho::perfdata
