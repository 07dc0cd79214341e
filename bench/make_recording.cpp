// Writes a synthetic recording of a given size in perf's format, to measure readers. It has several
// processes on several CPUs, with mappings and names. Times, addresses and CPUs of the samples vary
// as in real recordings.
//
// By hand, from the project's root (1 GB, with branch stacks):
//   g++ -std=c++23 -O2 bench/make_recording.cpp -o make_recording
//   ./make_recording perf.data 1000 --branches
//   --chains: call chains of 20 entries
//   --branches: branch stacks of 32 entries, from a random walk through some 10,000 code runs with
//   loops, cache misses and mispredictions. They include the traps of real recordings: a newest
//   entry that appears twice, entries without cycles, samples without a stack.
#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::uint32_t kFinishedRound = 68;  // perf's own
constexpr std::uint32_t kCpus = 8, kProcesses = 16, kFunctions = 5000;
constexpr std::uint64_t kTextAt = 0x400000, kTextSize = kFunctions * 256;
constexpr std::uint64_t kFirstId = 1000;
constexpr std::size_t kStack = 32;
constexpr std::uint64_t kMispredicted = 1, kPredicted = 2;  // bits of an entry's flags

struct Wants {
  std::uint64_t bytes = 0;
  bool chains = false, branches = false;
};

class Bytes {
 public:
  template <class T>
  void add(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void text(std::string_view text) {
    bytes_ += text;
    bytes_.append(8 - text.size() % 8, '\0');
  }
  // Begins a record. end() writes its size.
  void begin(std::uint32_t type, std::uint16_t misc) {
    record_ = bytes_.size();
    add(perf_event_header{type, misc, 0});
  }
  void end() {
    const auto size = static_cast<std::uint16_t>(bytes_.size() - record_);
    std::memcpy(bytes_.data() + record_ + 6, &size, sizeof(size));
  }
  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
  std::size_t record_ = 0;
};

std::uint64_t sample_type(const Wants& wants) {
  return PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
         PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | (wants.chains ? PERF_SAMPLE_CALLCHAIN : 0) |
         (wants.branches ? PERF_SAMPLE_BRANCH_STACK : 0);
}

perf_event_attr attr(const Wants& wants) {
  perf_event_attr attr{};
  attr.size = sizeof(attr);
  attr.type = PERF_TYPE_HARDWARE;
  attr.config = PERF_COUNT_HW_CPU_CYCLES;
  attr.sample_freq = 4000;
  attr.freq = 1;
  attr.sample_type = sample_type(wants);
  attr.sample_id_all = 1;
  attr.mmap = attr.mmap2 = attr.comm = attr.task = 1;
  if (wants.branches) attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
  return attr;
}

// The sample_id_all fields of a record that describes the time before the recording: all zero.
void add_trailer(Bytes& out) {
  for (int word = 0; word < 4; ++word) out.add(std::uint64_t{0});
}

void add_process(Bytes& out, std::uint32_t pid) {
  out.begin(PERF_RECORD_COMM, 0);
  out.add(pid);
  out.add(pid);
  out.text("program" + std::to_string(pid));
  add_trailer(out);
  out.end();
  out.begin(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
  out.add(pid);
  out.add(pid);
  out.add(kTextAt);
  out.add(kTextSize);
  for (int word = 0; word < 4; ++word) out.add(std::uint64_t{0});  // offset, device, inode
  out.add(std::uint32_t{5});
  out.add(std::uint32_t{2});
  out.text("/nonexistent/program" + std::to_string(pid % 4));
  add_trailer(out);
  out.end();
}

// A hash (the finalizer of SplitMix64): a place in the program behaves the same every time.
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

// A random walk through a program's branches. at_ is the start of a code run. Each start has two
// branches that can leave it; each branch has a usual target and three others.
class Walk {
 public:
  struct Entry {
    std::uint64_t from = 0, to = 0, flags = 0;
  };

  Entry step(std::mt19937_64& random) {
    const std::uint64_t dice = random();
    const auto happens = [dice](int shift, std::uint64_t of_256) {
      return (dice >> shift & 255) < of_256;
    };
    const std::uint64_t exit = mixed(at_ + (happens(0, 26) ? 1 : 0));
    const std::uint64_t instructions = 1 + exit % 24;
    const std::uint64_t from = at_ + 4 * (instructions - 1);
    const std::uint64_t usual = mixed(exit);
    // Two branches of five go back to the start of their code run: an inner loop.
    std::uint64_t to = usual % 5 < 2 ? at_ : place(usual);
    const bool strays = happens(8, 38);
    if (strays) to = place(mixed(exit + 1 + (dice >> 16 & 1) + (dice >> 17 & 1)));
    const bool misses = exit % 7 == 0 && happens(24, 51);
    const bool mispredicted = strays && happens(32, 128);
    std::uint64_t cycles =
        (instructions + 3) / 4 + (dice >> 40 & 1) + (misses ? 180 + (dice >> 41 & 31) : 0);
    if (mispredicted) cycles += 16;
    if (happens(48, 1)) cycles = 0;  // unknown, as in real stacks
    at_ = to;
    return {from, to, cycles << 4 | (mispredicted ? kMispredicted : kPredicted)};
  }

 private:
  // Most branches go to a few functions. Each function has four places where code runs start.
  static std::uint64_t place(std::uint64_t hash) {
    const std::uint64_t function = (hash >> 40) * (hash >> 16 & 0xffffff) % kFunctions;
    return kTextAt + function * 256 + (hash & 3) * 64;
  }

  std::uint64_t at_ = kTextAt;
};

class Samples {
 public:
  explicit Samples(const Wants& wants) : wants_(wants) {}

  // The product of two uniform numbers: a few functions have most of the samples.
  std::uint64_t address() {
    const std::uint64_t function = (random_() >> 40) * (random_() >> 40) % kFunctions;
    return kTextAt + function * 256 + (random_() >> 58) * 4;
  }

  void add(Bytes& out, std::uint32_t cpu, std::uint64_t time) {
    const auto pid = static_cast<std::uint32_t>(100 + (cpu + time / 10'000'000) % kProcesses);
    out.begin(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    out.add(kFirstId + cpu);
    const std::uint64_t ip = address();
    out.add(ip);
    out.add(pid);
    out.add(pid);
    out.add(time);
    out.add(std::uint64_t{cpu});
    out.add(std::uint64_t{1'000'000} + (random_() >> 50));
    if (wants_.chains) {
      out.add(std::uint64_t{20});
      out.add(std::uint64_t{PERF_CONTEXT_USER});
      out.add(ip);
      for (int i = 2; i < 20; ++i) out.add(address());
    }
    if (wants_.branches) add_stack(out);
    out.end();
  }

 private:
  void add_stack(Bytes& out) {
    std::array<Walk::Entry, kStack> newest_first;
    for (Walk::Entry& entry : newest_first | std::views::reverse) entry = walk_.step(random_);
    const std::uint64_t dice = random_() >> 56;
    if (dice < 56) newest_first[0] = newest_first[1];
    const std::size_t entries = dice == 255 ? 0 : kStack;
    out.add(std::uint64_t{entries});
    for (const Walk::Entry& entry : std::span(newest_first).first(entries)) out.add(entry);
  }

  Wants wants_;
  Walk walk_;
  std::minstd_rand0 seed_{1};
  std::mt19937_64 random_{seed_()};
};

// A round of records: the buffers of all CPUs, one after another, for the same stretch of time.
void add_round(Bytes& out, Samples& samples, std::uint64_t begin, std::uint64_t length, int count) {
  for (std::uint32_t cpu = 0; cpu < kCpus; ++cpu)
    for (int i = 0; i < count; ++i)
      samples.add(out, cpu,
                  begin +
                      length * static_cast<std::uint64_t>(i) / static_cast<std::uint64_t>(count) +
                      cpu * 17);
  out.begin(kFinishedRound, 0);
  out.end();
}

bool write(std::FILE* file, std::string& bytes) {
  const bool good = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  bytes.clear();
  return good;
}

// The header of the file, and the IDs and attributes of the event.
std::string head(const Wants& wants, std::uint64_t data_size) {
  constexpr std::uint64_t kHeader = 104;
  Bytes out;
  out.bytes() = "PERFILE2";
  const std::uint64_t entry = sizeof(perf_event_attr) + 16;
  for (const std::uint64_t word :
       {kHeader, entry, kHeader + kCpus * 8, entry, kHeader + kCpus * 8 + entry, data_size})
    out.add(word);
  out.bytes().resize(kHeader, '\0');
  for (std::uint64_t cpu = 0; cpu < kCpus; ++cpu) out.add(kFirstId + cpu);
  out.add(attr(wants));
  out.add(kHeader);
  out.add(std::uint64_t{kCpus * 8});
  return out.bytes();
}

bool write_recording(std::FILE* file, const Wants& wants) {
  Samples samples(wants);
  Bytes out;
  std::string place = head(wants, 0);
  bool good = write(file, place);
  for (std::uint32_t i = 0; i < kProcesses; ++i) add_process(out, 100 + i);
  std::uint64_t data_size = 0;
  for (std::uint64_t time = 1'000'000'000; good && data_size + out.bytes().size() < wants.bytes;
       time += 100'000'000) {
    add_round(out, samples, time, 100'000'000, 400);
    data_size += out.bytes().size();
    good = write(file, out.bytes());
  }
  std::string first = head(wants, data_size);
  std::rewind(file);
  return good && write(file, first) && std::fclose(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv, argv + argc);
  const auto has = [&](std::string_view word) {
    return std::ranges::find(words, word) != words.end();
  };
  std::FILE* file = argc >= 3 ? std::fopen(argv[1], "wb") : nullptr;
  if (file == nullptr) {
    std::fprintf(stderr, "usage: make_recording FILE MEGABYTES [--chains] [--branches]\n");
    return 2;
  }
  const Wants wants{std::strtoull(argv[2], nullptr, 10) * 1'000'000, has("--chains"),
                    has("--branches")};
  return write_recording(file, wants) ? 0 : 1;
}
