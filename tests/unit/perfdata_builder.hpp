// Builds recordings in perf's format byte by byte, in both byte orders, as files and as streams.
// The layout comes from perf_event_open(2) and perf.data-file-format.txt, not from the reader.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/reader.hpp"

namespace perf_format {

enum class Order { little, big };

// Appends numbers in one byte order to bytes.
class Packed {
 public:
  explicit Packed(Order order) : order_(order) {}
  Packed& u8(std::uint64_t value) { return number(value, 1); }
  Packed& u16(std::uint64_t value) { return number(value, 2); }
  Packed& u32(std::uint64_t value) { return number(value, 4); }
  Packed& u64(std::uint64_t value) { return number(value, 8); }
  Packed& u64s(const std::vector<std::uint64_t>& values) {
    for (const std::uint64_t value : values) u64(value);
    return *this;
  }
  Packed& bytes(std::string_view text) {
    text_ += text;
    return *this;
  }
  // The text with zero bytes (at least one) up to a multiple of 8.
  Packed& text(std::string_view text) {
    text_ += text;
    text_.append(8 - text.size() % 8, '\0');
    return *this;
  }
  // A string as in feature sections: its padded length, then the text.
  Packed& counted(std::string_view text) {
    return u32(text.size() + 8 - text.size() % 8).text(text);
  }
  // A C bit-field of one word: {value, width} of each member, from the first on.
  Packed& bit_field(const std::vector<std::pair<std::uint64_t, int>>& members) {
    std::uint64_t word = 0;
    int at = 0;
    for (const auto& [value, width] : members) {
      word |= value << (order_ == Order::little ? at : 64 - at - width);
      at += width;
    }
    return u64(word);
  }
  const std::string& str() const { return text_; }
  Order order() const { return order_; }

 private:
  Packed& number(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) {
      const int shift = 8 * (order_ == Order::little ? i : size - 1 - i);
      text_ += static_cast<char>(value >> shift & 255);
    }
    return *this;
  }

  Order order_;
  std::string text_;
};

struct Attr {
  std::uint32_t type = 0;
  std::uint32_t size = 136;
  std::uint64_t config = 0;
  std::uint64_t period = 1000;
  std::uint64_t sample_type = 0;
  std::uint64_t read_format = 0;
  bool exclude_user = false, exclude_kernel = false, frequency = false, sample_id_all = true;
  std::uint64_t precise = 0;
  std::uint64_t branch_sample_type = 0, registers = 0, interrupt_registers = 0;
  std::vector<std::uint64_t> ids = {};
  bool inherit = false;
};

inline std::string to_bytes(const Attr& attr, Order order) {
  Packed packed(order);
  packed.u32(attr.type).u32(attr.size).u64(attr.config).u64(attr.period);
  packed.u64(attr.sample_type).u64(attr.read_format);
  packed.bit_field({{0, 1},
                    {attr.inherit ? 1 : 0, 1},
                    {0, 2},
                    {attr.exclude_user ? 1 : 0, 1},
                    {attr.exclude_kernel ? 1 : 0, 1},
                    {0, 4},
                    {attr.frequency ? 1 : 0, 1},
                    {0, 4},
                    {attr.precise, 2},
                    {0, 1},
                    {attr.sample_id_all ? 1 : 0, 1}});
  packed.u64(0).u64(0x1111).u64(0x2222).u64(attr.branch_sample_type).u64(attr.registers);
  packed.u64(0).u64(attr.interrupt_registers).u64(0).u64(0).u64(0).u64(0x3333);
  std::string bytes = packed.str();
  bytes.resize(attr.size, '\0');
  return bytes;
}

// A record with this type, these misc bits and this body.
inline std::string record(Order order, std::uint32_t type, std::uint16_t misc,
                          std::string_view body) {
  return Packed(order).u32(type).u16(misc).u16(8 + body.size()).bytes(body).str();
}

inline constexpr std::uint64_t kHasHost = 3;  // HEADER_HOSTNAME: perf always writes it

// A file, in this order: header, ids of the events, events, data, feature sections.
inline std::string file(Order order, const std::vector<Attr>& attrs, std::string_view data,
                        std::map<std::uint64_t, std::string> features = {}) {
  features.try_emplace(kHasHost, Packed(order).counted("here").str());
  const std::size_t attr_size = attrs.front().size;
  std::string ids;
  std::string entries;
  std::size_t id_bytes = 0;
  for (const Attr& attr : attrs) id_bytes += attr.ids.size() * 8;
  for (const Attr& attr : attrs) {
    Packed section(order);
    section.u64(104 + ids.size()).u64(attr.ids.size() * 8);
    entries += to_bytes(attr, order) + section.str();
    ids += Packed(order).u64s(attr.ids).str();
  }
  const std::size_t data_at = 104 + ids.size() + entries.size();
  std::array<std::uint64_t, 4> flags{};
  for (const auto& [feature, section] : features) flags[feature / 64] |= 1ULL << feature % 64;

  Packed header(order);
  header.bytes(order == Order::little ? "PERFILE2" : "2ELIFREP").u64(104).u64(attr_size + 16);
  header.u64(104 + id_bytes).u64(entries.size()).u64(data_at).u64(data.size()).u64(0).u64(0);
  for (const std::uint64_t word : flags) header.u64(word);
  Packed table(order);
  std::string sections;
  const std::size_t sections_at = data_at + data.size() + 16 * features.size();
  for (const auto& [feature, section] : features) {
    table.u64(sections_at + sections.size()).u64(section.size());
    sections += section;
  }
  return header.str() + ids + entries + std::string(data) + table.str() + sections;
}

// A stream. Its events are records too.
inline std::string stream(Order order, const std::vector<Attr>& attrs, std::string_view data) {
  Packed header(order);
  header.bytes(order == Order::little ? "PERFILE2" : "2ELIFREP").u64(16);
  std::string all = header.str();
  for (const Attr& attr : attrs)
    all += record(order, 64, 0, to_bytes(attr, order) + Packed(order).u64s(attr.ids).str());
  return all + std::string(data);
}

// A recording in a temporary file, which the destructor removes.
class OnDisk {
 public:
  explicit OnDisk(std::string_view bytes) {
    const int made = ::mkstemp(path_.data());
    EXPECT_GE(made, 0);
    ::close(made);
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  OnDisk(const OnDisk&) = delete;
  OnDisk& operator=(const OnDisk&) = delete;
  ~OnDisk() { ::unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = testing::TempDir() + "recordingXXXXXX";
};

// A record from a reader, with copies of what its spans point to.
struct CopiedRecord {
  tacho::perfdata::Record record;
  std::vector<std::uint64_t> chain, registers;
  std::vector<tacho::perfdata::Branch> branches;
  std::vector<std::byte> stack;

  const tacho::perfdata::Sample& sample() const {
    return std::get<tacho::perfdata::Sample>(record.what);
  }
};

struct ReadBack {
  std::vector<CopiedRecord> records;
  tacho::perfdata::Description description;
  tacho::perfdata::Tally tally;
  std::string error;  // from opening or from reading
  std::string remedy;

  template <class T>
  std::vector<T> all() const {
    std::vector<T> found;
    for (const CopiedRecord& each : records)
      if (const auto* one = std::get_if<T>(&each.record.what)) found.push_back(*one);
    return found;
  }
};

inline ReadBack read_back(std::string_view bytes) {
  const OnDisk disk(bytes);
  ReadBack back;
  const auto note = [&](const tacho::Error& error) {
    back.error = error.what;
    back.remedy = error.remedy;
  };
  const auto reader = tacho::perfdata::Reader::open(disk.path());
  if (!reader) {
    note(reader.error());
    return back;
  }
  for (;;) {
    const auto next = (*reader)->next();
    if (!next) note(next.error());
    if (!next || *next == nullptr) break;
    CopiedRecord copy{**next, {}, {}, {}, {}};
    if (const auto* sample = std::get_if<tacho::perfdata::Sample>(&(*next)->what)) {
      copy.chain.assign(sample->chain.begin(), sample->chain.end());
      copy.registers.assign(sample->user_registers.begin(), sample->user_registers.end());
      copy.branches.assign(sample->branches.begin(), sample->branches.end());
      copy.stack.assign(sample->user_stack.begin(), sample->user_stack.end());
    }
    back.records.push_back(std::move(copy));
  }
  back.description = (*reader)->description();
  back.tally = (*reader)->tally();
  return back;
}

}  // namespace perf_format
