// Compressed recordings with both kinds of compressed records. The pieces do not end where records
// end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "perfdata_builder.hpp"

namespace TEST_FILE {
namespace {

using namespace perf_format;
using testing::HasSubstr;

constexpr std::uint64_t kIpTime = 1 | 4;

std::string samples(std::uint64_t count) {
  std::string all;
  for (std::uint64_t i = 1; i <= count; ++i)
    all += record(Order::little, 9, 2, Packed(Order::little).u64(i * 64).u64(i).str());
  return all;
}

// Compresses the content as one zstd stream. As perf does, flushes it after each `piece` bytes;
// returns the output of each flush.
std::vector<std::string> compress(std::string_view content, std::size_t piece) {
  const std::unique_ptr<ZSTD_CStream, decltype(&ZSTD_freeCStream)> stream(ZSTD_createCStream(),
                                                                          ZSTD_freeCStream);
  ZSTD_initCStream(stream.get(), 1);
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < content.size(); at += piece) {
    const std::string_view part = content.substr(at, piece);
    std::string out(ZSTD_compressBound(part.size()) + 64, '\0');
    ZSTD_inBuffer in{part.data(), part.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    EXPECT_EQ(ZSTD_isError(ZSTD_compressStream(stream.get(), &to, &in)), 0U);
    EXPECT_EQ(ZSTD_flushStream(stream.get(), &to), 0U);
    pieces.push_back(out.substr(0, to.pos));
  }
  return pieces;
}

std::string compressed(const std::string& data) {
  return record(Order::little, 81, 0, data);
}

std::string compressed2(const std::string& data) {
  Packed body(Order::little);
  body.u64(data.size()).bytes(data).bytes(std::string((8 - data.size() % 8) % 8, '\0'));
  return record(Order::little, 83, 0, body.str());
}

void expect_samples(const ReadBack& back, std::uint64_t count) {
  ASSERT_EQ(back.records.size(), count);
  for (std::uint64_t i = 0; i < count; ++i) {
    EXPECT_EQ(back.records[i].sample().ip, (i + 1) * 64);
    EXPECT_EQ(back.records[i].sample().time_ns, i + 1);
  }
}

TEST(CompressedRecords, MayContainRecordsThatBeginInOneAndEndInTheNext) {
  constexpr std::uint64_t kCount = 300;
  for (const std::size_t piece : {1U, 5U, 8U, 23U, 24U, 100U, 4000U, 60000U}) {
    for (const auto wrap : {compressed, compressed2}) {
      std::string data;
      for (const std::string& part : compress(samples(kCount), piece)) data += wrap(part);
      const ReadBack back = read_back(stream(Order::little, {{.sample_type = kIpTime}}, data));
      EXPECT_EQ(back.error, "") << piece;
      expect_samples(back, kCount);
      expect_samples(read_back(file(Order::little, {{.sample_type = kIpTime}}, data)), kCount);
    }
  }
}

TEST(CompressedRecords, MayExpandToFarMoreThanTheirSize) {
  std::string same;
  const std::string sample = samples(1);
  for (int i = 0; i < 200'000; ++i) same += sample;
  const std::vector<std::string> pieces = compress(same, same.size());
  ASSERT_EQ(pieces.size(), 1U);
  ASSERT_LT(pieces[0].size(), 60'000U);
  const ReadBack back =
      read_back(stream(Order::little, {{.sample_type = kIpTime}}, compressed(pieces[0])));
  EXPECT_EQ(back.error, "");
  EXPECT_EQ(back.records.size(), 200'000U);
}

TEST(CompressedRecords, ThatAreDamagedYieldTheRecordsBeforeTheDamage) {
  std::vector<std::string> pieces = compress(samples(100), 24 * 10);
  std::string data;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i == 5) std::ranges::fill(pieces[i], '\x7f');
    data += compressed(pieces[i]);
  }
  const ReadBack back = read_back(stream(Order::little, {{.sample_type = kIpTime}}, data));
  expect_samples(back, 50);
  EXPECT_THAT(back.error, HasSubstr("zstd says: "));
  EXPECT_EQ(back.remedy, "the 50 samples before it are shown");
}

TEST(CompressedRecords, ThatAreDamagedBehindWholeRecordsSaySo) {
  const std::string data = compressed(compress(samples(3), 72)[0] + std::string(8, '\x7f'));
  const ReadBack back = read_back(stream(Order::little, {{.sample_type = kIpTime}}, data));
  EXPECT_THAT(back.error, HasSubstr("zstd says: "));
}

TEST(CompressedRecords, ThatEndInTheMiddleOfARecordSaySo) {
  const std::vector<std::string> pieces = compress(samples(2), 24 + 7);
  const ReadBack back =
      read_back(stream(Order::little, {{.sample_type = kIpTime}}, compressed(pieces[0])));
  expect_samples(back, 1);
  EXPECT_THAT(back.error, HasSubstr("the compressed data end in the middle of a record"));
}

TEST(CompressedRecords, WithinOthersAreRefused) {
  const std::string inner = compressed(compress(samples(2), 100)[0]);
  const ReadBack back = read_back(
      stream(Order::little, {{.sample_type = kIpTime}}, compressed(compress(inner, 1000)[0])));
  EXPECT_THAT(back.error, HasSubstr("a compressed record within another"));
}

}  // namespace
}  // namespace TEST_FILE
