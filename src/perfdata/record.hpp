// perfdata: recordings in perf's format (tools/perf/Documentation/perf.data-file-format.txt and
// include/uapi/linux/perf_event.h of the kernel). The records, as plain values: what the reader
// yields and the writer takes, whatever the byte order, the age and the kind of the file.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tacho::perfdata {

// Absent where the recording does not tell it.
using OptionalU64 = std::optional<std::uint64_t>;

// A build-id of 1 to 20 bytes; empty when none is known.
struct BuildId {
  std::array<std::uint8_t, 20> bytes{};
  std::uint8_t size = 0;
  std::string hex() const;
  auto operator<=>(const BuildId&) const = default;
};

// At most 20 bytes; of more, none.
BuildId build_id_of(std::span<const std::uint8_t> bytes);

// In which mode the processor was (PERF_RECORD_MISC_CPUMODE_MASK).
enum class Mode : std::uint8_t { unknown, kernel, user, hypervisor, guest_kernel, guest_user };

// One entry of a branch stack, newest first. 0 cycles: not told.
struct Branch {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint16_t cycles = 0;  // since the branch before it
  bool mispredicted = false;
  bool predicted = false;        // neither: not told
  std::uint8_t speculation = 0;  // PERF_BR_SPEC_*
};

// One sample, as far as a profile needs it. The spans are valid until the reader yields its next
// record.
struct Sample {
  std::size_t event = 0;  // in Description::events
  Mode mode = Mode::unknown;
  bool exact_ip = false;  // PERF_RECORD_MISC_EXACT_IP: without skid
  OptionalU64 ip, time_ns, period;
  std::optional<std::int32_t> pid, tid;
  // The kernel's call chain, innermost first, with its PERF_CONTEXT_* marks (values above
  // kContextMarks) between the modes.
  std::span<const std::uint64_t> chain;
  std::span<const Branch> branches;
  // Registers and stack of the user's side, for unwinding by DWARF: abi 0 (none), 1 (32 bits) or
  // 2 (64 bits), the registers of user_mask in the order of its bits.
  std::uint64_t user_abi = 0;
  std::uint64_t user_mask = 0;
  std::span<const std::uint64_t> user_registers;
  std::span<const std::byte> user_stack;
};
inline constexpr std::uint64_t kContextMarks = ~std::uint64_t{0} - 4095;  // PERF_CONTEXT_MAX

// The kernel's path of memory without a file, and what it adds to the path of a file that is gone.
inline constexpr std::string_view kAnonymous = "//anon";
inline constexpr std::string_view kDeleted = " (deleted)";
// How the path of the kernel itself begins; behind it stands the symbol that it was mapped at.
inline constexpr std::string_view kKernelPath = "[kernel.kallsyms]";

// A file was mapped. `path` may be a name in brackets ("[vdso]"), kAnonymous, or the kernel's
// "[kernel.kallsyms]_text" and module names.
struct Mapping {
  std::int32_t pid = -1, tid = -1;  // pid -1: the kernel's
  std::uint64_t start = 0, length = 0, offset = 0;
  bool executable = true;
  Mode mode = Mode::user;
  BuildId build_id;
  std::string path;
};
struct Command {  // a thread has a (new) name
  std::int32_t pid = -1, tid = -1;
  bool exec = false;  // by exec: its mappings are gone
  std::string name;
};
struct Fork {
  std::int32_t pid = -1, parent_pid = -1, tid = -1, parent_tid = -1;
};
struct Exit {
  std::int32_t pid = -1, parent_pid = -1, tid = -1, parent_tid = -1;
};
struct Lost {  // LOST: records that found no room; LOST_SAMPLES: samples that the hardware dropped
  std::uint64_t count = 0;
  OptionalU64 id;
  // perf record asks the kernel at the end how many samples found no room, and writes that into a
  // LOST_SAMPLES of its own, without a time: LOST records have told of most of them before.
  bool summed_up = false;
};
// How many were lost, each counted once.
class LostRecords {
 public:
  void add(const Lost& lost) { (lost.summed_up ? summed_up_ : told_) += lost.count; }
  std::uint64_t count() const { return std::max(told_, summed_up_); }

 private:
  std::uint64_t told_ = 0, summed_up_ = 0;
};
struct Throttle {
  bool on = false;  // the kernel stops sampling for a while; false: it goes on
  OptionalU64 id;
};

struct Record {
  std::uint64_t offset = 0;  // of its first byte, in the file (of a compressed one: of the
                             // COMPRESSED record that holds it)
  OptionalU64 time_ns;       // of its sample_id
  std::variant<Sample, Mapping, Command, Fork, Exit, Lost, Throttle> what;
};

// One event of the recording (struct perf_event_attr, as far as a reader needs it).
struct RecordedEvent {
  std::string name;        // "" when the recording names none
  std::uint32_t type = 0;  // PERF_TYPE_*
  std::uint64_t config = 0, config1 = 0, config2 = 0, config3 = 0;
  std::uint64_t period = 0;       // of sampling; 0 when sampled by frequency
  std::uint64_t frequency = 0;    // in Hz; 0 when sampled by period
  std::uint64_t sample_type = 0;  // PERF_SAMPLE_*
  std::uint64_t read_format = 0;  // PERF_FORMAT_*
  std::uint64_t branch_sample_type = 0;
  bool exclude_user = false, exclude_kernel = false;
  std::uint8_t precise = 0;
  bool sample_id_all = false;
  std::vector<std::uint64_t> ids;
};

// Whether it is cpu-clock or task-clock, which a timer samples.
bool is_clock(const RecordedEvent& event);

// What the recording tells of itself and its machine. Of a pipe it grows as the stream is read.
struct Description {
  bool pipe = false;
  bool swapped = false;     // of the other byte order
  bool unfinished = false;  // its recorder was stopped before it could complete the file
  std::vector<RecordedEvent> events;
  std::string host, kernel, perf_version, architecture, cpu, cpu_id;
  // Nanoseconds that the program missed each time that it was sampled, as tacho record measures it.
  std::optional<double> sample_cost_ns;
  std::optional<std::uint32_t> cpus_online, cpus_available;
  std::uint64_t memory_kb = 0;
  std::vector<std::string> command;
  struct BuildIdOf {
    std::int32_t pid = -1;
    Mode mode = Mode::user;
    BuildId id;
    std::string path;
  };
  std::vector<BuildIdOf> build_ids;
  struct Topology {                    // of CPU 0, 1, …; lists as sysfs writes them: "0-3,8"
    std::vector<std::string> cores;    // the CPUs of each package, each list once
    std::vector<std::string> threads;  // the CPUs of each core, each list once
    struct Place {
      std::uint32_t core = 0;
      std::uint32_t package = 0;
    };
    std::vector<Place> places;
  };
  Topology topology;
  struct Group {  // events that were counted together
    std::string name;
    std::size_t leader = 0;  // in `events`; the others follow it
    std::size_t size = 0;    // with the leader
  };
  std::vector<Group> groups;
  OptionalU64 first_sample_ns, last_sample_ns;
};

}  // namespace tacho::perfdata
