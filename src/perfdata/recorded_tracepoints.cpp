#include "perfdata/recorded_tracepoints.hpp"

#include <algorithm>
#include <ranges>
#include <string_view>
#include <utility>

#include "base/parse_number.hpp"

namespace tacho::perfdata {
namespace {

constexpr std::string_view kTracingMagic = "\x17\x08\x44tracing";

// A text that ends in a zero byte.
std::string_view take_text(Cursor& cursor) {
  const Bytes rest = cursor.rest();
  const auto end = std::ranges::find(rest, std::byte{0});
  if (end == rest.end()) {
    cursor.fail();
    return {};
  }
  return cursor.text(static_cast<std::uint64_t>(end - rest.begin()) + 1);
}

// The text after `key` up to the end of its line; empty if there is no such line.
std::string_view value_of(std::string_view format, std::string_view key) {
  const std::size_t at = format.find(key);
  if (at == format.npos) return {};
  format.remove_prefix(at + key.size());
  return format.substr(0, format.find('\n'));
}

std::string_view until_semicolon(std::string_view text) {
  return text.substr(0, text.find(';'));
}

// The beginning: magic, version, byte order and sizes of the recorded machine. Returns a cursor
// behind it, with this byte order.
Cursor behind_start(Bytes data) {
  Cursor start(data, false);
  const Bytes magic = start.bytes(kTracingMagic.size());
  if (!std::ranges::equal(magic, kTracingMagic, {}, {},
                          [](char c) { return static_cast<std::byte>(c); }))
    start.fail();
  take_text(start);  // version
  const bool big_endian = start.u8() != 0;
  Cursor cursor(start.rest(), big_endian == (std::endian::native == std::endian::little));
  cursor.skip(1 + 4);  // size of a long, size of a page
  if (!start.ok()) cursor.fail();
  return cursor;
}

// The files header_page and header_event, and the formats of ftrace's own events.
void skip_own_formats(Cursor& cursor) {
  for (int file = 0; file < 2; ++file) {
    take_text(cursor);
    cursor.skip(cursor.u64());
  }
  const std::uint32_t formats = cursor.u32();
  for (std::uint32_t i = 0; i < formats && cursor.ok(); ++i) cursor.skip(cursor.u64());
}

}  // namespace

std::map<std::uint64_t, RecordedTracepoint> recorded_tracepoints(Bytes data) {
  std::map<std::uint64_t, RecordedTracepoint> found;
  Cursor cursor = behind_start(data);
  skip_own_formats(cursor);
  const std::uint32_t systems = cursor.u32();
  for (std::uint32_t i = 0; i < systems && cursor.ok(); ++i) {
    const std::string_view system = take_text(cursor);
    const std::uint32_t events = cursor.u32();
    for (std::uint32_t j = 0; j < events && cursor.ok(); ++j) {
      const std::string_view format = cursor.text(cursor.u64());
      const std::string_view id = value_of(format, "ID: ");
      if (const auto number = parse_number<std::uint64_t>(id))
        found.try_emplace(*number, RecordedTracepoint{system, value_of(format, "name: "), format});
    }
  }
  return found;
}

// A line of the format is "field:pid_t pid; offset:24; size:4; signed:1;", with tabs between.
std::optional<TracepointField> tracepoint_field(std::string_view format, std::string_view name) {
  for (const auto each : std::views::split(format, '\n')) {
    const std::string_view line(each.begin(), each.end());
    const std::string_view declared = until_semicolon(value_of(line, "field:"));
    if (!declared.ends_with(name) || declared.size() == name.size()) continue;
    if (declared[declared.size() - name.size() - 1] != ' ') continue;
    const auto offset = parse_number<std::size_t>(until_semicolon(value_of(line, "offset:")));
    const auto size = parse_number<std::size_t>(until_semicolon(value_of(line, "size:")));
    if (offset && size) return TracepointField{*offset, *size};
  }
  return std::nullopt;
}

}  // namespace tacho::perfdata
