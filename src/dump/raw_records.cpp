#include "dump/raw_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>
#include <vector>

#include "dump/record_layouts.hpp"
#include "dump/register_names.hpp"
#include "perfdata/attr.hpp"
#include "perfdata/cursor.hpp"
#include "perfdata/format_constants.hpp"
#include "perfdata/non_sample_records.hpp"

namespace tacho {
namespace {

namespace format = perfdata::format;
using perfdata::Bytes;
using perfdata::Cursor;

// Bytes of the trailer of a kernel's record other than a sample (sample_id_all).
std::size_t trailer_of(const perfdata::RecordedEvent& event) {
  if (!event.sample_id_all) return 0;
  constexpr std::uint64_t kTrailer = format::kTid | format::kTime | format::kId |
                                     format::kStreamId | format::kCpu | format::kIdentifier;
  return format::kWord * static_cast<std::size_t>(std::popcount(event.sample_type & kTrailer));
}

void write_trailer(Cursor trailer, const perfdata::RecordedEvent& event, RecordSink& sink) {
  const auto has = [&](format::SampleBit bit) { return (event.sample_type & bit) != 0; };
  if (has(format::kTid)) {
    sink.signed_number("sample_pid", trailer.i32());
    sink.signed_number("sample_tid", trailer.i32());
  }
  if (has(format::kTime)) sink.number("time_ns", trailer.u64());
  if (has(format::kId)) sink.number("sample_id", trailer.u64());
  if (has(format::kStreamId)) sink.number("sample_stream_id", trailer.u64());
  if (has(format::kCpu)) {
    sink.number("cpu", trailer.u32());
    trailer.skip(4);  // reserved
  }
  if (has(format::kIdentifier)) sink.number("identifier", trailer.u64());
}

std::vector<std::uint64_t> words_left(Cursor& cursor) {
  std::vector<std::uint64_t> words;
  cursor.u64s(cursor.left() / format::kWord, words);
  return words;
}

void write_build_id(Cursor& cursor, std::string_view name, RecordSink& sink) {
  constexpr std::uint64_t kMost = 20, kPadding = 3;  // bytes: SHA-1
  const Bytes bytes = cursor.bytes(kMost);
  const std::size_t size = cursor.u8();
  cursor.skip(kPadding);
  if (cursor.ok())
    sink.text(name, perfdata::to_build_id(bytes, size == 0 ? bytes.size() : size).hex());
}

// The device and the inode of a mapped file, or its build ID, which MMAP2 begins with its size.
void write_file(Cursor& cursor, std::uint16_t misc, RecordSink& sink) {
  constexpr std::uint64_t kSize = 24;  // bytes
  Cursor file(cursor.bytes(kSize), cursor.swapped());
  if (!cursor.ok()) return;
  if ((misc & format::kMmapBuildId) != 0) {
    const std::size_t size = file.u8();
    file.skip(3);
    sink.text("build_id", perfdata::to_build_id(file.rest(), size).hex());
    return;
  }
  sink.number("device_major", file.u32());
  sink.number("device_minor", file.u32());
  sink.number("inode", file.u64());
  sink.number("inode_generation", file.u64());
}

// Writes one number, if the record has it.
template <class Number>
void write_number(Cursor& cursor, std::string_view name, Number (Cursor::*take)(),
                  RecordSink& sink) {
  const Number value = (cursor.*take)();
  if (!cursor.ok()) return;
  if constexpr (std::is_signed_v<Number>)
    sink.signed_number(name, value);
  else
    sink.number(name, value);
}

void write_field(Cursor& cursor, const RecordField& field, std::uint16_t misc, RecordSink& sink) {
  switch (field.form) {
    case FieldForm::i32:
      return write_number(cursor, field.name, &Cursor::i32, sink);
    case FieldForm::u8:
      return write_number(cursor, field.name, &Cursor::u8, sink);
    case FieldForm::u16:
      return write_number(cursor, field.name, &Cursor::u16, sink);
    case FieldForm::u32:
      return write_number(cursor, field.name, &Cursor::u32, sink);
    case FieldForm::u64:
      return write_number(cursor, field.name, &Cursor::u64, sink);
    case FieldForm::hex64:
      if (const std::uint64_t value = cursor.u64(); cursor.ok()) sink.hex(field.name, value);
      return;
    case FieldForm::text:
      return sink.text(field.name, cursor.text(cursor.left()));
    case FieldForm::build_id:
      return write_build_id(cursor, field.name, sink);
    case FieldForm::file_or_build_id:
      return write_file(cursor, misc, sink);
    case FieldForm::words:
      return sink.words(field.name, words_left(cursor));
    case FieldForm::bytes:
      return sink.bytes(field.name, cursor.bytes(cursor.left()));
  }
}

// Says what does not fit: a record that ends within a field, or bytes behind the last one.
void write_end(const Cursor& cursor, RecordSink& sink) {
  if (!cursor.ok())
    sink.text("cut", "the record ends before this field");
  else if (cursor.left() > 0)
    sink.bytes("rest", cursor.rest());
}

void write_attr(Cursor cursor, RecordSink& sink) {
  const auto attr = perfdata::parse_attr(cursor.rest(), cursor.swapped());
  if (!attr) return sink.text("cut", "the size of the attributes is impossible");
  const perfdata::RecordedEvent& event = attr->event;
  sink.number("attr_size", attr->size);
  sink.number("event_type", event.type);
  sink.hex("config", event.config);
  sink.number(event.frequency > 0 ? "frequency" : "period",
              event.frequency > 0 ? event.frequency : event.period);
  sink.hex("sample_type", event.sample_type);
  sink.hex("read_format", event.read_format);
  if (event.branch_sample_type != 0) sink.hex("branch_sample_type", event.branch_sample_type);
  cursor.skip(attr->size);
  sink.words("ids", words_left(cursor));
  write_end(cursor, sink);
}

void write_branches(std::span<const perfdata::Branch> branches, RecordSink& sink) {
  std::vector<std::uint64_t> ends;
  for (const perfdata::Branch& branch : branches) {
    ends.push_back(branch.from);
    ends.push_back(branch.to);
  }
  sink.words("branches_from_to", ends);
}

}  // namespace

std::string record_type_name(std::uint32_t type) {
  const RecordLayout* layout = find_record_layout(type);
  return layout == nullptr ? fmt::format("type {}", type) : std::string(layout->name);
}

void RawRecordDump::write_details(RecordSink& sink) const {
  const auto number = [&](std::string_view name, const auto& value) {
    if (value) sink.number(name, *value);
  };
  const auto hex = [&](std::string_view name, const auto& value) {
    if (value) sink.hex(name, *value);
  };
  number("identifier", details_.identifier);
  hex("address", details_.address);
  number("id", details_.id);
  number("stream_id", details_.stream_id);
  number("cpu", details_.cpu);
  number("time_enabled", details_.time_enabled);
  number("time_running", details_.time_running);
  std::vector<std::uint64_t> counters;
  for (const perfdata::CounterValue& counter : details_.counters) counters.push_back(counter.value);
  if (!counters.empty()) sink.words("counters", counters);
  if (!details_.raw.empty()) sink.bytes("raw", details_.raw);
  number("weight", details_.weight);
  number("instruction_latency", details_.instruction_latency);
  number("retire_latency", details_.third_weight);
  hex("data_source", details_.data_source);
  hex("transaction", details_.transaction);
  if (!details_.interrupt_registers.empty())
    sink.words("interrupt_registers", details_.interrupt_registers);
  hex("physical_address", details_.physical_address);
  number("cgroup", details_.cgroup);
  number("data_page_size", details_.data_page_size);
  number("code_page_size", details_.code_page_size);
  if (!details_.aux.empty()) sink.bytes("aux", details_.aux);
}

void RawRecordDump::write_sample(const perfdata::RawRecord& record, RecordSink& sink) {
  const Bytes body = record.bytes.subspan(format::kRecordHeader);
  if (!record.event) {
    sink.text("cut", "no event of the recording has its id");
    return sink.bytes("content", body);
  }
  const perfdata::RecordedEvent& event = recording_.events[*record.event];
  perfdata::Attr attr;
  attr.event = event;
  attr.user_registers = event.user_registers;
  attr.interrupt_registers = event.interrupt_registers;
  perfdata::Sample sample;
  const bool whole =
      parser_.parse(body, record.misc, perfdata::SampleLayout(attr), recording_.swapped, sample) &&
      perfdata::read_sample_details(body, event, recording_.swapped, details_);
  if (!whole) {
    sink.text("cut", "a field ends after the end of the record");
    return sink.bytes("content", body);
  }
  sink.text("event", event.name);
  if (sample.ip) sink.hex("ip", *sample.ip);
  if (sample.pid) sink.signed_number("pid", *sample.pid);
  if (sample.tid) sink.signed_number("tid", *sample.tid);
  if (sample.time_ns) sink.number("time_ns", *sample.time_ns);
  if (sample.period) sink.number("period", *sample.period);
  write_details(sink);
  if ((event.sample_type & format::kCallchain) != 0) sink.words("chain", sample.chain);
  if ((event.sample_type & format::kBranchStack) != 0) write_branches(sample.branches, sink);
  if (!sample.user_registers.empty()) sink.words("user_registers", sample.user_registers);
  if (!sample.user_stack.empty()) sink.bytes("user_stack", sample.user_stack);
}

void RawRecordDump::write_by_layout(const RecordLayout& layout, const perfdata::RawRecord& record,
                                    RecordSink& sink) const {
  const Bytes all = record.bytes.subspan(format::kRecordHeader);
  const perfdata::RecordedEvent* event = record.event ? &recording_.events[*record.event] : nullptr;
  std::size_t trailer = event == nullptr ? 0 : trailer_of(*event);
  if (trailer > all.size()) trailer = 0;
  Cursor body(all.first(all.size() - trailer), recording_.swapped);
  for (const RecordField& field : layout.fields)
    if (body.ok()) write_field(body, field, record.misc, sink);
  write_end(body, sink);
  if (trailer > 0) write_trailer(Cursor(all.last(trailer), recording_.swapped), *event, sink);
}

void RawRecordDump::write(const perfdata::RawRecord& record, RecordSink& sink) {
  sink.begin(record.offset, record.bytes.size(), record.type, record_type_name(record.type),
             record.misc);
  const Cursor body(record.bytes.subspan(format::kRecordHeader), recording_.swapped);
  const RecordLayout* layout = find_record_layout(record.type);
  if (record.type == format::kSample)
    write_sample(record, sink);
  else if (record.type == format::kHeaderAttr)
    write_attr(body, sink);
  else if (layout != nullptr)
    write_by_layout(*layout, record, sink);
  else
    write_end(body, sink);
  sink.end();
}

}  // namespace tacho
