// A slow and simple reference for the counts of the simulator's core: it searches lists from end to
// end and keeps nothing between accesses. It is written from docs/explanation/simulator.md and
// cpu_model.hpp, not from the core's code.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <deque>
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
    counts[STALL_LOAD] += late_[LATE_LOAD] / PARTS_PER_CYCLE;
    counts[STALL_STORE] += late_[LATE_STORE] / PARTS_PER_CYCLE;
    counts[STALL_DTLB] += late_[LATE_TRANSLATION] / PARTS_PER_CYCLE;
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
    const std::uint64_t carried = carried_to(s);
    if (last_ != nullptr) arrive(*last_, s.address);
    last_ = &s;
    parts_ += s.parts + carried;
    dependency_ += carried;
    dependency_ += s.dependency;
    counts_[INSTRUCTIONS] += s.counts & COUNT_MASK;
    for (unsigned i = 0; i < s.fetches; ++i) {
      const std::uint64_t line = s.lines[i] / 2, next = line + s.lines[i] % 2;
      refer(FETCH, line * m_.l1i.line, next * m_.l1i.line);
    }
    bool in_window = m_.in_order == 0 && until_ > parts_;
    if (in_window) enter(s);
    for (unsigned i = 0; i < s.operands; ++i) {
      const unsigned code = s.codes[i];
      const bool writes = (code & OPERAND_WRITES) != 0, updates = (code & OPERAND_UPDATES) != 0;
      if ((code & OPERAND_GUARDED) != 0 && step.operands[i] == 0) continue;
      counts_[LOADS] += !writes || updates;
      counts_[STORES] += writes || updates;
      const std::uint64_t first = step.operands[i], last = first + (code & OPERAND_BYTES) - 1;
      if (m_.in_order != 0)
        refer(writes ? STORE : LOAD, first, last);
      else
        in_window = overlap(s, i, first, last, in_window);
    }
    if (in_window) end(s);
  }

  // ---- An out-of-order core ----

  // The time for which a round waits that ends when control goes to a segment. A round begins
  // behind a branch backward.
  std::uint64_t carried_to(const segment& s) {
    std::uint64_t carried = 0;
    if (m_.in_order != 0) return 0;
    const bool jumps =
        last_ != nullptr && (last_->leave == LEAVE_CONDITIONAL || last_->leave == LEAVE_DIRECT);
    if (last_ != nullptr && last_->address == s.address) {
      carried = s.carried;
      round_.clear();
    } else if (jumps && s.address <= last_->branch) {
      if (!round_.empty() && round_.size() <= MAX_ROUND && round_[0] == &s) carried = end_round();
      round_.clear();
    }
    round_.push_back(&s);
    return carried;
  }

  std::uint64_t end_round() {
    std::vector<flow> flows;
    std::uint64_t parts = 0;
    for (const segment* each : round_) {
      flows.push_back({dependences_of(each), each->dependences, each->operands});
      parts += each->parts;
    }
    const std::uint64_t way = rounds_way(round_.data(), static_cast<unsigned>(round_.size()));
    auto& [known, seen] = rounds_[way >> KNOWN_SHIFT];
    if (std::exchange(known, way) != way) seen = 0;
    if (++seen < SEEN_OFTEN) return 0;
    const std::uint64_t time =
        rounds_time(flows.data(), static_cast<unsigned>(flows.size()), m_.l1d.latency);
    return time - std::min(time, parts);
  }

  struct Late {
    std::uint64_t number, ready, translated, translation;
  };
  struct Asked {
    std::uint64_t line, ready;
  };

  void wait_for_oldest(std::deque<Late>& queue, late_kind kind) {
    const Late oldest = queue.front();
    queue.pop_front();
    if (oldest.ready <= parts_) return;
    const std::uint64_t waited = oldest.ready - parts_, line = oldest.ready - oldest.translated;
    const std::uint64_t translation =
        waited > line ? std::min(waited - line, oldest.translation) : 0;
    parts_ = oldest.ready;
    late_[kind] += waited - translation;
    late_[LATE_TRANSLATION] += translation;
  }

  void add_late(std::deque<Late>& queue, const Late& late, late_kind kind) {
    if (queue.size() == MAX_LATE) wait_for_oldest(queue, kind);
    queue.push_back(late);
    until_ = std::max(until_, late.ready);
  }

  void enter(const segment& s) {
    instructions_ += s.counts & COUNT_MASK;
    stores_ += s.counts >> (2 * COUNT_BITS);
    while (!late_loads_.empty() && late_loads_[0].number + m_.window.instructions <= instructions_)
      wait_for_oldest(late_loads_, LATE_LOAD);
    while (!late_stores_.empty() && late_stores_[0].number + m_.window.stores <= stores_)
      wait_for_oldest(late_stores_, LATE_STORE);
    loaded_.clear();
  }

  void begin(const segment& s) {
    instructions_ = s.counts & COUNT_MASK;
    stores_ = s.counts >> (2 * COUNT_BITS);
    late_loads_.clear();
    late_stores_.clear();
    loaded_.clear();
  }

  // When all that a value needs is ready.
  std::uint64_t needs(const segment& s, unsigned to) const {
    std::uint64_t ready = 0;
    for (const dependence& each : std::span(dependences_of(&s), s.dependences)) {
      if (each.to != to) continue;
      const auto& from = each.from >= FROM_OPERAND ? loaded_ : registers_;
      const auto found = from.find(each.from);
      ready = std::max(ready, (found != from.end() ? found->second : 0) +
                                  std::uint64_t{each.after} * PARTS_PER_CYCLE);
    }
    return ready;
  }

  void end(const segment& s) {
    std::map<unsigned, std::uint64_t> ends;
    for (const dependence& each : std::span(dependences_of(&s), s.dependences))
      if (each.to >= TO_REGISTER) ends[each.to - TO_REGISTER] = needs(s, each.to);
    branch_ = needs(s, TO_BRANCH);
    for (const auto& [number, ready] : ends) registers_[number] = ready;
  }

  // An operand; returns whether something is on its way then.
  bool overlap(const segment& s, unsigned i, std::uint64_t first, std::uint64_t last,
               bool in_window) {
    const unsigned code = s.codes[i];
    const cause by = (code & OPERAND_WRITES) != 0 ? STORE : LOAD;
    const std::uint64_t needed = in_window ? needs(s, i) : 0, time = parts_;
    const std::uint64_t latency = m_.l1d.latency * PARTS_PER_CYCLE;
    const std::uint64_t walked = counts_[of(WALK_FETCHES, by)];
    std::uint64_t cycles = find_translation(by, first / m_.page);
    bool hit = l1d_.access(first / m_.l1d.line, by == LOAD || m_.l1d.write_allocate != 0);
    if (first / m_.l1d.line != last / m_.l1d.line) {
      if (first / m_.page != last / m_.page) cycles += find_translation(by, last / m_.page);
      hit = l1d_.access(last / m_.l1d.line, by == LOAD || m_.l1d.write_allocate != 0) && hit;
    }
    if (!in_window && hit && cycles == 0) return false;
    if (!in_window) begin(s);
    const std::uint64_t known = by == LOAD ? std::max(time, needed) : time;
    Late late{};
    late.translated = known + cycles * PARTS_PER_CYCLE;
    if (counts_[of(WALK_FETCHES, by)] != walked) {
      if (walks_.size() < m_.window.walks) walks_.resize(m_.window.walks);
      std::uint64_t& walker = *std::ranges::min_element(walks_);
      walker = late.translated = std::max(known, walker) + cycles * PARTS_PER_CYCLE;
    }
    late.translation = late.translated - known;
    late.ready = hit ? std::max(arrival(first / m_.l1d.line), arrival(last / m_.l1d.line))
                     : bring_in(by, first, last, late.translated);
    late.ready = std::max(late.ready, late.translated);
    if (by == STORE) {
      stored_[first / 8 % STORED_WORDS] = {first / 8, needed};
      late.number = stores_;
      if (late.ready > parts_) add_late(late_stores_, late, LATE_STORE);
      return true;
    }
    const auto stored = stored_.find(first / 8 % STORED_WORDS);
    if (stored != stored_.end() && stored->second.line == first / 8)
      late.ready = std::max(late.ready, stored->second.ready);
    late.ready += latency;
    late.number = instructions_;
    loaded_[FROM_OPERAND + i] = late.ready;
    if ((code & OPERAND_UPDATES) != 0)
      stored_[first / 8 % STORED_WORDS] = {first / 8,
                                           late.ready + m_.latency.integer * PARTS_PER_CYCLE};
    if (late.ready > parts_ + latency) add_late(late_loads_, late, LATE_LOAD);
    return true;
  }

  std::uint64_t arrival(std::uint64_t line) const {
    const auto found = std::ranges::find(asked_, line, &Asked::line);
    return found != asked_.end() ? found->ready : 0;
  }

  std::uint64_t bring_in(cause by, std::uint64_t first, std::uint64_t last, std::uint64_t at) {
    ++counts_[of(L1I_MISSES, by)];
    const std::uint64_t takes = beyond(LOAD, outer_latency(by, first, last)) * PARTS_PER_CYCLE;
    std::uint64_t least = 0;
    if (m_.prefetch.streams != 0) least = prefetch(first / m_.l2.line, at);
    if (asked_.size() < m_.window.misses) asked_.resize(m_.window.misses, {~0ull, 0});
    Asked& slot = *std::ranges::min_element(asked_, {}, &Asked::ready);
    slot = {first / m_.l1d.line, std::max(std::max(at, slot.ready) + takes, least)};
    return slot.ready;
  }

  // ---- Accesses ----

  // Looks up the levels behind the first. Returns the latency of the one that has the bytes.
  std::uint64_t outer_latency(cause by, std::uint64_t first, std::uint64_t last) {
    std::size_t column = of(L2_FETCH_MISSES, by);
    for (auto& [level, outer] : outer_) {
      if (access_both(outer, *level, by, first, last)) return level->latency;
      ++counts_[column];
      column += 3;
    }
    return m_.memory_latency;
  }

  // An access to the bytes from `first` to `last`, which lie in at most two lines.
  void refer(cause by, std::uint64_t first, std::uint64_t last) {
    const cache_model& level1 = by == FETCH ? m_.l1i : m_.l1d;
    SlowCache& cache = by == FETCH ? l1i_ : l1d_;
    translate(by, first / m_.page);
    if (first / m_.page != last / m_.page) translate(by, last / m_.page);
    if (access_both(cache, level1, by, first, last)) return;
    ++counts_[of(L1I_MISSES, by)];
    const std::uint64_t asked_at = parts_;
    const std::uint64_t latency = outer_latency(by, first, last);
    wait(by == FETCH ? STALL_FETCH : by == LOAD ? STALL_LOAD : STALL_STORE, beyond(by, latency));
    if (by == FETCH || m_.prefetch.streams == 0) return;
    const std::uint64_t ready = prefetch(first / m_.l2.line, asked_at);
    if (by == LOAD && ready > parts_) {
      late_[LATE_LOAD] += ready - parts_;
      parts_ = ready;
    }
  }

  // The second level was asked for a line. Returns when it is ready if it is on its way.
  std::uint64_t prefetch(std::uint64_t line, std::uint64_t asked_at) {
    std::erase_if(on_the_way_, [this](const OnTheWay& each) { return each.ready <= parts_; });
    const auto found = std::ranges::find(on_the_way_, line, &OnTheWay::line);
    const std::uint64_t ready = found != on_the_way_.end() ? found->ready : 0;
    for (const std::uint64_t each : stream_lines(static_cast<std::int64_t>(line)))
      bring(each, asked_at);
    return ready;
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
    const std::uint64_t waited = less(latency, m_.l1d.latency);
    return by == LOAD ? waited : waited * m_.store_percent / 100;
  }

  void translate(cause by, std::uint64_t page) {
    wait(by == FETCH ? STALL_ITLB : STALL_DTLB, find_translation(by, page));
  }

  // The cycles that a translation takes.
  std::uint64_t find_translation(cause by, std::uint64_t page) {
    if ((by == FETCH ? itlb_ : dtlb_).access(page)) return 0;
    ++counts_[of(ITLB_MISSES, by)];
    const bool hit = main_ && access_main_tlb(page);
    counts_[of(WALK_FETCHES, by)] += !hit;
    return hit ? m_.main_tlb.latency : m_.walk_latency;
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
    if (wrong && m_.in_order == 0 && branch_ > parts_) {  // what it needs is late
      late_[LATE_LOAD] += branch_ - parts_;
      parts_ = branch_;
    }
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

  std::uint64_t parts_ = 0, dependency_ = 0, memory_free_ = 0;
  std::array<std::uint64_t, 3> late_{};
  std::uint64_t until_ = 0, instructions_ = 0, stores_ = 0, branch_ = 0;
  std::vector<const segment*> round_;  // since the last branch backward
  // Ways of rounds, and how often each was gone, by their highest bits.
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> rounds_;
  std::deque<Late> late_loads_, late_stores_;
  std::vector<Asked> asked_;
  std::vector<std::uint64_t> walks_;
  std::map<unsigned, std::uint64_t> registers_, loaded_;  // when their values are ready
  std::map<std::uint64_t, Asked> stored_;  // words by the lowest bits of their number
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
