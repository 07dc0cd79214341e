// A slow and simple reference for the counts of the simulator's core: it searches lists from end to
// end and keeps nothing between accesses. It is written from docs/explanation/simulator.md and
// cpu_model.hpp, not from the core's code.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>  // before the core's headers, which must not give it C linkage
#endif

#include "simulator_slow_tage.hpp"

extern "C" {
#include "execute.h"
#include "prefetch.h"
#include "sample.h"
}

namespace tacho::simulator {

using Counts = std::array<std::uint64_t, COLUMN_COUNT>;

// One execution of a segment, with the addresses of its operands. A trace consists of these.
struct Step {
  segment* what;
  std::vector<std::uint64_t> operands;
};

// A cache of lines or pages, by number. The first of a set is the last one that was brought in or,
// with LRU, used.
class SlowCache {
 public:
  SlowCache(std::uint64_t sets, std::uint64_t ways, std::uint64_t replacement)
      : sets_(sets), ways_(ways), lru_(replacement == REPLACE_LRU) {}

  bool access(std::uint64_t number, bool allocate = true) {
    evicted_.reset();
    std::list<std::uint64_t>& set = sets_[number % sets_.size()];
    const auto found = std::find(set.begin(), set.end(), number);
    if (found != set.end()) {
      if (lru_) set.splice(set.begin(), set, found);
      return true;
    }
    if (!allocate) return false;
    set.push_front(number);
    if (set.size() > ways_) {
      evicted_ = set.back();
      set.pop_back();
    }
    return false;
  }

  bool remove(std::uint64_t number) { return sets_[number % sets_.size()].remove(number) != 0; }
  std::optional<std::uint64_t> evicted() const { return evicted_; }  // by the last access

 private:
  std::vector<std::list<std::uint64_t>> sets_;
  std::uint64_t ways_;
  bool lru_;
  std::optional<std::uint64_t> evicted_;
};

class Reference {
 public:
  explicit Reference(const model& m) : m_(m) {
    for (const cache_model* level : {&m_.l2, &m_.l3})
      if (level->size != 0) outer_.emplace_back(level, made(*level));
    if (m_.main_tlb.entries != 0) main_.emplace(made(m_.main_tlb));
  }

  Counts run(std::span<const Step> steps) {
    for (const Step& step : steps) execute(step);
    counts_[CYCLES] = parts_ / PARTS_PER_CYCLE;
    counts_[STALL_DEPENDENCY] = dependency_ / PARTS_PER_CYCLE;
    Counts counts = counts_;
    counts[STALL_LOAD] += late_ / PARTS_PER_CYCLE;
    return counts;
  }

 private:
  static SlowCache made(const cache_model& c) {
    return {c.size / c.ways / c.line, c.ways, c.replacement};
  }
  static SlowCache made(const tlb_model& t) { return {t.entries / t.ways, t.ways, t.replacement}; }

  // The column of loads or stores; both follow the column of fetches.
  static std::size_t of(column fetches, cause by) {
    return static_cast<std::size_t>(fetches) + static_cast<std::size_t>(by);
  }

  void execute(const Step& step) {
    const segment& s = *step.what;
    const bool round = last_ != nullptr && last_->address == s.address;
    if (last_ != nullptr) arrive(*last_, s.address);
    last_ = &s;
    parts_ += s.parts + (round ? s.carried : 0);
    dependency_ += round ? s.carried : 0;
    dependency_ += s.dependency;
    counts_[INSTRUCTIONS] += s.counts & COUNT_MASK;
    for (unsigned i = 0; i < s.fetches; ++i) {
      const std::uint64_t line = s.lines[i] / 2, next = line + s.lines[i] % 2;
      refer(FETCH, line * m_.l1i.line, next * m_.l1i.line);
    }
    for (unsigned i = 0; i < s.operands; ++i) {
      const unsigned code = s.codes[i];
      const bool writes = (code & OPERAND_WRITES) != 0, updates = (code & OPERAND_UPDATES) != 0;
      if ((code & OPERAND_GUARDED) != 0 && step.operands[i] == 0) continue;
      counts_[LOADS] += !writes || updates;
      counts_[STORES] += writes || updates;
      refer(writes ? STORE : LOAD, step.operands[i], step.operands[i] + (code & OPERAND_BYTES) - 1,
            (code & OPERAND_CHAINED) != 0);
    }
  }

  // An access to the bytes from `first` to `last`, which lie in at most two lines. Nothing hides a
  // part of the wait of a load in a chain.
  void refer(cause by, std::uint64_t first, std::uint64_t last, bool chained = false) {
    const cache_model& level1 = by == FETCH ? m_.l1i : m_.l1d;
    SlowCache& cache = by == FETCH ? l1i_ : l1d_;
    translate(by, first / m_.page);
    if (first / m_.page != last / m_.page) translate(by, last / m_.page);
    if (access_both(cache, level1, by, first, last)) return;
    ++counts_[of(L1I_MISSES, by)];
    const std::uint64_t asked_at = parts_;
    std::uint64_t latency = m_.memory_latency;
    std::size_t column = of(L2_FETCH_MISSES, by);
    for (auto& [level, outer] : outer_) {
      if (access_both(outer, *level, by, first, last)) {
        latency = level->latency;
        break;
      }
      ++counts_[column];
      column += 3;
    }
    wait(by == FETCH ? STALL_FETCH : by == LOAD ? STALL_LOAD : STALL_STORE, beyond(by, latency));
    if (chained) {
      const std::uint64_t whole = latency - std::min(latency, m_.l1d.latency);
      late_ += (whole - beyond(LOAD, latency)) * PARTS_PER_CYCLE;
      parts_ += (whole - beyond(LOAD, latency)) * PARTS_PER_CYCLE;
    }
    if (by != FETCH && m_.prefetch.streams != 0) prefetch(by, first / m_.l2.line, asked_at);
  }

  // The second level was asked for a line. A load waits for one that is on its way.
  void prefetch(cause by, std::uint64_t line, std::uint64_t asked_at) {
    std::erase_if(on_the_way_, [this](const OnTheWay& each) { return each.ready <= parts_; });
    const auto found = std::ranges::find(on_the_way_, line, &OnTheWay::line);
    if (by == LOAD && found != on_the_way_.end()) {
      late_ += found->ready - parts_;
      parts_ = found->ready;
    }
    for (const std::uint64_t each : stream_lines(static_cast<std::int64_t>(line)))
      bring(each, asked_at);
  }

  // What the stream of the line asks for, at most two lines. A stream stays in its page.
  std::vector<std::uint64_t> stream_lines(std::int64_t line) {
    const std::int64_t in_a_page = static_cast<std::int64_t>(m_.page / m_.l2.line);
    const std::int64_t distance = static_cast<std::int64_t>(m_.prefetch.distance);
    const auto of_page = [in_a_page](std::int64_t each) { return each / in_a_page; };
    const auto follows = [&](const Stream& s) {
      const std::int64_t moved = line - s.last;
      if (of_page(line) != of_page(s.last)) return false;
      if (s.step == 0) return moved == 0 || moved == 1 || moved == -1;
      return moved == 0 || ((moved > 0) == (s.step > 0) && std::abs(moved) <= distance);
    };
    const auto found = std::ranges::find_if(streams_, follows);
    if (found == streams_.end()) {
      streams_.push_front({line, line, 0});
      if (streams_.size() > m_.prefetch.streams) streams_.pop_back();
      return {};
    }
    streams_.splice(streams_.begin(), streams_, found);
    Stream& stream = streams_.front();
    if (stream.step == 0) stream.step = line - stream.last;
    stream.last = line;
    if (stream.step == 0) return {};
    const bool behind = stream.step > 0 ? stream.asked < line : stream.asked > line;
    if (behind) stream.asked = line;
    std::vector<std::uint64_t> lines;
    for (int i = 0; i < 2; ++i) {
      const std::int64_t next = stream.asked + stream.step;
      if (next < 0 || of_page(next) != of_page(line) || std::abs(next - line) > distance) break;
      stream.asked = next;
      lines.push_back(static_cast<std::uint64_t>(next));
    }
    return lines;
  }

  // Brings a line into the outer levels, one after the other until one has it.
  void bring(std::uint64_t line, std::uint64_t asked_at) {
    if (on_the_way_.size() == LINES_ON_THE_WAY) return;
    const std::uint64_t address = line * m_.l2.line;
    for (std::size_t i = 0; i < outer_.size(); ++i) {
      auto& [level, cache] = outer_[i];
      if (!cache.access(address / level->line)) continue;
      if (i > 0)
        on_the_way_.push_back({line, asked_at + beyond(LOAD, level->latency) * PARTS_PER_CYCLE});
      return;
    }
    const std::uint64_t sent_at = std::max(asked_at, memory_free_);
    memory_free_ = sent_at + m_.prefetch.line_cycles * PARTS_PER_CYCLE;
    on_the_way_.push_back({line, sent_at + beyond(LOAD, m_.memory_latency) * PARTS_PER_CYCLE});
  }

  // Looks up the line or the two lines of an access; returns whether all were there.
  static bool access_both(SlowCache& cache, const cache_model& m, cause by, std::uint64_t first,
                          std::uint64_t last) {
    const bool allocate = by != STORE || m.write_allocate != 0;
    const bool hit = cache.access(first / m.line, allocate);
    return (first / m.line == last / m.line || cache.access(last / m.line, allocate)) && hit;
  }

  std::uint64_t beyond(cause by, std::uint64_t latency) const {
    const auto less = [](std::uint64_t a, std::uint64_t b) { return a - std::min(a, b); };
    if (by == FETCH) return less(latency, m_.l1i.latency);
    const std::uint64_t waited = less(less(latency, m_.l1d.latency), m_.hidden);
    return by == LOAD ? waited : waited * m_.store_percent / 100;
  }

  void translate(cause by, std::uint64_t page) {
    if ((by == FETCH ? itlb_ : dtlb_).access(page)) return;
    ++counts_[of(ITLB_MISSES, by)];
    const bool hit = main_ && access_main_tlb(page);
    counts_[of(WALK_FETCHES, by)] += !hit;
    wait(by == FETCH ? STALL_ITLB : STALL_DTLB, hit ? m_.main_tlb.latency : m_.walk_latency);
  }

  // A translation that the main TLB evicts is a victim until it is used or other victims replace
  // it.
  bool access_main_tlb(std::uint64_t page) {
    if (main_->access(page)) return true;
    const bool was_victim = victims_.remove(page);
    if (m_.main_tlb.victims != 0 && main_->evicted()) victims_.access(*main_->evicted());
    return was_victim;
  }

  // Control goes from a segment to an address.
  void arrive(const segment& from, std::uint64_t to) {
    if (from.leave == LEAVE_NONE) return;
    ++counts_[BRANCHES];
    bool wrong = false;
    if (from.leave == LEAVE_CONDITIONAL) {
      wrong = condition_is_wrong(from, (to == from.exit) != (from.inverted != 0));
    } else if (from.leave == LEAVE_RETURN) {
      wrong = returns_.empty() || returns_.front() != to;
      if (!returns_.empty()) returns_.splice(returns_.end(), returns_, returns_.begin());
    }
    if ((from.leave == LEAVE_CALL || from.leave == LEAVE_INDIRECT_CALL) && !returns_.empty()) {
      returns_.push_front(from.back);
      returns_.pop_back();  // the oldest, or one that has been returned to
    }
    if (from.leave == LEAVE_INDIRECT || from.leave == LEAVE_INDIRECT_CALL) {
      wrong = m_.branch.targets == 0;
      if (!wrong)
        wrong = std::exchange(targets_[from.branch % m_.branch.targets], std::optional(to)) != to;
    }
    counts_[BRANCH_MISSES] += wrong;
    if (wrong) wait(STALL_BRANCH, m_.branch.mispredict);
  }

  bool condition_is_wrong(const segment& from, bool taken) {
    if (m_.branch.direction == DIRECTION_FIXED) return taken != (from.backward != 0);
    if (m_.branch.direction == DIRECTION_TAGE) return tage_.mispredicts(from.branch, taken);
    std::uint64_t recent = 0;  // the latest in the lowest bit
    for (const bool each : history_) recent = recent * 2 + each;
    int& counter =
        counters_.try_emplace((from.branch ^ recent) % m_.branch.entries, 1).first->second;
    const bool predicted = counter >= 2;
    counter = std::clamp(counter + (taken ? 1 : -1), 0, 3);
    history_.push_back(taken);
    if (history_.size() > m_.branch.history) history_.pop_front();
    return predicted != taken;
  }

  std::vector<std::uint64_t> histories() const {
    std::vector<std::uint64_t> lengths(std::begin(m_.tage.histories), std::end(m_.tage.histories));
    std::erase(lengths, 0U);
    return lengths;
  }

  void wait(column why, std::uint64_t cycles) {
    counts_[why] += cycles;
    parts_ += cycles * PARTS_PER_CYCLE;
  }

  model m_;
  Counts counts_{};
  struct OnTheWay {
    std::uint64_t line, ready;
  };
  struct Stream {
    std::int64_t last, asked, step;
  };

  std::uint64_t parts_ = 0, dependency_ = 0, late_ = 0, memory_free_ = 0;
  std::vector<OnTheWay> on_the_way_;
  std::list<Stream> streams_;  // the most recently used first
  const segment* last_ = nullptr;
  SlowCache l1i_ = made(m_.l1i), l1d_ = made(m_.l1d), itlb_ = made(m_.itlb), dtlb_ = made(m_.dtlb);
  std::vector<std::pair<const cache_model*, SlowCache>> outer_;
  std::optional<SlowCache> main_;
  SlowCache victims_{1, m_.main_tlb.victims, REPLACE_LRU};
  std::list<bool> history_;
  std::map<std::uint64_t, int> counters_;
  SlowTage tage_{m_.branch.entries, m_.tage.entries, m_.tage.loops, histories()};
  std::map<std::uint64_t, std::optional<std::uint64_t>> targets_;
  std::list<std::uint64_t> returns_ = std::list<std::uint64_t>(m_.branch.returns, NO_ADDRESS);
};

}  // namespace tacho::simulator
