// Batches that one thread fills and another works through, in the same order.
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

// The thread is started with the first batch; where it can't be, as under a limit of processes, the
// work is done by who hands over. `work` leaves a batch such that it can be filled again. It does
// not throw. Not thread-safe: one thread hands over and finishes.
template <class Batch>
class BatchWorker {
 public:
  explicit BatchWorker(std::function<void(Batch&)> work) : work_(std::move(work)) {}
  ~BatchWorker() { finish(); }
  BatchWorker(const BatchWorker&) = delete;
  BatchWorker& operator=(const BatchWorker&) = delete;

  // Takes what is filled and leaves what can be filled; waits while enough batches are under way.
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

  // Returns when all is done: what the work wrote can be read.
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
  static constexpr std::size_t kWaiting = 4;

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
  std::mutex mutex_;  // of what stands behind it
  std::condition_variable changed_;
  std::deque<Batch> waiting_;
  std::vector<Batch> idle_;
  bool ended_ = false;
};

}  // namespace tacho
