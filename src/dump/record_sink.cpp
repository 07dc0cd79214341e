#include "dump/record_sink.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_layout.hpp"
#include "dump/append.hpp"
#include "dump/dumped_name.hpp"

namespace tacho {
namespace {

std::string hexadecimal(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte each : bytes) {
    text += kDigits[std::to_integer<std::size_t>(each >> 4)];
    text += kDigits[std::to_integer<std::size_t>(each & std::byte{15})];
  }
  return text;
}

}  // namespace

void RecordTextSink::begin(std::uint64_t offset, std::size_t size, std::uint32_t /*type*/,
                           std::string_view type_name, std::uint16_t misc) {
  constexpr std::size_t kOffsetWidth = 10, kSizeWidth = 6, kTypeWidth = 16;
  append_right(out_, fmt::format("0x{:x}", offset), kOffsetWidth);
  append_decimal(out_, size, kSizeWidth);
  out_ += ' ';
  append_left(out_, type_name, kTypeWidth);
  if (misc != 0) hex("misc", misc);
}

void RecordTextSink::name(std::string_view name) {
  out_ += ' ';
  out_ += name;
  out_ += ' ';
}

void RecordTextSink::number(std::string_view name, std::uint64_t value) {
  this->name(name);
  append_decimal(out_, value);
}

void RecordTextSink::signed_number(std::string_view name, std::int64_t value) {
  this->name(name);
  append_decimal(out_, value);
}

void RecordTextSink::hex(std::string_view name, std::uint64_t value) {
  this->name(name);
  out_ += "0x";
  append_hex(out_, value);
}

void RecordTextSink::words(std::string_view name, std::span<const std::uint64_t> values) {
  this->name(name);
  out_ += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    out_ += i == 0 ? "0x" : " 0x";
    append_hex(out_, values[i]);
  }
  out_ += ']';
}

void RecordTextSink::text(std::string_view name, std::string_view value) {
  this->name(name);
  out_ += '"';
  out_ += escaped(value);
  out_ += '"';
}

// A stack has thousands of bytes: their number and the first few show a fault of the format.
void RecordTextSink::bytes(std::string_view name, std::span<const std::byte> value) {
  constexpr std::size_t kShown = 16;
  this->name(name);
  append_decimal(out_, value.size());
  out_ += value.size() == 1 ? " byte" : " bytes";
  if (value.empty()) return;
  out_ += " (" + hexadecimal(value.first(std::min(kShown, value.size())));
  out_ += value.size() > kShown ? "…)" : ")";
}

void RecordJsonSink::begin(std::uint64_t offset, std::size_t size, std::uint32_t type,
                           std::string_view type_name, std::uint16_t misc) {
  json_ = JsonWriter(out_);
  json_.begin_object();
  json_.number("offset", offset);
  json_.number("size", size);
  json_.number("type", type);
  text("record", type_name);
  json_.number("misc", misc);
  json_.begin_object("fields");
}

void RecordJsonSink::words(std::string_view name, std::span<const std::uint64_t> values) {
  json_.begin_list(name);
  for (const std::uint64_t value : values) json_.hex_element(value);
  json_.end_list();
}

void RecordJsonSink::text(std::string_view name, std::string_view value) {
  json_.literal(name, dumped_name(value).json);
}

void RecordJsonSink::bytes(std::string_view name, std::span<const std::byte> value) {
  json_.literal(name, '"' + hexadecimal(value) + '"');
}

void RecordJsonSink::end() {
  json_.end_object();
  json_.end_object();
  out_ += '\n';
}

}  // namespace tacho
