// Models and code for tests of the simulator's core, and the core with its memory.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "simulator_reference.hpp"

namespace tacho::simulator {

// Two small cache levels. All latencies are different.
inline model small_model() {
  model m{};
  m.frequency_hz = 1'000'000'000;
  m.shortest_slice_ns = m.longest_slice_ns = 1ull << 40;
  m.width = 1;
  m.in_order = 1;
  m.store_percent = 100;
  m.l1i = {1024, 2, 32, REPLACE_LRU, 1, 1, 0};
  m.l1d = {1024, 2, 32, REPLACE_LRU, 1, 3, 0};
  m.l2 = {4096, 4, 64, REPLACE_LRU, 1, 11, 0};
  m.memory_latency = 56;
  m.page = 4096;
  m.itlb = {4, 4, 0, REPLACE_LRU, 0};
  m.dtlb = {4, 4, 0, REPLACE_LRU, 0};
  m.main_tlb = {16, 2, 0, REPLACE_LRU, 7};
  m.walk_latency = 60;
  m.branch = {DIRECTION_BIMODAL, 64, 0, 16, 4, 6};
  return m;
}

// Owns segments, which end in a flexible array, with their fetches and steps.
class Code {
 public:
  explicit Code(const model& m) : line_(m.l1i.line) {}

  // Adds a segment of instructions with these sizes and operands.
  segment* add(std::uint64_t address, const std::vector<unsigned>& sizes,
               const std::vector<unsigned>& operands, leave how = LEAVE_NONE) {
    memory_.emplace_back(sizeof(segment) / 8 + 1 + operands.size());
    auto* s = new (memory_.back().data()) segment{};
    std::vector<fetch>& lines = lines_.emplace_back();
    std::vector<step> steps;
    std::uint64_t at = address, known = ~0ull, loads = 0, stores = 0;
    for (const unsigned size : sizes) {
      const std::uint64_t first = at / line_, last = (at + size - 1) / line_;
      const bool fetched = first != last || first != known;
      s->branch = at;
      if (fetched) lines.push_back(first * 2 + (first != last));
      // The first instructions have one operand each.
      steps.push_back({PARTS_PER_CYCLE, 0, static_cast<std::uint16_t>(at - address),
                       static_cast<std::uint8_t>(size), 1, steps.size() < operands.size(),
                       fetched});
      known = last;
      at += size;
    }
    for (const unsigned code : operands) {
      s->codes[s->operands++] = static_cast<std::uint16_t>(code);
      if ((code & OPERAND_PREFETCH) != 0) continue;
      loads += !(code & OPERAND_WRITES) || (code & OPERAND_UPDATES);
      stores += (code & (OPERAND_WRITES | OPERAND_UPDATES)) != 0;
    }
    s->address = address;
    s->number = memory_.size();
    s->back = at;
    s->counts = PACK_COUNTS(sizes.size(), loads, stores);
    s->parts = static_cast<std::uint32_t>(sizes.size() * PARTS_PER_CYCLE);
    s->leave = how;
    s->fetches = static_cast<std::uint16_t>(lines.size());
    s->steps = static_cast<std::uint16_t>(steps.size());
    lines.resize(lines.size() + steps.size() * sizeof(step) / sizeof(fetch));
    s->lines = lines.data();
    if (!steps.empty())
      std::memcpy(lines.data() + s->fetches, steps.data(), steps.size() * sizeof(step));
    return s;
  }

  // Gives the segment that was added last its dependences, in their order.
  void depend(segment* s, std::span<const dependence> dependences) {
    std::vector<fetch>& lines = lines_.back();
    s->dependences = static_cast<std::uint16_t>(dependences.size());
    lines.resize(lines.size() + dependences.size_bytes() / sizeof(fetch) + 1);
    s->lines = lines.data();
    if (!dependences.empty())
      std::memcpy(const_cast<dependence*>(dependences_of(s)), dependences.data(),
                  dependences.size_bytes());
  }

  // The first instruction waits for its operands for this time.
  void wait_for_operands(segment* s, std::uint32_t parts) {
    s->dependency = parts;
    const_cast<step*>(steps_of(s))->dependency = parts;
  }

 private:
  std::uint64_t line_;
  std::deque<std::vector<std::uint64_t>> memory_;
  std::deque<std::vector<fetch>> lines_;
};

// The core under test. Its counts are the sums over its slices.
class Core {
 public:
  explicit Core(const model& m) {
    running = this;
    core_init(&core_, &m, allocate, slice_ended);
  }
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  ~Core() {
    for (void* each : memory_) std::free(each);
  }

  // Executes steps in traces of at most `most` steps.
  void run(std::span<const Step> steps, std::size_t most = 500) {
    running = this;
    while (!steps.empty()) {
      trace_.clear();
      for (const Step& step : steps.first(std::min(most, steps.size()))) {
        trace_.push_back(reinterpret_cast<std::uintptr_t>(step.what));
        trace_.insert(trace_.end(), step.operands.begin(), step.operands.end());
      }
      execute_trace(&core_, trace_.data(), trace_.data() + trace_.size());
      steps = steps.subspan(std::min(most, steps.size()));
    }
  }

  void restart() {
    core_restart(&core_);
    if (core_.sampling != nullptr) sampling_restart(&core_);
  }

  struct Sample {
    unsigned event;
    std::uint64_t period, ip;
    std::vector<taken_branch> branches;  // newest first
  };
  // Samples events with these columns and periods from now on.
  void sample(const std::vector<std::pair<std::uint32_t, std::uint64_t>>& events,
              bool with_branches = true) {
    sampling_.with_branches = with_branches ? 1 : 0;
    sampling_.sampled = sampled;
    for (const auto& [columns, period] : events) {
      sampled_event& event = sampling_.event[sampling_.events++];
      event.columns = columns;
      event.period = period;
    }
    core_.sampling = &sampling_;
    sampling_restart(&core_);
  }
  const std::vector<Sample>& samples() const { return samples_; }

  // Makes the next trace begin at the last time stamp.
  void use_up_times() { core_.now = LAST_TIME; }

  Counts counts() const {
    Counts sum{};
    for (const Counts& slice : slices_)
      for (std::size_t i = 0; i < COLUMN_COUNT; ++i) sum[i] += slice[i];
    for (std::size_t i = 0; i < COLUMN_COUNT; ++i) sum[i] += core_.counts[i];
    return sum;
  }
  const std::vector<Counts>& slices() const { return slices_; }

 private:
  static void* allocate(const char*, std::size_t bytes) {
    running->memory_.push_back(std::aligned_alloc(16, (bytes + 16) / 16 * 16));
    return running->memory_.back();
  }
  static void slice_ended(core* c) {
    running->slices_.push_back(std::to_array(c->counts));
    if (c->sampling != nullptr) sampling_next_slice(c);
    core_next_slice(c);
  }

  static void sampled(core* c, unsigned event, std::uint64_t period, std::uint64_t ip) {
    Sample& sample = running->samples_.emplace_back(event, period, ip);
    for (unsigned i = 0; i < taken_known(c->sampling); ++i)
      sample.branches.push_back(*taken_before(c->sampling, i));
  }

  inline static Core* running = nullptr;  // the core's callbacks get no pointer to this object
  core core_{};
  sampling sampling_{};
  std::vector<Sample> samples_;
  std::vector<void*> memory_;
  std::vector<std::uint64_t> trace_;
  std::vector<Counts> slices_;
};

}  // namespace tacho::simulator
