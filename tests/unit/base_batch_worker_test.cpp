// The worker thread processes every batch once, in order.
#include "base/batch_worker.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

TEST(BatchWorker, ProcessesAllBatchesInOrder) {
  std::vector<int> done;
  BatchWorker<std::vector<int>> worker([&](std::vector<int>& batch) {
    done.insert(done.end(), batch.begin(), batch.end());
    batch.clear();
  });
  std::vector<int> batch;
  for (int i = 0; i < 10000; ++i) {
    batch.push_back(i);
    if (i % 10 != 9) continue;
    worker.hand_over(batch);
    ASSERT_TRUE(batch.empty());
  }
  worker.finish();
  std::vector<int> all(10000);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(done, all);
}

TEST(BatchWorker, CanBeUsedAgainAfterFinish) {
  int sum = 0;
  BatchWorker<int> worker([&](int& batch) { sum += batch; });
  worker.finish();
  for (int batch : {1, 2}) {
    worker.hand_over(batch);
    worker.finish();
  }
  EXPECT_EQ(sum, 3);
}

}  // namespace
}  // namespace tacho::TEST_FILE
