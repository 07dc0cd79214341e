#include "perfdata/sample_details.hpp"

#include <bit>

#include "perfdata/cursor.hpp"
#include "perfdata/format_constants.hpp"

namespace tacho::perfdata {
namespace {

// Walks through the fields of one sample. has() says whether the next one is there.
class DetailsWalk {
 public:
  DetailsWalk(Bytes body, const RecordedEvent& event, bool swapped, SampleDetails& details)
      : cursor_(body, swapped), event_(event), details_(details) {}

  // The order of the fields is the kernel's (perf_output_sample).
  bool run() {
    using namespace format;  // NOLINT(google-build-using-namespace): names of the kernel's own
    take(kIdentifier, details_.identifier);
    skip_words(event_.sample_type & (kIp | kTid | kTime));
    take(kAddress, details_.address);
    take(kId, details_.id);
    take(kStreamId, details_.stream_id);
    if (has(kCpu)) take_cpu();
    skip_words(event_.sample_type & kPeriod);
    if (has(kRead)) take_counters();
    if (has(kCallchain)) skip_array(cursor_.u64(), kWord);
    if (has(kRaw)) details_.raw = cursor_.bytes(cursor_.u32());
    if (has(kBranchStack)) skip_branches();
    if (has(kRegsUser) && cursor_.u64() != 0) skip_words(event_.user_registers);
    if (has(kStackUser)) skip_stack();
    take_weight();
    take(kDataSource, details_.data_source);
    take(kTransaction, details_.transaction);
    if (has(kRegsIntr)) take_interrupt_registers();
    take(kPhysicalAddress, details_.physical_address);
    take(kCgroup, details_.cgroup);
    take(kDataPageSize, details_.data_page_size);
    take(kCodePageSize, details_.code_page_size);
    if (has(kAux)) details_.aux = cursor_.bytes(cursor_.u64());
    return cursor_.ok();
  }

 private:
  bool has(format::SampleBit bit) const { return (event_.sample_type & bit) != 0; }
  void take(format::SampleBit bit, OptionalU64& field) {
    if (has(bit)) field = cursor_.u64();
  }
  void skip_words(std::uint64_t one_for_each_bit) {
    cursor_.skip(format::kWord * static_cast<std::uint64_t>(std::popcount(one_for_each_bit)));
  }
  void skip_array(std::uint64_t count, std::size_t element) {
    if (count > cursor_.left() / element) return cursor_.fail();
    cursor_.skip(count * element);
  }

  // Traces that were decoded after the recording have no CPU, which they say as -1.
  void take_cpu() {
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    const std::uint32_t cpu = cursor_.u32();
    if (cpu != kNone) details_.cpu = cpu;
    cursor_.skip(4);  // reserved
  }

  // struct read_format
  void take_counters() {
    const auto gives = [&](format::ReadBit bit) { return (event_.read_format & bit) != 0; };
    const auto take_times = [&] {
      if (gives(format::kTimeEnabled)) details_.time_enabled = cursor_.u64();
      if (gives(format::kTimeRunning)) details_.time_running = cursor_.u64();
    };
    const bool group = gives(format::kReadGroup);
    const std::uint64_t count = group ? cursor_.u64() : 1;
    if (group) take_times();
    for (std::uint64_t i = 0; i < count && cursor_.ok(); ++i) {
      CounterValue counter{cursor_.u64(), std::nullopt, std::nullopt};
      if (!group) take_times();
      if (gives(format::kReadId)) counter.id = cursor_.u64();
      if (gives(format::kReadLost)) counter.lost = cursor_.u64();
      if (cursor_.ok()) details_.counters.push_back(counter);
    }
  }

  void skip_branches() {
    constexpr std::size_t kEntry = 24;
    const std::uint64_t count = cursor_.u64();
    if ((event_.branch_sample_type & format::kHardwareIndex) != 0) cursor_.skip(format::kWord);
    skip_array(count, kEntry);
    if ((event_.branch_sample_type & format::kBranchCounters) != 0)
      skip_array(count, format::kWord);
  }

  void skip_stack() {
    const std::uint64_t size = cursor_.u64();
    cursor_.skip(size);
    if (size > 0) cursor_.skip(format::kWord);  // how much of it is filled
  }

  // The parts of WEIGHT_STRUCT are a C union with the word: the first part is the low half.
  void take_weight() {
    if (!has(format::kWeight) && !has(format::kWeightStruct)) return;
    const std::uint64_t word = cursor_.u64();
    details_.weight = word;
    if (!has(format::kWeightStruct)) return;
    details_.weight = word & 0xffffffffU;
    details_.instruction_latency = static_cast<std::uint16_t>(word >> 32);
    details_.third_weight = static_cast<std::uint16_t>(word >> 48);
  }

  void take_interrupt_registers() {
    details_.interrupt_abi = cursor_.u64();
    if (details_.interrupt_abi == 0) return;
    cursor_.u64s(static_cast<std::uint64_t>(std::popcount(event_.interrupt_registers)),
                 details_.interrupt_registers);
  }

  Cursor cursor_;
  const RecordedEvent& event_;
  SampleDetails& details_;
};

}  // namespace

bool read_sample_details(std::span<const std::byte> body, const RecordedEvent& event, bool swapped,
                         SampleDetails& details) {
  static_cast<SampleValues&>(details) = SampleValues();
  details.counters.clear();
  details.interrupt_registers.clear();
  return DetailsWalk(body, event, swapped, details).run();
}

}  // namespace tacho::perfdata
