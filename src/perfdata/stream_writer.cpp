#include "perfdata/stream_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/byte_writer.hpp"
#include "base/file.hpp"
#include "perfdata/format_constants.hpp"
#include "perfdata/tracing_data.hpp"

namespace tacho::perfdata {
namespace {

constexpr std::size_t kLongestRecord = std::numeric_limits<std::uint16_t>::max();

// A record of perf's own with this body; empty if the body is too long for a record.
std::vector<std::byte> own_record(std::uint32_t type, std::span<const std::byte> body) {
  const std::size_t size = format::kRecordHeader + body.size();
  if (size > kLongestRecord) return {};
  ByteWriter out;
  out.add(type);
  out.add(std::uint16_t{0});
  out.add(static_cast<std::uint16_t>(size));
  out.add_bytes(body);
  return out.take();
}

std::vector<std::byte> event_record(const WrittenEvent& event) {
  ByteWriter body;
  body.add_bytes(event.attributes);
  for (const std::uint64_t id : event.ids) body.add(id);
  return own_record(format::kHeaderAttr, body.bytes());
}

std::vector<std::byte> feature_record(const FeatureSection& feature) {
  ByteWriter body;
  body.add(std::uint64_t{feature.bit});
  body.add_bytes(feature.bytes);
  return own_record(format::kFeature, body.bytes());
}

// The records of a section. A stream has records of their own for build IDs and for the formats of
// tracepoints. A section that is too long for a record is left out.
std::vector<std::byte> records_of(const FeatureSection& feature) {
  switch (feature.bit) {
    case format::kFeatureBuildId:
      return feature.bytes;  // these are records
    case format::kFeatureTracingData:
      return as_stream_record(feature.bytes);
    case format::kFeatureBranchStack:
      return {};  // the events' attributes say it
    default:
      return feature_record(feature);
  }
}

}  // namespace

void StreamWriter::set_preliminary_features(const Description& description,
                                            std::span<const WrittenEvent> events) {
  features_ = encode_features(description, events);
}

Result<void> StreamWriter::start(std::span<const WrittenEvent> events) {
  ByteWriter out;
  out.add_bytes(std::as_bytes(std::span(std::string_view("PERFILE2"))));
  out.add(std::uint64_t{format::kPipeHeader});
  for (const WrittenEvent& event : events) {
    const std::vector<std::byte> record = event_record(event);
    if (record.empty())
      return state_ = failure(fmt::format("a stream cannot describe {} on {} threads and CPUs",
                                          event.name, event.ids.size()),
                              "write a file: -o FILE");
    out.add_bytes(record);
  }
  for (const FeatureSection& feature : features_) out.add_bytes(records_of(feature));
  return write(out.bytes());
}

Result<void> StreamWriter::append(std::span<const std::span<const std::byte>> pieces) {
  for (const auto& piece : pieces) {
    TACHO_TRY(write(piece));
    appended_ += piece.size();
  }
  return {};
}

Result<void> StreamWriter::finish(const Description& description,
                                  std::span<const WrittenEvent> events) {
  ByteWriter out;
  for (const FeatureSection& feature : encode_features(description, events)) {
    const bool written = std::ranges::any_of(features_, [&](const FeatureSection& each) {
      return each.bit == feature.bit && each.bytes == feature.bytes;
    });
    if (!written) out.add_bytes(records_of(feature));
  }
  return write(out.bytes());
}

Result<void> StreamWriter::write(std::span<const std::byte> bytes) {
  if (!state_) return state_;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  state_ = tacho::write_all(stream_.get(), text, name_);
  if (state_) size_ += bytes.size();
  return state_;
}

}  // namespace tacho::perfdata
