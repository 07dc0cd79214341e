#include "record/wake_records.hpp"

#include <utility>

#include "base/file.hpp"
#include "base/process_tree.hpp"
#include "perfdata/format_constants.hpp"
#include "perfdata/raw_records.hpp"
#include "perfdata/recorded_tracepoints.hpp"

namespace tacho {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;  // ns

namespace format = perfdata::format;
using perfdata::for_each_record, perfdata::RecordHeader, perfdata::value_at;

struct RecordOfThread {  // PERF_RECORD_COMM and PERF_RECORD_SWITCH; more follows
  RecordHeader header;
  std::uint32_t pid, tid;
};
struct RecordOfFork {  // PERF_RECORD_FORK and PERF_RECORD_EXIT
  RecordHeader header;
  std::uint32_t pid, parent_pid, tid, parent_tid;
};
struct RecordOfWaking {  // PERF_RECORD_SAMPLE; the size of the tracepoint's fields and they follow
  RecordHeader header;
  std::uint64_t id, ip;
  std::uint32_t pid, tid;
  std::uint64_t time_ns;
};

void append(std::vector<std::byte>& all, std::span<const std::byte> more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

WakeRecords::WakeRecords(const Event& event, const perfdata::WrittenEvent& written,
                         std::span<const PresentThread> threads) {
  const auto woken =
      perfdata::tracepoint_field(read_file(event.tracepoint + "/format").value_or(""), "pid");
  if (!woken || woken->size != sizeof(pid_t)) return;
  woken_at_ = sizeof(RecordOfWaking) + sizeof(std::uint32_t) + woken->offset;
  ids_.insert(written.ids.begin(), written.ids.end());
  for (const PresentThread& each : threads) recorded_.insert(each.tid);
}

// Learns from a record which threads are recorded.
void WakeRecords::follow(std::span<const std::byte> record) {
  const auto of_thread = static_cast<pid_t>(value_at<RecordOfThread>(record, 0).tid);
  const auto of_fork = static_cast<pid_t>(value_at<RecordOfFork>(record, 0).tid);
  switch (value_at<RecordHeader>(record, 0).type) {
    case format::kSwitch:
      if (!ended_.contains(of_thread)) recorded_.insert(of_thread);
      break;
    case format::kComm:  // also of a thread that executes a program under its first one's number
      ended_.erase(of_thread);
      recorded_.insert(of_thread);
      break;
    case format::kFork:
      ended_.erase(of_fork);
      recorded_.insert(of_fork);
      break;
    case format::kExit:
      recorded_.erase(of_fork);
      ended_.insert(of_fork);
      break;
    default:
      break;
  }
}

bool WakeRecords::is_wake_up(std::span<const std::byte> record) const {
  return value_at<RecordHeader>(record, 0).type == format::kSample &&
         ids_.contains(value_at<RecordOfWaking>(record, 0).id);
}

bool WakeRecords::is_recorded(std::span<const std::byte> wake_up) const {
  return recorded_.contains(value_at<pid_t>(wake_up, woken_at_));
}

void WakeRecords::note_waker(std::span<const std::byte> wake_up) {
  const auto waking = value_at<RecordOfWaking>(wake_up, 0);
  const auto tid = static_cast<pid_t>(waking.tid);
  if (tid > 0) wakers_.try_emplace(tid, Waker{static_cast<pid_t>(waking.pid), waking.time_ns});
}

std::vector<std::span<const std::byte>> WakeRecords::keep(std::span<const std::byte> records) {
  if (ids_.empty()) return {records};
  std::vector<std::span<const std::byte>> kept;
  const std::byte* begin = records.data();  // of the stretch
  const auto end_at = [&](const std::byte* end) {
    if (begin < end) kept.emplace_back(begin, end);
  };
  for_each_record(records, [&](std::span<const std::byte> record) {
    follow(record);
    if (!is_wake_up(record)) return;
    if (is_recorded(record)) {
      note_waker(record);
      return;
    }
    append(held_back_, record);
    end_at(record.data());
    begin = record.data() + record.size();
  });
  end_at(records.data() + records.size());
  return kept;
}

std::vector<std::byte> WakeRecords::end_round(const perfdata::Trailer& trailer) {
  std::vector<std::byte> more;
  for_each_record(held_back_, [&](std::span<const std::byte> record) {
    if (!is_recorded(record)) return;
    append(more, record);
    note_waker(record);
  });
  held_back_.clear();
  for (const auto& [tid, waker] : wakers_) {
    if (recorded_.contains(tid)) continue;
    Name& known = names_[tid];
    // It may have executed another program since.
    if (known.time_ns > 0 && waker.first_ns - known.time_ns < kSecond) continue;
    std::string name = thread_name(tid);
    known.time_ns = waker.first_ns;
    if (name.empty() || name == known.name) continue;
    known.name = std::move(name);
    perfdata::Trailer then = trailer;
    then.time_ns = waker.first_ns;
    append(more, perfdata::encode(
                     perfdata::Command{.pid = waker.pid, .tid = tid, .name = known.name}, then));
  }
  wakers_.clear();
  return more;
}

}  // namespace tacho
