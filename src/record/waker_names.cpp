#include "record/waker_names.hpp"

#include <linux/perf_event.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "base/process_tree.hpp"

namespace tacho {
namespace {

struct RecordOfName {  // PERF_RECORD_COMM; the name follows
  perf_event_header header;
  std::uint32_t pid, tid;
};
struct RecordOfFork {  // PERF_RECORD_FORK
  perf_event_header header;
  std::uint32_t pid, parent_pid, tid, parent_tid;
};
struct RecordOfWaking {  // PERF_RECORD_SAMPLE; what comes last is left out
  perf_event_header header;
  std::uint64_t id, ip;
  std::uint32_t pid, tid;
  std::uint64_t time_ns;
};

template <class T>
T as(std::span<const std::byte> record) {
  T value{};
  if (record.size() >= sizeof value) std::memcpy(&value, record.data(), sizeof value);
  return value;
}

}  // namespace

WakerNames::WakerNames(const perfdata::WrittenEvent* wakes,
                       std::span<const PresentThread> present) {
  if (wakes != nullptr) ids_.insert(wakes->ids.begin(), wakes->ids.end());
  for (const PresentThread& each : present) known_.insert(each.tid);
  known_.insert({0, -1});  // the idle threads, and one that has ended
}

std::vector<std::byte> WakerNames::named(std::span<const std::byte> records,
                                         const perfdata::Trailer& trailer) {
  std::vector<std::byte> names;
  while (!ids_.empty() && records.size() >= sizeof(perf_event_header)) {
    const auto header = as<perf_event_header>(records);
    if (header.size < sizeof header || header.size > records.size()) break;
    const auto record = records.first(header.size);
    records = records.subspan(header.size);
    if (header.type == PERF_RECORD_COMM)
      known_.insert(static_cast<pid_t>(as<RecordOfName>(record).tid));
    if (header.type == PERF_RECORD_FORK)
      known_.insert(static_cast<pid_t>(as<RecordOfFork>(record).tid));
    if (header.type != PERF_RECORD_SAMPLE) continue;
    const auto waking = as<RecordOfWaking>(record);
    const auto tid = static_cast<pid_t>(waking.tid);
    if (!ids_.contains(waking.id) || !known_.insert(tid).second) continue;
    std::string name = thread_name(tid);
    if (name.empty()) continue;
    perfdata::Trailer then = trailer;
    then.time_ns = waking.time_ns;
    const auto record_of_name = perfdata::encode(
        perfdata::Command{
            .pid = static_cast<pid_t>(waking.pid), .tid = tid, .name = std::move(name)},
        then);
    names.insert(names.end(), record_of_name.begin(), record_of_name.end());
  }
  return names;
}

}  // namespace tacho
