// Damaged recordings: the reader yields the records before the damage, then reports the damage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "perfdata_builder.hpp"

namespace TEST_FILE {
namespace {

using namespace perf_format;
using testing::AnyOf;
using testing::HasSubstr;

constexpr std::uint64_t kIpTime = 1 | 4;
constexpr std::size_t kSample = 24;

std::string samples(int count) {
  std::string all;
  for (int i = 1; i <= count; ++i)
    all += record(Order::little, 9, 2,
                  Packed(Order::little).u64(0x1000).u64(static_cast<std::uint64_t>(i)).str());
  return all;
}

TEST(DamagedStream, CutAnywhereYieldsTheSamplesBeforeTheCut) {
  const std::string whole = stream(Order::little, {{.sample_type = kIpTime}}, samples(4));
  const std::size_t data = whole.size() - 4 * kSample;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const ReadBack back = read_back(std::string_view(whole).substr(0, size));
    const std::size_t full = size < data ? 0 : (size - data) / kSample;
    EXPECT_EQ(back.tally.samples, full) << size;
    EXPECT_EQ(back.records.size(), full) << size;
    const bool between_records = size >= data && (size - data) % kSample == 0;
    EXPECT_EQ(back.error.empty(), between_records) << size << back.error;
    EXPECT_EQ(back.remedy.empty(), between_records) << size;
  }
}

TEST(DamagedFile, CutAnywhereYieldsTheSamplesBeforeTheCut) {
  const std::string whole = file(Order::little, {{.sample_type = kIpTime, .ids = {1, 2}}},
                                 samples(4), {{4, Packed(Order::little).counted("6.1").str()}});
  const std::size_t data = 104 + 16 + 136 + 16;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const ReadBack back = read_back(std::string_view(whole).substr(0, size));
    const std::size_t full = size < data ? 0 : std::min<std::size_t>(4, (size - data) / kSample);
    EXPECT_EQ(back.tally.samples, full) << size;
    const bool data_whole = size >= data + 4 * kSample;
    EXPECT_EQ(back.error.empty(), data_whole) << size << back.error;
    EXPECT_EQ(back.tally.damaged_features > 0, data_whole) << size;
  }
}

TEST(DamagedFile, HasAnErrorWithItsOffsetItsReasonAndTheSamplesShown) {
  const std::string bytes = file(Order::little, {{.sample_type = kIpTime}},
                                 samples(3) + std::string(16, '\0') + samples(2));
  const ReadBack back = read_back(bytes);
  EXPECT_EQ(back.records.size(), 3U);
  EXPECT_THAT(back.error, HasSubstr("is damaged at byte 328: a record of 0 bytes"));
  EXPECT_EQ(back.remedy, "the 3 samples before it are shown");
}

TEST(DamagedFile, CutWithinItsDataSaysHowManyBytesAreMissing) {
  std::string bytes = file(Order::little, {{.sample_type = kIpTime}}, samples(3));
  bytes.resize(104 + 136 + 16 + 2 * kSample);
  EXPECT_THAT(read_back(bytes).error,
              HasSubstr("at byte 304: it ends 24 bytes before its data do"));
}

TEST(DamagedFile, WithImpossibleOffsetsAndSizesIsRefused) {
  const std::string whole = file(Order::little, {{.sample_type = kIpTime, .ids = {1}}}, samples(2));
  // These fields are the size of the header, the size of attributes, offset and size of the events
  // and of the data, and offset and size of the first event's ids. Each gets the largest unsigned
  // and the largest signed number.
  for (const std::size_t at : {8U, 16U, 24U, 32U, 40U, 48U, 112U + 136U, 120U + 136U}) {
    for (const std::uint64_t value : {~std::uint64_t{0}, ~std::uint64_t{0} >> 1}) {
      std::string bytes = whole;
      bytes.replace(at, 8, Packed(Order::little).u64(value).str());
      EXPECT_THAT(read_back(bytes).error, HasSubstr("is damaged at byte")) << at;
    }
  }
}

TEST(DamagedFile, WithTooManyIdsIsRefused) {
  const std::vector<std::uint64_t> ids(1 << 16, 7);
  const std::vector<Attr> attrs(17, Attr{.sample_type = kIpTime, .ids = ids});
  EXPECT_THAT(read_back(file(Order::little, attrs, "")).error,
              HasSubstr("there are too many events or ids"));
}

TEST(DamagedFile, WithImpossibleSizesInASampleLosesOnlyThatSample) {
  // CALLCHAIN, RAW, BRANCH_STACK, STACK_USER, READ of a group, AUX: each begins with its size.
  for (const std::uint64_t type : {1U << 5, 1U << 10, 1U << 11, 1U << 13, 1U << 4, 1U << 20}) {
    const auto sample = [](std::uint64_t size) {
      return record(Order::little, 9, 2,
                    Packed(Order::little).u64(size).u64(0).u64(0).u64(0).str());
    };
    const ReadBack back =
        read_back(file(Order::little, {{.sample_type = type, .read_format = 8}},
                       sample(~std::uint64_t{0}) + sample(~std::uint64_t{0} / 24 + 1) + sample(0)));
    EXPECT_EQ(back.error, "");
    EXPECT_EQ(back.tally.unparsed, 2U) << type;
    EXPECT_EQ(back.tally.samples, 1U) << type;
  }
}

TEST(DamagedFile, EndingWithinTraceDataSaysSo) {
  Packed auxtrace(Order::little);
  auxtrace.u64(~std::uint64_t{0} - 7).u64(0).u64(0).u32(0).u32(0).u32(0).u32(0);
  const ReadBack back = read_back(file(Order::little, {{.sample_type = kIpTime}},
                                       samples(1) + record(Order::little, 71, 0, auxtrace.str())));
  EXPECT_EQ(back.records.size(), 1U);
  EXPECT_THAT(back.error, HasSubstr("it ends within 18446744073709551608 bytes of trace data"));
}

TEST(Recording, IsDistinguishedFromOtherFiles) {
  EXPECT_THAT(read_back("").error, HasSubstr("is no recording in perf's format: it has 0 bytes"));
  EXPECT_THAT(read_back("#!/bin/sh\necho this is a script\n").error,
              HasSubstr("is no recording in perf's format"));
  const auto directory = tacho::perfdata::Reader::open("/");
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().what, "'/' is a directory");
  const auto missing = tacho::perfdata::Reader::open("/nonexistent.data");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().what, HasSubstr("cannot open '/nonexistent.data': No such file"));
}

}  // namespace
}  // namespace TEST_FILE
