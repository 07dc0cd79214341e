#include "perfdata/non_sample_records.hpp"

#include <algorithm>
#include <array>

#include "perfdata/format_constants.hpp"
#include "perfdata/sample.hpp"

namespace tacho::perfdata {
namespace {

// Longest path and longest name of a thread, in bytes. The kernel's are shorter: 4095 (PATH_MAX)
// and 15 (TASK_COMM_LEN), but simpleperf gives a process its package's name. Each row of a report
// and each child has a copy.
constexpr std::size_t kMostPath = 4096 + 64;
constexpr std::size_t kMostName = 256;

Mapping begin_mapping(Cursor& body, std::uint16_t misc) {
  Mapping mapping;
  mapping.pid = body.i32();
  mapping.tid = body.i32();
  mapping.start = body.u64();
  mapping.length = body.u64();
  mapping.offset = body.u64();
  mapping.executable = (misc & format::kMmapData) == 0;
  mapping.mode = mode_of(misc);
  return mapping;
}

bool parse_mmap(Cursor body, std::uint16_t misc, Record& record) {
  Mapping mapping = begin_mapping(body, misc);
  mapping.path = body.text(body.left()).substr(0, kMostPath);
  record.what = std::move(mapping);
  return body.ok();
}

bool parse_mmap2(Cursor body, std::uint16_t misc, Record& record) {
  Mapping mapping = begin_mapping(body, misc);
  constexpr std::size_t kFileOrBuildId = 24;
  Cursor file(body.bytes(kFileOrBuildId), body.swapped());
  if ((misc & format::kMmapBuildId) != 0) {
    const std::size_t size = file.u8();
    file.skip(3);
    mapping.build_id = to_build_id(file.rest(), size);
  }
  body.skip(8);  // protection and flags
  mapping.path = body.text(body.left()).substr(0, kMostPath);
  record.what = std::move(mapping);
  return body.ok();
}

bool parse_comm(Cursor body, std::uint16_t misc, Record& record) {
  Command command;
  command.pid = body.i32();
  command.tid = body.i32();
  command.exec = (misc & format::kCommExec) != 0;
  command.name = body.text(body.left()).substr(0, kMostName);
  record.what = std::move(command);
  return body.ok();
}

template <class ForkOrExit>
bool parse_task(Cursor body, std::uint16_t, Record& record) {
  ForkOrExit task;
  task.pid = body.i32();
  task.parent_pid = body.i32();
  task.tid = body.i32();
  task.parent_tid = body.i32();
  record.what = task;
  return body.ok();
}

bool parse_lost(Cursor body, std::uint16_t, Record& record) {
  Lost lost;
  lost.id = body.u64();
  lost.count = body.u64();
  record.what = lost;
  return body.ok();
}

// Samples that the user's own filter dropped (perf record --filter) do not count as lost.
bool parse_lost_samples(Cursor body, std::uint16_t misc, Record& record) {
  const std::uint64_t count = body.u64();
  record.what = Lost{.count = (misc & format::kLostToFilter) != 0 ? 0 : count,
                     .id = std::nullopt,
                     .summed_up = record.time_ns.value_or(0) == 0};
  return body.ok();
}

// A BPF program that the kernel compiled becomes a mapping of the kernel. Others, and programs that
// go, become an empty one: their samples stay where they were.
bool parse_ksymbol(Cursor body, std::uint16_t, Record& record) {
  Mapping mapping;
  mapping.mode = Mode::kernel;
  mapping.start = body.u64();
  mapping.length = body.u32();
  const std::uint16_t type = body.u16();
  const std::uint16_t flags = body.u16();
  mapping.path = std::string(kBpfPath).append(body.text(body.left()));
  if (type != format::kKsymbolBpf || (flags & format::kKsymbolUnregister) != 0) mapping.length = 0;
  record.what = std::move(mapping);
  return body.ok();
}

template <bool kOn>
bool parse_throttle(Cursor body, std::uint16_t, Record& record) {
  body.skip(8);  // its time
  record.what = Throttle{.on = kOn, .id = body.u64()};
  return body.ok();
}

// The thread is in the trailer, which the reader takes. SWITCH_CPU_WIDE also names the other one.
bool parse_switch(Cursor, std::uint16_t misc, Record& record) {
  record.what = Switch{.out = (misc & format::kSwitchOut) != 0,
                       .preempted = (misc & format::kSwitchPreempted) != 0};
  return true;
}

constexpr auto kNonSampleRecords = std::to_array<NonSampleRecord>({
    {format::kMmap, parse_mmap},
    {format::kLost, parse_lost},
    {format::kComm, parse_comm},
    {format::kExit, parse_task<Exit>},
    {format::kThrottle, parse_throttle<true>},
    {format::kUnthrottle, parse_throttle<false>},
    {format::kFork, parse_task<Fork>},
    {format::kMmap2, parse_mmap2},
    {format::kLostSamples, parse_lost_samples},
    {format::kSwitch, parse_switch},
    {format::kSwitchCpuWide, parse_switch},
    {format::kKsymbol, parse_ksymbol},
});

}  // namespace

const NonSampleRecord* find_non_sample_record(std::uint32_t type) {
  const auto* found = std::ranges::find(kNonSampleRecords, type, &NonSampleRecord::type);
  return found == kNonSampleRecords.end() ? nullptr : found;
}

BuildId to_build_id(Bytes bytes, std::size_t size) {
  if (size > bytes.size()) return {};
  return build_id_of({reinterpret_cast<const std::uint8_t*>(bytes.data()), size});
}

}  // namespace tacho::perfdata
