#include "dump/dump.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <tuple>
#include <utility>

#include "dump/header.hpp"
#include "dump/raw_records.hpp"
#include "dump/record_sink.hpp"
#include "perfdata/reader.hpp"

namespace tacho {
namespace {

// Collects text and writes it in large pieces.
class DumpText {
 public:
  explicit DumpText(Output& output) : output_(output) {}

  std::string& text() { return text_; }
  void flush_if_large() {
    constexpr std::size_t kLarge = std::size_t{256} << 10;  // bytes
    if (text_.size() >= kLarge) flush();
  }
  void flush() {
    if (auto written = output_.write(text_); !written && !error_) error_ = written.error();
    text_.clear();
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  Output& output_;
  std::string text_;
  std::optional<Error> error_;
};

std::string header_of(const perfdata::Description& recording, bool json) {
  return json ? header_json(recording) : header_text(recording);
}

// Writes all records as they are. The header of a stream is known only at its end.
ReadThrough dump_records(perfdata::Reader& reader, const DumpOptions& options, DumpText& out) {
  const perfdata::Description& recording = reader.description();
  RawRecordDump records(recording);
  RecordTextSink text(out.text());
  RecordJsonSink json(out.text());
  RecordSink& sink = options.samples.json ? static_cast<RecordSink&>(json) : text;
  if (options.header && !recording.pipe) out.text() += header_of(recording, options.samples.json);
  reader.watch([&](const perfdata::RawRecord& record) {
    records.write(record, sink);
    out.flush_if_large();
  });
  ReadThrough read = read_through(reader, [](const perfdata::Record&) {});
  if (options.header && recording.pipe) out.text() += header_of(recording, options.samples.json);
  return read;
}

// Writes the samples in the order of their times. A stream describes itself before its first
// sample.
Result<ReadThrough> dump_samples(perfdata::Reader& reader, const RecordingInput& input,
                                 const DumpOptions& options, DumpText& out,
                                 std::vector<std::string>& warnings) {
  const perfdata::Description& recording = reader.description();
  if (!recording.pipe) {
    TACHO_TRY(check_fields(options.samples.fields, recording.events));
    for (const std::string& event : options.samples.events)
      std::ignore = TACHO_TRY(named_event(event, recording));
  }
  SampleFilter filter = TACHO_TRY(sample_filter(input, recording));
  SampleDump samples(recording, symbol_sources(input), options.samples);
  bool header_is_due = options.header;
  ReadThrough read = read_through(reader, [&](const perfdata::Record& record) {
    const bool is_sample = std::holds_alternative<perfdata::Sample>(record.what);
    if (!filter.keeps(record, recording) && is_sample) return;
    if (header_is_due && is_sample) {
      out.text() += header_of(recording, options.samples.json);
      header_is_due = false;
    }
    samples.add(record, out.text());
    out.flush_if_large();
  });
  if (header_is_due) out.text() += header_of(recording, options.samples.json);
  out.flush();
  warnings = samples.warnings();
  if (!read.damage) TACHO_TRY(filter.check());
  if (recording.pipe && !read.damage) {
    TACHO_TRY(check_fields(options.samples.fields, recording.events));
    for (const std::string& event : options.samples.events)
      std::ignore = TACHO_TRY(named_event(event, recording));
  }
  return read;
}

}  // namespace

Result<void> dump(const RecordingInput& input, const DumpOptions& options, Output& output,
                  std::vector<std::string>& warnings) {
  const auto reader = TACHO_TRY(open_recording(input));
  DumpText out(output);
  ReadThrough read;
  if (options.raw)
    read = dump_records(*reader, options, out);
  else
    read = TACHO_TRY(dump_samples(*reader, input, options, out, warnings));
  out.flush();
  if (out.error()) return std::unexpected(*out.error());
  // The damage, which comes first, is the error.
  if (read.damage) read.warnings.erase(read.warnings.begin());
  warnings.insert(warnings.begin(), read.warnings.begin(), read.warnings.end());
  if (read.damage) return std::unexpected(*read.damage);
  return {};
}

}  // namespace tacho
