// Published: a value that is made at its first use and lives until the process ends. It takes no
// lock, so the child of a fork never waits for a thread that the fork left behind.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace tacho {

// An object of this type has static storage and no destructor, so it can be used at any time.
template <class Value>
class Published {
 public:
  // Returns the value. If there is none, any thread makes one, and the first one made is kept.
  template <class Make>
  Value& get(Make make) {
    if (Value* const known = value_.load(std::memory_order_acquire)) return *known;
    auto mine = std::unique_ptr<Value>(new Value(make()));
    Value* known = nullptr;
    if (!value_.compare_exchange_strong(known, mine.get(), std::memory_order_acq_rel,
                                        std::memory_order_acquire))
      return *known;
    return *mine.release();
  }
  // The value, or null if there is none yet.
  Value* known() const noexcept { return value_.load(std::memory_order_acquire); }

 private:
  std::atomic<Value*> value_{nullptr};
};

}  // namespace tacho
