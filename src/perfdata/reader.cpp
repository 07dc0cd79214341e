#include "perfdata/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/decompressor.hpp"
#include "perfdata/expand.hpp"
#include "perfdata/format_constants.hpp"
#include "perfdata/group_counts.hpp"
#include "perfdata/header.hpp"
#include "perfdata/input.hpp"
#include "perfdata/metadata.hpp"
#include "perfdata/non_sample_records.hpp"
#include "perfdata/sample.hpp"
#include "perfdata/time_queue.hpp"

namespace tacho::perfdata {
namespace {

// A record as the recording has it, with its header.
struct Raw {
  std::uint32_t type = 0;
  std::uint16_t misc = 0;
  Bytes bytes;
  std::uint64_t offset = 0;
  bool was_compressed = false;
  Bytes body() const { return bytes.subspan(format::kRecordHeader); }
};

// Bytes of zstd for all files of a directory together: a window of zstd's highest level takes 128
// MiB, and its buffers 1. They can have more for each byte of the files and for each byte that was
// decompressed. A file that is longer than its queue needs 1 MB when 0.4 MB were decompressed.
constexpr std::uint64_t kAllWindows = std::uint64_t{130} << 20;
constexpr std::uint64_t kMoreForEachByte = 3;

std::string samples_before_damage(std::uint64_t samples) {
  if (samples == 0) return "there are no samples before it";
  if (samples == 1) return "the sample before it is shown";
  return fmt::format("the {} samples before it are shown", samples);
}

// What the files of a directory have together.
struct Shared {
  Metadata metadata;
  Expansion expansion;  // of compressed files and records
  std::shared_ptr<Decompressor::Memory> memory =
      std::make_shared<Decompressor::Memory>(kAllWindows);
};

class RecordingReader : public Reader {
 public:
  RecordingReader(Input input, std::size_t queue_bytes, std::shared_ptr<Shared> shared)
      : input_(std::move(input)),
        shared_(std::move(shared)),
        metadata_(shared_->metadata),
        decompressor_(shared_->memory),
        queue_(queue_bytes) {}

  Result<void> begin() {
    const Start start = TACHO_TRY(read_header(input_, metadata_));
    data_end_ = start.data_end;
    tally_.damaged_features = start.damaged_features;
    return {};
  }

  // For an input that has only records: another one describes them.
  void begin_records() { data_end_ = input_.size(); }

  Result<const Record*> next() override;
  void watch(std::function<void(const RawRecord&)> watcher) override {
    watcher_ = std::move(watcher);
  }
  const Description& description() const override { return metadata_.description; }
  const Tally& tally() const override { return tally_; }

 private:
  struct Handler {
    std::uint32_t type;
    void (RecordingReader::*handle)(const Raw& raw);
  };
  static const std::array<Handler, 10> kHandlers;

  bool swapped() const { return metadata_.description.swapped; }
  void set(Raw& raw, Bytes record, std::uint64_t offset, bool was_compressed) const;
  template <class Source>
  bool take(Source& source, std::uint64_t offset, bool compressed, Raw& raw);
  bool take_next(Raw& raw);
  void end_of_input();
  bool receive(const Raw& raw);
  void show_watcher(const Raw& raw) const;
  bool yield(const Raw& raw);
  bool yield_sample(const Raw& raw);
  void divide_sample(const SampleLayout& layout);
  bool yield_part();
  bool yield_other(const Raw& raw, const NonSampleRecord& kind);
  std::uint64_t time_of(const Raw& raw) const;  // 0 if the record has no time
  void stop(std::uint64_t offset, std::string_view reason);
  void give_up(std::string why);
  void demand(bool good, const Raw& raw);

  void take_attr(const Raw& raw) { demand(metadata_.add_attr_record(raw.bytes), raw); }
  void take_build_id(const Raw& raw) { note(metadata_.add_build_id_record(raw.bytes)); }
  void take_event_type(const Raw& raw) { note(metadata_.add_event_type_record(raw.bytes)); }
  void take_update(const Raw& raw) { note(metadata_.add_update_record(raw.bytes)); }
  void take_feature(const Raw& raw) { note(metadata_.add_feature_record(raw.bytes)); }
  void note(bool good) { tally_.damaged_features += good ? 0 : 1; }
  void take_tracing_data(const Raw& raw);
  void skip_auxtrace(const Raw& raw);
  void skip_behind(const Raw& raw, std::uint64_t size);
  void end_round(const Raw&) { queue_.end_round(); }
  void take_compressed(const Raw& raw);
  void take_compressed2(const Raw& raw);
  void decompress(Bytes data, const Raw& raw);

  Input input_;
  std::shared_ptr<Shared> shared_;
  Metadata& metadata_;
  Tally tally_;
  std::optional<std::uint64_t> data_end_;
  Decompressor decompressor_;
  std::uint64_t compressed_offset_ = 0;  // of the record that is being decompressed
  TimeQueue queue_;
  SampleParser samples_;
  GroupCounts counts_;
  struct Part {
    std::size_t event = 0;
    std::uint64_t period = 0;
  };
  std::vector<Part> parts_;  // of the sample in record_ that are not yet yielded; the next one last
  Record record_;
  std::uint64_t last_time_ = 0;
  bool ended_ = false;
  std::function<void(const RawRecord&)> watcher_;
  std::optional<std::string> damage_;  // why reading stopped before the end of the recording
};

// perf's own records, which describe how to read the others.
constexpr std::array<RecordingReader::Handler, 10> RecordingReader::kHandlers = {{
    {format::kHeaderAttr, &RecordingReader::take_attr},
    {format::kEventType, &RecordingReader::take_event_type},
    {format::kTracingData, &RecordingReader::take_tracing_data},
    {format::kBuildId, &RecordingReader::take_build_id},
    {format::kFinishedRound, &RecordingReader::end_round},
    {format::kAuxtrace, &RecordingReader::skip_auxtrace},
    {format::kEventUpdate, &RecordingReader::take_update},
    {format::kFeature, &RecordingReader::take_feature},
    {format::kCompressed, &RecordingReader::take_compressed},
    {format::kCompressed2, &RecordingReader::take_compressed2},
}};

void RecordingReader::stop(std::uint64_t offset, std::string_view reason) {
  give_up(fmt::format("{} is damaged at byte {}: {}", input_.name(), offset, reason));
}

void RecordingReader::give_up(std::string why) {
  if (!damage_) damage_ = std::move(why);
}

void RecordingReader::demand(bool good, const Raw& raw) {
  if (!good) stop(raw.offset, fmt::format("a record of type {} has an impossible size", raw.type));
}

// Fills `raw` in place. Returning it by value would copy, in larger pieces, what was just written
// in smaller ones: that halves the speed.
void RecordingReader::set(Raw& raw, Bytes record, std::uint64_t offset, bool was_compressed) const {
  Cursor cursor(record, swapped());
  raw.type = cursor.u32();
  raw.misc = cursor.u16();
  raw.bytes = record;
  raw.offset = offset;
  raw.was_compressed = was_compressed;
}

// Takes the next record from the input or from the decompressor. Returns false if it is not whole.
template <class Source>
bool RecordingReader::take(Source& source, std::uint64_t offset, bool compressed, Raw& raw) {
  const Bytes head = source.peek(format::kRecordHeader);
  if (head.size() < format::kRecordHeader) return false;
  const std::size_t size = Cursor(head.subspan(6), swapped()).u16();
  if (size < format::kRecordHeader) {
    stop(offset, fmt::format("a record of {} bytes", size));
    return false;
  }
  const Bytes whole = source.peek(size);
  if (whole.size() < size) return false;
  source.take(size);
  set(raw, whole, offset, compressed);
  return true;
}

bool RecordingReader::take_next(Raw& raw) {
  if (!decompressor_.empty()) {
    if (take(decompressor_, compressed_offset_, true, raw)) {
      shared_->expansion.unpacked += raw.bytes.size();
      shared_->memory->allowed += kMoreForEachByte * raw.bytes.size();
      if (!shared_->expansion.is_too_much()) return true;
      stop(compressed_offset_, fmt::format("its compressed records expand to more than {} times "
                                           "their size",
                                           kMostExpansion));
    }
    if (!decompressor_.damage().empty()) stop(compressed_offset_, decompressor_.damage());
    if (damage_) return false;
  }
  if (take(input_, input_.offset(), false, raw)) return true;
  end_of_input();
  return false;
}

void RecordingReader::end_of_input() {
  const std::size_t left = input_.peek(format::kRecordHeader).size();
  if (input_.error()) return give_up(input_.error()->what);
  if (left > 0) return stop(input_.offset(), "it ends in the middle of a record");
  if (data_end_ && input_.offset() < *data_end_)
    return stop(input_.offset(),
                fmt::format("it ends {} bytes before its data do", *data_end_ - input_.offset()));
  if (decompressor_.left() > 0)
    return stop(compressed_offset_, "the compressed data end in the middle of a record");
  if (metadata_.events.empty())
    stop(input_.offset(), "it ends without a description of its events");
}

std::uint64_t RecordingReader::time_of(const Raw& raw) const {
  const bool sample = raw.type == format::kSample;
  const auto event = metadata_.events.time_layout(raw.body(), sample, swapped());
  if (!event) return 0;
  const SampleLayout& layout = metadata_.events.layout(*event);
  return (sample ? layout.time_of_sample(raw.body(), swapped())
                 : layout.time_of_other(raw.body(), swapped()))
      .value_or(0);
}

void RecordingReader::show_watcher(const Raw& raw) const {
  RawRecord record{raw.type, raw.misc, raw.bytes, raw.offset, raw.was_compressed, std::nullopt};
  if (raw.type == format::kSample)
    record.event = metadata_.events.event_of_sample(raw.body(), swapped());
  else if (raw.type < format::kHeaderAttr)
    record.event = metadata_.events.event_of_other(raw.body(), swapped());
  watcher_(record);
}

// Handles a record, or queues it by its time. Returns true if record_ is to be yielded at once.
bool RecordingReader::receive(const Raw& raw) {
  ++tally_.records;
  if (watcher_) show_watcher(raw);
  const NonSampleRecord* kind = nullptr;
  if (raw.type != format::kSample) {
    for (const Handler& handler : kHandlers)
      if (handler.type == raw.type) {
        (this->*handler.handle)(raw);
        return false;
      }
    kind = find_non_sample_record(raw.type);
    if (kind == nullptr) {
      const bool known = raw.type <= format::kLastOfKernel ||
                         (raw.type >= format::kHeaderAttr && raw.type <= format::kLastOfPerf);
      auto& count_by_type = known ? tally_.skipped : tally_.unknown;
      ++count_by_type[raw.type];
      return false;
    }
  }
  // Records that perf itself adds (processes that ran before the recording) have no time or time 0.
  // They come first.
  const std::uint64_t time = time_of(raw);
  if (time == 0 || time == std::numeric_limits<std::uint64_t>::max()) return yield(raw);
  queue_.add(time, raw.bytes, raw.offset);
  return false;
}

bool RecordingReader::yield(const Raw& raw) {
  const bool whole = raw.type == format::kSample
                         ? yield_sample(raw)
                         : yield_other(raw, *find_non_sample_record(raw.type));
  if (!whole) return false;
  record_.offset = raw.offset;
  record_.body = raw.body();
  if (record_.time_ns && *record_.time_ns != 0) {
    if (*record_.time_ns < last_time_) ++tally_.out_of_order;
    last_time_ = std::max(last_time_, *record_.time_ns);
  }
  return true;
}

bool RecordingReader::yield_sample(const Raw& raw) {
  const auto event = metadata_.events.event_of_sample(raw.body(), swapped());
  if (!event) {
    ++tally_.no_event;
    return false;
  }
  Sample& sample = record_.what.emplace<Sample>();
  sample.event = *event;
  if (!samples_.parse(raw.body(), raw.misc, metadata_.events.layout(*event), swapped(), sample)) {
    ++tally_.unparsed;
    return false;
  }
  record_.time_ns.reset();
  if (sample.time_ns) record_.time_ns.emplace(*sample.time_ns);
  const SampleLayout& layout = metadata_.events.layout(*event);
  if (layout.has_readings) {
    divide_sample(layout);
    return yield_part();
  }
  ++tally_.samples;
  return true;
}

// Finds for which events the sample in record_ stands: those that have counted since the last one.
void RecordingReader::divide_sample(const SampleLayout& layout) {
  const Sample& sample = std::get<Sample>(record_.what);
  const std::int32_t tid = layout.counts_each_thread ? sample.tid.value_or(-1) : -1;
  parts_.clear();
  for (const Reading& reading : samples_.readings()) {
    const auto event = metadata_.events.find(reading.id);
    const auto period = event ? counts_.since_last(reading, tid) : std::nullopt;
    if (!event) ++tally_.no_event;
    if (event && !period) ++tally_.unparsed;
    if (period.value_or(0) > 0) parts_.push_back({*event, *period});
  }
  std::ranges::reverse(parts_);
}

bool RecordingReader::yield_part() {
  if (parts_.empty()) return false;
  Sample& sample = std::get<Sample>(record_.what);
  sample.event = parts_.back().event;
  sample.period = parts_.back().period;
  parts_.pop_back();
  ++tally_.samples;
  return true;
}

bool RecordingReader::yield_other(const Raw& raw, const NonSampleRecord& kind) {
  Bytes body = raw.body();
  record_.time_ns.reset();
  OptionalU64 id;
  std::optional<SampleLayout::Task> task;
  if (const auto event = metadata_.events.event_of_other(body, swapped())) {
    const SampleLayout& layout = metadata_.events.layout(*event);
    record_.time_ns = layout.time_of_other(body, swapped());
    id = layout.id_of_other(body, swapped());
    task = layout.task_of_other(body, swapped());
    if (body.size() < layout.trailer()) {
      ++tally_.unparsed;
      return false;
    }
    body = body.first(body.size() - layout.trailer());
  }
  const bool whole = kind.parse(Cursor(body, swapped()), raw.misc, record_);
  auto* const change = std::get_if<Switch>(&record_.what);
  if (!whole || (change != nullptr && !task)) {
    ++tally_.unparsed;
    return false;
  }
  if (change != nullptr) {
    change->pid = task->pid;
    change->tid = task->tid;
  }
  if (auto* lost = std::get_if<Lost>(&record_.what)) {
    if (!lost->id) lost->id = id;
    std::uint64_t& sum = raw.type == format::kLost ? tally_.lost : tally_.lost_samples;
    sum += lost->count;
  }
  if (raw.type == format::kThrottle) ++tally_.throttles;
  return true;
}

// The data follow the record, or are within it, as Android's simpleperf writes them. They are read
// only if a tracepoint was recorded.
void RecordingReader::take_tracing_data(const Raw& raw) {
  Cursor body(raw.body(), swapped());
  const std::uint64_t size = body.u32();
  const bool within = size > 0 && size <= body.left();
  if (within) {
    metadata_.add_tracing_data(body.bytes(size));
    tally_.trace_bytes += size;
  } else if (!raw.was_compressed && metadata_.lacks_tracepoints() &&
             size <= Metadata::kMostTracingData) {
    const std::uint64_t offset = raw.offset;
    const std::vector<std::byte> data = input_.take_bytes(static_cast<std::size_t>(size));
    if (data.size() < size)
      return stop(offset, fmt::format("it ends within {} bytes of trace data", size));
    metadata_.add_tracing_data(data);
    tally_.trace_bytes += size;
  } else {
    skip_behind(raw, size);
  }
}

void RecordingReader::skip_auxtrace(const Raw& raw) {
  Cursor body(raw.body(), swapped());
  skip_behind(raw, body.u64());
}

// Skips trace data that follow a record and that its size does not include.
void RecordingReader::skip_behind(const Raw& raw, std::uint64_t size) {
  if (raw.was_compressed || !input_.skip(size))
    return stop(raw.offset, fmt::format("it ends within {} bytes of trace data", size));
  tally_.trace_bytes += size;
}

void RecordingReader::take_compressed(const Raw& raw) {
  decompress(raw.body(), raw);
}

void RecordingReader::take_compressed2(const Raw& raw) {
  Cursor body(raw.body(), swapped());
  const std::uint64_t size = body.u64();
  const Bytes data = body.bytes(size);
  demand(body.ok(), raw);
  if (body.ok()) decompress(data, raw);
}

void RecordingReader::decompress(Bytes data, const Raw& raw) {
  if (!Decompressor::available())
    return give_up(
        fmt::format("{} is compressed from byte {} on, and this tacho was built without zstd",
                    input_.name(), raw.offset));
  if (raw.was_compressed) return stop(raw.offset, "a compressed record within another");
  shared_->expansion.packed += data.size();
  decompressor_.feed(data);
  compressed_offset_ = raw.offset;
}

Result<const Record*> RecordingReader::next() {
  Raw raw;
  for (;;) {
    if (yield_part()) return &record_;
    if (const TimeQueue::Item* item = queue_.next()) {
      set(raw, {item->bytes, item->size}, item->offset, false);
      if (yield(raw)) return &record_;
      continue;
    }
    if (ended_) break;
    const bool taken = take_next(raw);
    if (taken && receive(raw)) return &record_;
    if (!taken || damage_) {
      ended_ = true;
      decompressor_.release();
      queue_.end();
    }
  }
  if (!damage_) return nullptr;
  return failure(*damage_, samples_before_damage(tally_.samples));
}

}  // namespace

Result<std::unique_ptr<Reader>> Reader::open(const std::string& path) {
  const auto shared = std::make_shared<Shared>();
  auto input = TACHO_TRY(open_expanded(path, shared->expansion));
  auto reader = std::make_unique<RecordingReader>(std::move(input), TimeQueue::kCapacity, shared);
  TACHO_TRY(reader->begin());
  return reader;
}

Result<std::vector<std::unique_ptr<Reader>>> open_with_parts(const std::string& path,
                                                             std::span<const std::string> parts) {
  // All queues together take as much memory as that of one file, unless there are very many.
  constexpr std::size_t kLeastQueue = std::size_t{1} << 20;
  const std::size_t queue = std::max(TimeQueue::kCapacity / (parts.size() + 1), kLeastQueue);
  const auto shared = std::make_shared<Shared>();
  std::vector<Input> inputs;
  inputs.push_back(TACHO_TRY(open_expanded(path, shared->expansion)));
  for (const std::string& part : parts)
    inputs.push_back(TACHO_TRY(open_expanded(part, shared->expansion)));
  for (const Input& input : inputs) shared->memory->allowed += input.size().value_or(0);
  auto first = std::make_unique<RecordingReader>(std::move(inputs.front()), queue, shared);
  TACHO_TRY(first->begin());
  std::vector<std::unique_ptr<Reader>> readers;
  readers.push_back(std::move(first));
  for (Input& input : inputs | std::views::drop(1)) {
    auto reader = std::make_unique<RecordingReader>(std::move(input), queue, shared);
    reader->begin_records();
    readers.push_back(std::move(reader));
  }
  return readers;
}

}  // namespace tacho::perfdata
