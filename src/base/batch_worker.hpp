// A second thread for work in batches: one thread fills the batches, the other processes them in
// the same order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tacho {

// The first batch starts the thread. If the thread cannot be started (a limit of processes), the
// caller of hand_over() does the work. `work` empties the batch for the next use and does not
// throw. Not thread-safe: one thread calls hand_over() and finish().
template <class Batch>
class BatchWorker {
 public:
  explicit BatchWorker(std::function<void(Batch&)> work) : work_(std::move(work)) {}
  ~BatchWorker() { finish(); }
  BatchWorker(const BatchWorker&) = delete;
  BatchWorker& operator=(const BatchWorker&) = delete;

  // Takes the filled batch and leaves an empty one. Waits while kWaiting batches are waiting.
  void hand_over(Batch& filled) {
    if (!start()) return work_(filled);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() < kWaiting; });
    waiting_.push_back(std::exchange(filled, {}));
    if (!idle_.empty()) {
      filled = std::move(idle_.back());
      idle_.pop_back();
    }
    changed_.notify_all();
  }

  // Returns when all batches are processed. After that the caller may read the results.
  void finish() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
    ended_ = false;
  }

 private:
  static constexpr std::size_t kWaiting = 4;  // batches; bounds the memory

  bool start() {
    if (thread_.joinable()) return true;
    if (refused_) return false;
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
      refused_ = true;
    }
    return !refused_;
  }

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      Batch batch = std::move(waiting_.front());
      waiting_.pop_front();
      changed_.notify_all();
      lock.unlock();
      work_(batch);
      lock.lock();
      idle_.push_back(std::move(batch));
    }
  }

  std::function<void(Batch&)> work_;
  std::thread thread_;
  bool refused_ = false;
  std::mutex mutex_;  // protects the members below
  std::condition_variable changed_;
  std::deque<Batch> waiting_;
  std::vector<Batch> idle_;
  bool ended_ = false;
};

}  // namespace tacho
