#include "perfdata/expand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "perfdata/decompressor.hpp"
#include "perfdata/expander.hpp"
#include "perfdata/nameless_file.hpp"

namespace tacho::perfdata {
namespace {

constexpr std::uint64_t kAlwaysAllowed = std::uint64_t{64} << 20;  // bytes
constexpr std::uint64_t kPieceOfInput = std::uint64_t{64} << 10;   // bytes that are read at once

Result<void> expand_zstd(Input& input, const Sink& sink) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  if (!Decompressor::available())
    return failure("this tacho was built without zstd", "decompress it with unzstd first");
  constexpr std::uint64_t kMostMemory = std::uint64_t{130} << 20;  // bytes; zstd's highest level
  Decompressor decompressor(std::make_shared<Decompressor::Memory>(kMostMemory));
  for (;;) {
    const Bytes in = input.peek(kPiece);
    if (in.empty()) break;
    decompressor.feed(in);
    for (Bytes out = decompressor.peek(kPiece); !out.empty(); out = decompressor.peek(kPiece)) {
      TACHO_TRY(sink(out));
      decompressor.take(out.size());
    }
    if (!decompressor.damage().empty()) return failure(decompressor.damage(), "transfer it again");
    input.take(in.size());
  }
  if (input.error()) return std::unexpected(*input.error());
  return {};
}

struct Compression {
  std::string_view magic;
  Result<void> (*expand)(Input&, const Sink&);
};
constexpr std::array<Compression, 3> kCompressions{
    {{std::string_view("\x1f\x8b", 2), expand_gzip},
     {std::string_view("\xfd\x37\x7a\x58\x5a\0", 6), expand_xz},
     {std::string_view("\x28\xb5\x2f\xfd", 4), expand_zstd}}};

const Compression* compression_of(Bytes beginning) {
  const std::string_view text(reinterpret_cast<const char*>(beginning.data()), beginning.size());
  const auto* found = std::ranges::find_if(
      kCompressions, [&](const Compression& each) { return text.starts_with(each.magic); });
  return found == kCompressions.end() ? nullptr : found;
}

}  // namespace

bool Expansion::is_too_much() const {
  return unpacked > kAlwaysAllowed && unpacked / kMostExpansion > packed;
}

Result<Input> open_expanded(const std::string& path, Expansion& expansion) {
  constexpr std::size_t kLongestMagic = 6;  // bytes
  auto input = TACHO_TRY(Input::open(path));
  const Compression* const how = compression_of(input.peek(kLongestMagic));
  if (how == nullptr) return input;
  Fd file = TACHO_TRY(nameless_file());
  std::uint64_t size = 0;
  const auto done = how->expand(input, [&](Bytes bytes) -> Result<void> {
    size += bytes.size();
    const Expansion so_far{expansion.packed + input.offset() + kPieceOfInput,
                           expansion.unpacked + size};
    if (so_far.is_too_much())
      return failure(fmt::format("it expands to more than {} times its size", kMostExpansion),
                     "if it is a recording nevertheless, decompress it yourself");
    return append(file, bytes);
  });
  if (!done)
    return failure(fmt::format("cannot decompress {}: {}", input.name(), done.error().what),
                   done.error().remedy, done.error().code);
  expansion.packed += input.offset();
  expansion.unpacked += size;
  return Input::of_file(std::move(file), size, input.name() + ", decompressed,");
}

}  // namespace tacho::perfdata
