#include "perfdata/inventory.hpp"

#include <linux/perf_event.h>

#include <algorithm>

#include "perfdata/format_constants.hpp"
#include "perfdata/raw_records.hpp"

namespace tacho::perfdata {

Inventory::Inventory(std::span<const WrittenEvent> events) : samples_(events.size()) {
  for (std::size_t i = 0; i < events.size() && events.size() > 1; ++i)
    for (const std::uint64_t id : events[i].ids) event_of_[id] = i;
}

void Inventory::note(std::span<const std::byte> records) {
  for_each_record(records, [this](std::span<const std::byte> record) {
    switch (value_at<RecordHeader>(record, 0).type) {
      case PERF_RECORD_SAMPLE:
        note_sample(record);
        break;
      case PERF_RECORD_MMAP2:
        note_mapping(record);
        break;
      case PERF_RECORD_LOST:
        lost_ += value_at<std::uint64_t>(record, 2 * format::kWord);
        break;
      case PERF_RECORD_LOST_SAMPLES:
        lost_ += value_at<std::uint64_t>(record, format::kWord);
        lost_samples_ += value_at<std::uint64_t>(record, format::kWord);
        break;
      case format::kSwitch:
      case format::kSwitchCpuWide:
        ++switches_;
        break;
      case PERF_RECORD_THROTTLE:
        ++throttled_;
        break;
      default:
        break;
    }
  });
}

// The fields are: header, identifier (if there are several events), IP, TID, TIME.
void Inventory::note_sample(std::span<const std::byte> record) {
  const bool identified = !event_of_.empty();
  const auto time = value_at<std::uint64_t>(record, (identified ? 4 : 3) * format::kWord);
  first_ = std::min(first_.value_or(time), time);
  last_ = std::max(last_.value_or(time), time);
  if (!identified) {
    ++samples_.front();
  } else if (const auto event = event_of_.find(value_at<std::uint64_t>(record, format::kWord));
             event != event_of_.end()) {
    ++samples_[event->second];
  }
}

// The fields are: header, pid and tid, address, length, offset, build ID or inode, protection and
// flags, name.
void Inventory::note_mapping(std::span<const std::byte> record) {
  constexpr std::size_t kId = 5 * format::kWord;
  constexpr std::size_t kName = 9 * format::kWord;
  if (record.size() <= kName) return;
  const auto misc = value_at<perf_event_header>(record, 0).misc;
  const auto name = record.subspan(kName);
  const auto end = std::ranges::find(name, std::byte{0});
  File file;
  file.path.assign(reinterpret_cast<const char*>(name.data()),  // NOLINT: bytes of text
                   static_cast<std::size_t>(end - name.begin()));
  if ((misc & PERF_RECORD_MISC_MMAP_BUILD_ID) != 0) {
    constexpr std::size_t kBytes = 4;  // after the size (1 byte) and 3 reserved bytes
    file.id.size = std::min(value_at<std::uint8_t>(record, kId),
                            static_cast<std::uint8_t>(file.id.bytes.size()));
    file.id.bytes = value_at<std::array<std::uint8_t, 20>>(record, kId + kBytes);
  }
  if (file.path.starts_with('/')) files_.insert(std::move(file));
}

}  // namespace tacho::perfdata
