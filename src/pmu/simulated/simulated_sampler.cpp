#include "pmu/simulated/simulated_sampler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "base/build_id.hpp"
#include "base/byte_writer.hpp"

namespace tacho {
namespace {

// Begins a record in the layout of perf_event.h. append() sets its size.
ByteWriter begin_record(std::uint32_t type, std::uint16_t misc) {
  ByteWriter record;
  record.add(perf_event_header{.type = type, .misc = misc, .size = 0});
  return record;
}

// The word of a branch's flags (struct perf_branch_entry).
std::uint64_t flags_of(const traced::TakenBranch& branch) {
  constexpr std::uint64_t kMostCycles = 0xffff;
  constexpr unsigned kCycles = 4;
  constexpr unsigned kKind = 20;
  return std::uint64_t{branch.mispredicted ? 1U : 2U} |
         std::min(branch.cycles, kMostCycles) << kCycles | std::uint64_t{branch.kind} << kKind;
}

class SimulatedSampler final : public Sampler {
 public:
  SimulatedSampler(std::shared_ptr<Tally> tally, std::span<const SimulatedSampling> events,
                   const SampleSpec& spec)
      : tally_(std::move(tally)), spec_(spec) {
    for (const SimulatedSampling& event : events) {
      events_.push_back(event.event);
      scales_.push_back(event.scale);
    }
    tally_->listen([this](const Slice& slice, std::uint64_t cycles) { take(slice, cycles); });
  }
  SimulatedSampler(const SimulatedSampler&) = delete;
  SimulatedSampler& operator=(const SimulatedSampler&) = delete;
  ~SimulatedSampler() override { tally_->listen({}); }

  const std::vector<OpenedEvent>& events() const override { return events_; }
  // Sampling begins with the command, and ends with it.
  Result<void> enable() override { return {}; }
  Result<void> disable() override { return {}; }
  int descriptor() const override { return -1; }
  std::vector<std::optional<double>> coverage() const override {
    return std::vector<std::optional<double>>(events_.size(), 1.0);
  }
  void dither(double /*draw*/) override {}  // the simulator does this itself

  Result<void> drain(const Sink& sink) override {
    const auto advanced = tally_->advance(std::nullopt);
    const std::vector<std::byte> records = std::exchange(waiting_, {});
    if (!records.empty()) TACHO_TRY(sink(records));
    if (!advanced) return std::unexpected(advanced.error());
    return {};
  }

 private:
  // The process, thread and time of a record.
  struct Place {
    std::uint32_t process;
    std::uint32_t thread;
    std::uint64_t time_ns;
  };

  void take(const Slice& slice, std::uint64_t cycles) {
    for (const TraceRecord& record : slice.trace) {
      const auto time = tally_->time_of(cycles + record.cycle).count();
      const Place place{slice.process, record.thread, static_cast<std::uint64_t>(time)};
      std::visit([&](const auto& what) { add(what, place); }, record.what);
    }
  }

  void append(ByteWriter& record) {
    record.set(offsetof(perf_event_header, size), static_cast<std::uint16_t>(record.size()));
    waiting_.insert(waiting_.end(), record.bytes().begin(), record.bytes().end());
  }

  // Adds the fields at the end of each record that is not a sample (sample_id_all).
  void finish(ByteWriter& record, const Place& place) {
    record.add(std::array{place.process, place.thread});
    record.add(place.time_ns);
    if (events_.size() > 1) record.add(events_.front().ids.front());
    append(record);
  }

  void add(const traced::Sample& s, const Place& place) {
    if (s.event >= events_.size()) return;  // of a simulator of another version
    const auto event = static_cast<std::size_t>(s.event);
    ByteWriter record =
        begin_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP);
    if (events_.size() > 1) record.add(events_[event].ids.front());
    record.add(s.ip);
    record.add(std::array{place.process, place.thread});
    record.add(place.time_ns);
    record.add(
        static_cast<std::uint64_t>(std::llround(static_cast<double>(s.period) * scales_[event])));
    if (spec_.chains != SampleSpec::Chains::none) {
      record.add(std::uint64_t{s.callers.size() + 2});
      record.add(static_cast<std::uint64_t>(PERF_CONTEXT_USER));
      record.add(s.ip);
      for (const std::uint64_t caller : s.callers) record.add(caller);
    }
    if (spec_.branches) {
      record.add(std::uint64_t{s.branches.size()});
      for (const traced::TakenBranch& branch : s.branches)
        record.add(std::array{branch.from, branch.to, flags_of(branch)});
    }
    append(record);
  }

  void add(const traced::CodeMapping& m, const Place& place) {
    const std::vector<std::uint8_t>& id = build_id(m.path);
    ByteWriter record =
        begin_record(PERF_RECORD_MMAP2,
                     static_cast<std::uint16_t>(PERF_RECORD_MISC_USER |
                                                (id.empty() ? 0 : PERF_RECORD_MISC_MMAP_BUILD_ID)));
    record.add(std::array{place.process, place.thread});
    record.add(std::array{m.start, m.length, m.offset});
    std::array<std::uint8_t, 24> field{};  // the id's size, 3 unused bytes, the id
    field[0] = static_cast<std::uint8_t>(id.size());
    std::ranges::copy(id, field.begin() + 4);
    record.add(field);
    record.add(std::array<std::uint32_t, 2>{5, 2});  // readable and executable; private
    record.add_padded(m.path.empty() ? "//anon" : m.path, sizeof(std::uint64_t));
    finish(record, place);
  }

  void add(const traced::ThreadName& name, const Place& place) {
    ByteWriter record =
        begin_record(PERF_RECORD_COMM, name.of_program ? PERF_RECORD_MISC_COMM_EXEC : 0);
    record.add(std::array{place.process, place.thread});
    record.add_padded(name.text, sizeof(std::uint64_t));
    finish(record, place);
  }

  void add(const traced::ThreadStart& began, const Place& place) {
    ByteWriter record = begin_record(PERF_RECORD_FORK, 0);
    record.add(std::array{place.process, began.parent_process, place.thread, began.parent_thread});
    record.add(place.time_ns);
    finish(record, place);
  }

  void add(const traced::ThreadEnd&, const Place& place) {
    ByteWriter record = begin_record(PERF_RECORD_EXIT, 0);
    record.add(std::array{place.process, place.process, place.thread, place.thread});
    record.add(place.time_ns);
    finish(record, place);
  }

  // The build ID that the file has when its code is mapped for the first time.
  const std::vector<std::uint8_t>& build_id(const std::string& path) {
    const auto [known, unknown] = build_ids_.try_emplace(path);
    if (unknown && path.starts_with('/')) known->second = read_build_id(path);
    return known->second;
  }

  std::shared_ptr<Tally> tally_;
  SampleSpec spec_;
  std::vector<OpenedEvent> events_;
  std::vector<double> scales_;
  std::map<std::string, std::vector<std::uint8_t>> build_ids_;  // by path
  std::vector<std::byte> waiting_;                              // whole records
};

}  // namespace

std::string to_sampling_input(std::span<const SimulatedSampling> events, const SampleSpec& spec) {
  // An arbitrary seed, the same in each run, to make runs repeatable.
  constexpr std::uint64_t kSeed = 88'172'645'463'325'252;
  const bool chains = spec.chains != SampleSpec::Chains::none;
  std::string text =
      fmt::format("tacho-sampling 1\nseed {}\ntells {:d} {:d}\n", kSeed, spec.branches, chains);
  for (const SimulatedSampling& event : events) {
    const double period = std::round(static_cast<double>(spec.period.value_or(0)) / event.scale);
    text += fmt::format(
        "event {} {} {}\n",
        spec.period ? std::max<std::uint64_t>(1, static_cast<std::uint64_t>(period)) : 0,
        spec.frequency, fmt::join(event.columns, "+"));
  }
  return text + "end\n";
}

std::unique_ptr<Sampler> simulated_sampler(std::shared_ptr<Tally> tally,
                                           std::span<const SimulatedSampling> events,
                                           const SampleSpec& spec) {
  return std::make_unique<SimulatedSampler>(std::move(tally), events, spec);
}

}  // namespace tacho
