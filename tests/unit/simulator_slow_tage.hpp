// A slow and simple reference for the simulator's TAGE and its loop predictor. It is written from
// docs/explanation/simulator.md: it keeps the history as a list, and finds its entries in maps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tacho::simulator {

class SlowTage {
 public:
  SlowTage(std::uint64_t base, std::uint64_t table_entries, std::uint64_t loops,
           std::vector<std::uint64_t> histories)
      : base_(base), entries_(table_entries), loops_(loops), lengths_(std::move(histories)) {}

  bool mispredicts(std::uint64_t branch, bool taken) {
    Base& base = bases_[branch % base_];
    if (!base.both_ways) {
      const bool predicted = base.seen && base.taken;
      const bool turned = base.seen && base.taken != taken;
      if (turned) {
        base.both_ways = true;
        base.counter = taken ? 1 : 2;
        follow(branch, taken);
      }
      base.seen = true;
      base.taken = taken;
      return predicted != taken;
    }
    const auto known = following_.find(loops_ != 0 ? branch % loops_ : 0);
    Loop* loop =
        known != following_.end() && known->second.branch == branch ? &known->second : nullptr;
    const bool sure = loop != nullptr && loop->equal == 3;
    bool predicted = false;
    if (sure)
      predicted = loop->now == loop->turns ? !loop->stays : loop->stays;
    else
      predicted = by_history(branch, taken, base);
    if (loop != nullptr)
      learn(known, taken);
    else if (predicted != taken)
      follow(branch, taken);
    return predicted != taken;
  }

 private:
  struct Base {
    bool seen = false, taken = false, both_ways = false;
    int counter = 0;
  };
  struct Entry {
    std::uint64_t tag;
    int counter, useful = 0;
  };
  struct Loop {
    std::uint64_t branch;
    bool stays;
    std::optional<std::uint64_t> turns = std::nullopt;  // of the last whole loop
    std::uint64_t now = 0;
    int equal = 0, age = 7;
  };
  using Loops = std::map<std::uint64_t, Loop>;

  // ---- Loops ----

  void follow(std::uint64_t branch, bool taken) {
    if (loops_ == 0) return;
    const auto there = following_.find(branch % loops_);
    if (there != following_.end() && there->second.age > 0)
      --there->second.age;
    else
      following_.insert_or_assign(branch % loops_, Loop{.branch = branch, .stays = !taken});
  }

  void learn(Loops::iterator at, bool taken) {
    Loop& loop = at->second;
    const bool sure = loop.equal == 3;
    if (taken == loop.stays) {
      ++loop.now;
      const bool longer = loop.turns && loop.now > *loop.turns;
      if (loop.now > 16383 || (longer && sure)) {
        following_.erase(at);
      } else if (longer) {
        loop.turns.reset();
        loop.equal = 0;
      }
      return;
    }
    if (loop.turns == loop.now) {
      if (sure) loop.age = 7;
      loop.equal = std::min(3, loop.equal + 1);
    } else if (sure || loop.now < 3) {
      following_.erase(at);
      return;
    } else {
      loop.turns = loop.now;
      loop.equal = 0;
    }
    loop.now = 0;
  }

  // ---- Histories ----

  // The latest branches as two numbers, the latest in the lowest bit of the first.
  std::uint64_t hash(std::uint64_t branch, std::uint64_t length) const {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
    std::uint64_t words[2] = {0, 0};
    for (std::size_t i = 0; i < std::min<std::size_t>(length, history_.size()); ++i)
      if (history_[i]) words[i / 64] |= std::uint64_t{1} << i % 64;
    std::uint64_t h = branch * kGolden;
    for (const std::uint64_t word : words) h = ((h ^ h >> 32) + word) * kGolden;
    return h;
  }

  bool by_history(std::uint64_t branch, bool taken, Base& base) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> places;  // index and tag in each table
    std::vector<std::size_t> knowing;                             // tables, the longest last
    for (std::size_t i = 0; i < lengths_.size(); ++i) {
      std::uint64_t h = hash(branch, lengths_[i]), index = 0, tag = 0;
      for (std::uint64_t n = 1; n < entries_; n *= 2, h <<= 1) index = index * 2 + (h >> 63);
      for (int bit = 0; bit < 11; ++bit, h <<= 1) tag = tag * 2 + (h >> 63);
      places.emplace_back(index, tag);
      const auto entry = tables_.find({i, index});
      if (entry != tables_.end() && entry->second.tag == tag) knowing.push_back(i);
    }
    bool predicted = base.counter >= 2;
    if (knowing.empty()) {
      base.counter = std::clamp(base.counter + (taken ? 1 : -1), 0, 3);
    } else {
      const std::size_t longest = knowing.back();
      Entry& entry = tables_.at({longest, places[longest].first});
      const bool says = entry.counter >= 4;
      bool other = predicted;
      if (knowing.size() > 1) {
        const std::size_t next = knowing[knowing.size() - 2];
        other = tables_.at({next, places[next].first}).counter >= 4;
      }
      const bool fresh = entry.useful == 0 && (entry.counter == 3 || entry.counter == 4);
      predicted = fresh && prefer_other_ >= 8 ? other : says;
      if (says != other) {
        if (fresh) prefer_other_ = std::clamp(prefer_other_ + (other == taken ? 1 : -1), 0, 15);
        entry.useful = std::clamp(entry.useful + (says == taken ? 1 : -1), 0, 3);
      }
      entry.counter = std::clamp(entry.counter + (taken ? 1 : -1), 0, 7);
    }
    if (predicted != taken) allocate(places, knowing.empty() ? 0 : knowing.back() + 1, taken);
    history_.push_front(taken);
    if (history_.size() > lengths_.back()) history_.pop_back();
    return predicted;
  }

  void allocate(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& places,
                std::size_t from, bool taken) {
    for (std::size_t i = from; i < places.size(); ++i) {
      const auto entry = tables_.find({i, places[i].first});
      if (entry != tables_.end() && entry->second.useful > 0) continue;
      tables_.insert_or_assign({i, places[i].first},
                               Entry{.tag = places[i].second, .counter = taken ? 4 : 3});
      return;
    }
    for (std::size_t i = from; i < places.size(); ++i) --tables_.at({i, places[i].first}).useful;
  }

  std::uint64_t base_, entries_, loops_;
  std::vector<std::uint64_t> lengths_;
  std::map<std::uint64_t, Base> bases_;
  std::map<std::pair<std::size_t, std::uint64_t>, Entry> tables_;  // by table and index
  Loops following_;                                                // by place
  std::deque<bool> history_;                                       // the latest first
  int prefer_other_ = 8;
};

}  // namespace tacho::simulator
