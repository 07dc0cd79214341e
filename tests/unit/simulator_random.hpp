// Random models and programs, with which tests compare the simulator's core and the reference.
#pragma once

#include <algorithm>
#include <random>
#include <string>

#include "simulator_programs.hpp"

namespace tacho::simulator {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : generator_(seed) {}
  std::uint64_t below(std::uint64_t n) { return generator_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <typename T>
  T of(std::initializer_list<T> choices) {
    return *(choices.begin() + below(choices.size()));
  }

 private:
  std::mt19937_64 generator_;
};

// The addresses of a program's accesses. Patterns that fill or overfill one part of the model take
// turns.
class Addresses {
 public:
  Addresses(const model& m, Dice& dice) : m_(m), dice_(dice) {
    const std::uint64_t way = m.l1d.size / m.l1d.ways, ways = m.l1d.ways;
    const std::uint64_t outer = m.l2.size != 0 ? m.l2.size : 8192;
    walks_ = {
        {m.l1d.line, m.l1d.size / m.l1d.line + 1, 0},      // one line over the first level
        {m.l1d.line, m.l1d.size / m.l1d.line, 0},          // exactly all lines
        {way, ways + 1, 0},                                // one set, one way too many
        {way, ways, 0},                                    //
        {m.page, m.dtlb.entries + 1, 0},                   // one page over the TLB
        {m.page + m.l1d.line, m.main_tlb.entries + 9, 0},  // over the main TLB
        {FAST_CACHE_PLACES * m.l1d.line, 3, 0},            // lines with the same place in the table
        {FAST_CACHE_PLACES * m.page, 3, 0},                // pages with the same place
        {FAST_CACHE_PLACES * m.page * 4 + m.page, 2 * m.dtlb.entries, 0},
        {m.l2.line != 0 ? m.l2.line : 64, outer / 64 + 1, 0},  // one line over the second level
        {24, 100'000, 0},                                      // forward, some across lines
    };
  }

  std::uint64_t next() {
    if (dice_.one_in(400)) kind_ = dice_.below(walks_.size() + 2);
    if (kind_ == walks_.size()) return 1'000'000 + dice_.below(4 * m_.l1d.size);
    if (kind_ > walks_.size())  // ends of lines and pages
      return (300 + dice_.below(40)) * m_.page + dice_.below(4) * m_.l1d.line - dice_.below(9);
    Walk& walk = walks_[kind_];
    const std::uint64_t jitter = dice_.one_in(10) ? dice_.below(m_.l1d.line) : 0;
    return 40 * m_.page + walk.stride * (walk.at++ % walk.count) + jitter;
  }

 private:
  struct Walk {
    std::uint64_t stride, count, at;
  };
  const model& m_;
  Dice& dice_;
  std::vector<Walk> walks_;
  std::size_t kind_ = 0;
};

// Each value needs a few registers, and loads before it.
inline std::vector<dependence> random_dependences(Dice& dice,
                                                  const std::vector<unsigned>& operands) {
  std::vector<dependence> all;
  std::vector<unsigned> loads;
  const auto add = [&](unsigned to) {
    for (auto left = dice.below(3); left != 0; --left) {
      const std::uint64_t choice = dice.below(10);
      const unsigned from = choice == 0                   ? FROM_NOTHING
                            : choice < 6 || loads.empty() ? static_cast<unsigned>(dice.below(6))
                                                          : loads[dice.below(loads.size())];
      all.push_back({static_cast<std::uint16_t>(to), static_cast<std::uint16_t>(from),
                     static_cast<std::uint16_t>(dice.below(9))});
    }
  };
  for (unsigned i = 0; i < operands.size(); ++i) {
    add(i);
    if ((operands[i] & (OPERAND_WRITES | OPERAND_PREFETCH)) == 0) loads.push_back(FROM_OPERAND + i);
  }
  add(TO_BRANCH);
  for (unsigned i = 0; i < 6; ++i)
    if (dice.one_in(2)) add(TO_REGISTER + i);
  return all;
}

// Segments one after another, with gaps: some share lines, some lie on two pages.
inline std::vector<segment*> random_code(Code& code, Dice& dice, const model& m) {
  std::vector<segment*> segments;
  std::uint64_t at = 0x10000;
  for (auto left_to_make = dice.of({4, 40, 300}); left_to_make != 0; --left_to_make) {
    std::vector<unsigned> sizes, operands;
    for (std::uint64_t left = 1 + dice.below(dice.one_in(8) ? 60 : 9); left != 0; --left) {
      sizes.push_back(static_cast<unsigned>(1 + dice.below(15)));
      if (!dice.one_in(3)) continue;
      const auto size = static_cast<unsigned>(dice.of<std::uint64_t>({1, 4, 8, 16, m.l1d.line}));
      operands.push_back(size |
                         dice.of<unsigned>({0, 0, OPERAND_WRITES, OPERAND_WRITES, OPERAND_UPDATES,
                                            OPERAND_GUARDED, OPERAND_GUARDED | OPERAND_WRITES}));
    }
    segment* s = code.add(at, sizes, operands, static_cast<leave>(dice.below(LEAVE_RETURN + 1)));
    at = s->back;
    code.wait_for_operands(s, static_cast<std::uint32_t>(dice.below(s->parts + 1)));
    if (m.in_order == 0 && dice.one_in(2))
      s->carried = static_cast<std::uint32_t>(dice.below(3 * PARTS_PER_CYCLE));
    s->waits = static_cast<std::uint16_t>(dice.below(sizes.size()));
    s->inverted = dice.one_in(2);
    s->backward = dice.one_in(2);
    if (m.in_order == 0) code.depend(s, random_dependences(dice, operands));
    segments.push_back(s);
    if (dice.one_in(3)) at += dice.below(dice.one_in(4) ? 3 * m.page : 3 * m.l1i.line);
  }
  for (segment* s : segments) s->exit = segments[dice.below(segments.size())]->address;
  return segments;
}

inline std::vector<Step> random_program(const model& m, const std::vector<segment*>& segments,
                                        Dice& dice, unsigned count) {
  Addresses addresses(m, dice);
  std::vector<Step> steps;
  std::vector<std::size_t> calls;
  std::size_t at = 0;
  while (steps.size() < count) {
    Step& step = steps.emplace_back(segments[at], std::vector<std::uint64_t>());
    const segment& s = *step.what;
    for (unsigned i = 0; i < s.operands; ++i) {
      const bool skipped = (s.codes[i] & OPERAND_GUARDED) != 0 && dice.one_in(2);
      step.operands.push_back(skipped ? 0 : addresses.next());
    }
    const std::size_t follows = (at + 1) % segments.size();
    const bool calls_one = s.leave == LEAVE_CALL || s.leave == LEAVE_INDIRECT_CALL;
    if (calls_one) calls.push_back(follows);
    if (s.leave == LEAVE_RETURN && !calls.empty()) {
      at = calls.back();
      calls.pop_back();
    } else if (s.leave == LEAVE_NONE ||
               (s.leave == LEAVE_CONDITIONAL && dice.below(s.branch % 7 + 2) == 0)) {
      at = follows;
    } else if (s.leave == LEAVE_CONDITIONAL || !dice.one_in(4)) {
      while (segments[at]->address != s.exit) at = (at + 1) % segments.size();
    } else {
      at = dice.below(segments.size());
    }
    if (dice.one_in(50)) at = dice.below(segments.size());  // a signal
  }
  return steps;
}

inline cache_model random_cache(Dice& dice, std::uint64_t line, bool first_level) {
  const std::uint64_t ways = dice.of<std::uint64_t>({1, 2, 3, 4, 5, 8, 8, 11, 12, 16, 17, 20, 33});
  std::uint64_t sets =
      dice.one_in(16) ? 2 * FAST_CACHE_PLACES : 1ull << dice.below(6);  // 1: fully associative
  if (!first_level && dice.one_in(2)) sets = 3 + dice.below(40);
  return {ways * sets * line,
          ways,
          line,
          dice.of<std::uint64_t>({REPLACE_LRU, REPLACE_LRU, REPLACE_ROUND_ROBIN}),
          dice.below(2),
          1 + dice.below(20),
          0};
}

inline tlb_model random_tlb(Dice& dice) {
  const std::uint64_t ways = dice.of<std::uint64_t>({1, 2, 4, 8, 10, 12, 24});
  const std::uint64_t replacement = dice.of<std::uint64_t>({REPLACE_LRU, REPLACE_ROUND_ROBIN});
  return {ways << dice.below(4), ways, 0, replacement, dice.below(9)};
}

inline model random_model(Dice& dice) {
  model m = small_model();
  const auto line = [&dice] { return dice.one_in(16) ? 2048ull : 32ull << dice.below(4); };
  m.in_order = dice.below(2);
  m.latency.integer = 1;
  m.window = {dice.of<std::uint64_t>({8, 30, 224}), 1 + dice.below(12), 1 + dice.below(20),
              1 + dice.below(3)};
  m.store_percent = dice.below(101);
  m.l1i = random_cache(dice, line(), true);
  m.l1d = random_cache(dice, line(), true);
  m.l2 = m.l3 = {};
  if (!dice.one_in(4)) m.l2 = random_cache(dice, line(), false);
  if (m.l2.size != 0 && dice.one_in(2)) m.l3 = random_cache(dice, line(), false);
  m.memory_latency = dice.below(200);
  m.page = dice.of<std::uint64_t>({256, 1024, 4096, 4096, 16384});
  m.page = std::max({m.page, m.l1i.line, m.l1d.line});
  m.itlb = random_tlb(dice);
  m.dtlb = random_tlb(dice);
  m.main_tlb = dice.one_in(4) ? tlb_model{} : random_tlb(dice);
  if (m.main_tlb.entries != 0) m.main_tlb.victims = dice.of<std::uint64_t>({0, 1, 8, 20});
  // Two lines that a prefetcher brings at a time have the same time stamp, so they need sets of
  // their own.
  const auto spreads = [](const cache_model& c) {
    return c.size == 0 || c.size / c.ways / c.line > 8;
  };
  if (m.l2.size != 0 && m.page >= m.l2.line && spreads(m.l2) && spreads(m.l3))
    m.prefetch = {dice.below(6), 1 + dice.below(5), dice.below(30)};
  m.branch = {dice.below(DIRECTION_TAGE + 1),
              1ull << dice.below(8),
              0,
              dice.of<std::uint64_t>({0, 1, 16}),
              dice.of<std::uint64_t>({0, 1, 3, 64}),
              dice.below(20)};
  if (m.branch.direction == DIRECTION_GSHARE) m.branch.history = 1 + dice.below(10);
  if (m.branch.direction == DIRECTION_TAGE) {
    m.tage = {2ull << dice.below(8), dice.of<std::uint64_t>({0, 1, 16, 64}), {}};
    std::uint64_t length = 0;
    for (std::uint64_t i = 0, count = 1 + dice.below(MAX_HISTORIES); i < count; ++i)
      m.tage.histories[i] = length += 1 + dice.below(MAX_HISTORY / MAX_HISTORIES);
  }
  return m;
}

inline std::string to_text(const Counts& counts) {
  std::string text;
  for (std::size_t i = 0; i < COLUMN_COUNT; ++i)
    text += std::string(column_names[i]) + " " + std::to_string(counts[i]) + "\n";
  return text;
}

}  // namespace tacho::simulator
