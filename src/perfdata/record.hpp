// The records of perf's format as plain values, independent of byte order, age and kind of file.
// The reader yields them, the writer takes them. The format is described in
// tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h of Linux.
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

// A value that a recording may not have.
using OptionalU64 = std::optional<std::uint64_t>;

// A build ID of 1 to 20 bytes; empty if none is known.
struct BuildId {
  std::array<std::uint8_t, 20> bytes{};
  std::uint8_t size = 0;
  std::string hex() const;
  auto operator<=>(const BuildId&) const = default;
};

// Returns an empty build ID if there are more than 20 bytes.
BuildId build_id_of(std::span<const std::uint8_t> bytes);

// The mode of the processor (PERF_RECORD_MISC_CPUMODE_MASK).
enum class Mode : std::uint8_t { unknown, kernel, user, hypervisor, guest_kernel, guest_user };

// One entry of a branch stack. A branch stack has the newest branch first.
struct Branch {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint16_t cycles = 0;  // since the branch before it; 0 if not recorded
  bool mispredicted = false;
  bool predicted = false;        // if both are false, the prediction was not recorded
  std::uint8_t speculation = 0;  // PERF_BR_SPEC_*
  std::uint8_t kind = 0;         // PERF_BR_*: conditional, call, return, …; 0 if not recorded
  bool in_transaction = false, aborted = false;
};

// The fields of a sample that a profile needs. The spans are valid until the reader yields its next
// record.
struct Sample {
  std::size_t event = 0;  // in Description::events
  Mode mode = Mode::unknown;
  bool exact_ip = false;  // PERF_RECORD_MISC_EXACT_IP: the address has no skid
  OptionalU64 ip, time_ns, period;
  std::optional<std::int32_t> pid, tid;
  std::optional<std::uint32_t> cpu;
  // The kernel's call chain, innermost first. PERF_CONTEXT_* marks (values from kContextMarks on)
  // separate the modes.
  std::span<const std::uint64_t> chain;
  std::span<const Branch> branches;
  // Registers and stack in user mode, for unwinding by DWARF. The ABI is 0 (none), 1 (32 bits) or 2
  // (64 bits). The registers are those of user_mask, in the order of its bits.
  std::uint64_t user_abi = 0;
  std::uint64_t user_mask = 0;
  std::span<const std::uint64_t> user_registers;
  std::span<const std::byte> user_stack;
};
inline constexpr std::uint64_t kContextMarks = ~std::uint64_t{0} - 4095;  // PERF_CONTEXT_MAX
inline constexpr auto kUserMark = static_cast<std::uint64_t>(-512);       // PERF_CONTEXT_USER
inline constexpr std::uint16_t kUsualMaxStack = 127;  // kernel.perf_event_max_stack's default

// The kernel's path for memory without a file, and its suffix for the path of a deleted file.
inline constexpr std::string_view kAnonymous = "//anon";
inline constexpr std::string_view kDeleted = " (deleted)";
// The beginning of the kernel's own path. The symbol at its first address follows.
inline constexpr std::string_view kKernelPath = "[kernel.kallsyms]";
// The beginning of the path of a BPF program. Its name follows.
inline constexpr std::string_view kBpfPath = "[bpf]";

// A file was mapped. `path` may also be a name in brackets ("[vdso]"), kAnonymous, or a name of the
// kernel ("[kernel.kallsyms]_text"), of one of its modules, or of a BPF program
// ("[bpf]bpf_prog_…").
struct Mapping {
  std::int32_t pid = -1, tid = -1;  // pid -1: a mapping of the kernel
  std::uint64_t start = 0, length = 0, offset = 0;
  bool executable = true;
  Mode mode = Mode::user;
  BuildId build_id;
  std::string path;
};
struct Command {  // a thread got a name
  std::int32_t pid = -1, tid = -1;
  bool exec = false;  // the name comes from an exec, which removed all earlier mappings
  std::string name;
};
struct Fork {
  std::int32_t pid = -1, parent_pid = -1, tid = -1, parent_tid = -1;
};
struct Exit {
  std::int32_t pid = -1, parent_pid = -1, tid = -1, parent_tid = -1;
};
// LOST: records dropped because of a full buffer. LOST_SAMPLES: samples that the hardware dropped.
struct Lost {
  std::uint64_t count = 0;
  OptionalU64 id;
  // At its end, perf record asks the kernel how many samples were dropped. It writes the number
  // into a LOST_SAMPLES record of its own, without a time. Earlier LOST records count most of them
  // too.
  bool summed_up = false;
};
// Counts lost records, each of them once.
class LostRecords {
 public:
  void add(const Lost& lost) {
    std::uint64_t& sum = lost.summed_up ? summed_up_ : one_by_one_;
    sum += lost.count;
  }
  std::uint64_t count() const { return std::max(one_by_one_, summed_up_); }

 private:
  std::uint64_t one_by_one_ = 0, summed_up_ = 0;
};
// A thread left its CPU or got one (SWITCH, SWITCH_CPU_WIDE).
struct Switch {
  std::int32_t pid = -1, tid = -1;
  bool out = false;
  bool preempted = false;  // it left the CPU although it had more to do
};
struct Throttle {
  bool on = false;  // true: the kernel stops sampling for a while; false: it continues
  OptionalU64 id;
};

struct Record {
  // Of the first byte in the file. For a compressed record, of the COMPRESSED record around it.
  std::uint64_t offset = 0;
  OptionalU64 time_ns;  // from the sample_id of the record
  // The record in the recording, behind its header. Valid until the reader yields its next record;
  // empty if the record was not read.
  std::span<const std::byte> body;
  std::variant<Sample, Mapping, Command, Fork, Exit, Lost, Throttle, Switch> what;
};

// One event of the recording: the fields of struct perf_event_attr that a reader needs.
struct RecordedEvent {
  std::string name;        // "" if the recording has no name for it
  std::uint32_t type = 0;  // PERF_TYPE_*
  std::uint64_t config = 0, config1 = 0, config2 = 0, config3 = 0;
  std::uint64_t period = 0;       // events between samples; 0 if sampled by frequency
  std::uint64_t frequency = 0;    // Hz; 0 if sampled by period
  std::uint64_t sample_type = 0;  // PERF_SAMPLE_*
  std::uint64_t read_format = 0;  // PERF_FORMAT_*
  std::uint64_t branch_sample_type = 0;
  std::uint32_t stack_bytes = 0;  // of the copied stacks
  std::uint16_t max_stack = 0;    // most addresses of a call chain; 0: the recording does not say
  // Registers in each sample, one bit each: in user mode, and when the counter overflowed.
  std::uint64_t user_registers = 0, interrupt_registers = 0;
  bool exclude_user = false, exclude_kernel = false;
  // New threads and child processes are sampled, too, each in periods of its own (inherit). False
  // if samples have a CPU: whole CPUs are sampled then.
  bool inherited = false;
  std::uint8_t precise = 0;
  bool sample_id_all = false;
  bool tells_switches = false;  // each switch of a thread has a record
  std::string format;           // of a tracepoint: its fields, as tracefs describes them
  bool lengths = false;         // its samples are times in ns, of which none is missing (src/wall)
  // The clock of the times (clockid_t); nothing if it is the kernel's own (perf_clock).
  std::optional<std::int32_t> clock;
  std::vector<std::uint64_t> ids;
};

// Whether the event is cpu-clock or task-clock, which a timer samples.
bool is_clock(const RecordedEvent& event);
// Whether its samples show where threads leave their CPU.
bool is_of_switches(const RecordedEvent& event);
// Whether it is the dummy event, which only records mappings, names, forks and exits.
bool is_dummy(const RecordedEvent& event);
// Whether its samples have copies of registers and stack, for unwinding (--call-graph dwarf).
bool has_stack_copies(const RecordedEvent& event);
// Whether its branch stacks are call stacks (--call-graph lbr): the calls that have not returned.
bool has_call_stacks(const RecordedEvent& event);
// The sampling period that the recorder asked for; 0 if the kernel finds it by the event's rate.
std::uint64_t wanted_period(const RecordedEvent& event);

// An event whose count is the sum of others, such as one that each type of core counts.
struct EventSum {
  std::string name;
  std::vector<std::size_t> parts;  // in Description::events
};

// What a recording states about itself and its machine. The description of a pipe grows as the
// stream is read.
struct Description {
  bool pipe = false;
  bool swapped = false;     // the recording has the other byte order
  bool unfinished = false;  // the recorder was stopped before it completed the file
  std::size_t pieces = 1;   // files that are read as one recording
  std::vector<RecordedEvent> events;
  std::vector<EventSum> sums;  // events that a reader made; no file has them
  std::string host, kernel, perf_version, architecture, cpu, cpu_id;
  // Nanoseconds that each sample took from the sampled program, as tacho record measured it.
  std::optional<double> sample_cost_ns;
  // Nanoseconds of CPU time that the sampled program used, and how often each event of `events`
  // occurred, as its counter had it at the end. Only tacho record writes them. `counted` is empty
  // or has a value for each event.
  OptionalU64 cpu_time_ns;
  std::vector<OptionalU64> counted;
  // When sampling began and ended, on the clock of the samples. Only tacho record writes them.
  OptionalU64 begin_ns, end_ns;
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
  struct Topology {                    // lists of CPUs are as in sysfs: "0-3,8"
    std::vector<std::string> cores;    // the CPUs of each package, each list once
    std::vector<std::string> threads;  // the CPUs of each core, each list once
    struct Place {
      std::uint32_t core = 0;
      std::uint32_t package = 0;
    };
    std::vector<Place> places;  // of CPU 0, 1, …
  };
  Topology topology;
  struct MemoryNode {  // sizes in KiB
    std::uint32_t node = 0;
    std::uint64_t total_kb = 0, free_kb = 0;
    std::string cpus;
  };
  std::vector<MemoryNode> memory_nodes;
  struct Cache {  // the words are those of sysfs
    std::uint32_t level = 0, line = 0, sets = 0, ways = 0;
    std::string type, size, cpus;
    auto operator<=>(const Cache&) const = default;
  };
  std::vector<Cache> caches;  // each once, whatever CPUs share it
  struct PmuType {
    std::uint32_t type = 0;  // PERF_TYPE_* or a number of this boot
    std::string name;
  };
  std::vector<PmuType> pmus;
  // The formats of the recorded tracepoints, as perf writes them (tracing_data.hpp). Only writers
  // set it.
  std::vector<std::byte> tracing_data;
  struct Group {  // events that were counted together
    std::string name;
    std::size_t leader = 0;  // index in `events`; the other members follow the leader
    std::size_t size = 0;    // number of events, with the leader
  };
  std::vector<Group> groups;
  OptionalU64 first_sample_ns, last_sample_ns;
};

// The processor's name in a recording of tacho's simulator, and whether a recording has such a one.
std::string simulated_cpu(std::string_view model);
bool is_simulated(const Description&);

}  // namespace tacho::perfdata
