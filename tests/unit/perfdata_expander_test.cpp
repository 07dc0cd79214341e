// Recordings that were compressed as a whole, with gzip, xz and zstd.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "perfdata_builder.hpp"

namespace TEST_FILE {
namespace {

using namespace perf_format;
using testing::HasSubstr;

std::string gzip(std::string_view content, int level = 9) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, content.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string xz(std::string_view content) {
  std::string out(lzma_stream_buffer_bound(content.size()), '\0');
  std::size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(
                6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(content.data()),
                content.size(), reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size()),
            LZMA_OK);
  out.resize(size);
  return out;
}

std::string zstd(std::string_view content) {
  std::string out(ZSTD_compressBound(content.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), content.data(), content.size(), 3));
  return out;
}

std::string recording(std::uint64_t samples) {
  constexpr std::uint64_t kIpTime = 1 | 4;
  std::string data;
  for (std::uint64_t i = 1; i <= samples; ++i)
    data += record(Order::little, 9, 2,
                   Packed(Order::little).u64(i * 0x9e3779b97f4a7c15U).u64(i).str());
  return file(Order::little, {{.sample_type = kIpTime}}, data);
}

TEST(ExpandedRecording, HasAllSamplesAndFeatures) {
  const std::string whole = recording(20'000);  // several buffers
  for (const std::string& bytes :
       {gzip(whole), xz(whole), zstd(whole), gzip(whole.substr(0, 1000)) + gzip(whole.substr(1000)),
        xz(whole.substr(0, 1000)) + xz(whole.substr(1000))}) {
    const ReadBack back = read_back(bytes);
    EXPECT_EQ(back.error, "");
    ASSERT_EQ(back.records.size(), 20'000U);
    EXPECT_EQ(back.records.back().record.time_ns, 20'000U);
    EXPECT_EQ(back.description.host, "here") << "a section behind the data";
  }
}

TEST(ExpandedRecording, DamageIsSaidWithTheFile) {
  const std::string whole = recording(5'000);
  for (std::string bytes : {gzip(whole), xz(whole)}) {
    const ReadBack cut = read_back(bytes.substr(0, bytes.size() / 2));
    EXPECT_THAT(cut.error, HasSubstr("cannot decompress '"));
    EXPECT_THAT(cut.error, HasSubstr("it ends in the middle of the compressed data"));
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
    bytes[bytes.size() / 2 + 1] = static_cast<char>(bytes[bytes.size() / 2 + 1] ^ 0x55);
    EXPECT_NE(read_back(bytes).error, "");
  }
}

TEST(ExpandedRecording, ThatFillsTheDiskIsRefused) {
  const std::string zeros(std::size_t{96} << 20, '\0');
  const ReadBack back = read_back(gzip(zeros, 6));
  EXPECT_THAT(back.error, HasSubstr("it expands to more than "));
  EXPECT_THAT(back.remedy, HasSubstr("decompress it yourself"));
}

}  // namespace
}  // namespace TEST_FILE
