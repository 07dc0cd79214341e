#include "simulation/records.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simulation/trace_reader.hpp"

namespace tacho {
namespace {

constexpr std::string_view kMagic = "TSR1";
constexpr std::size_t kHeaderBytes = 16;
enum BatchKind : std::uint32_t { kColumns = 1, kSlices = 2, kTracedSlice = 3, kEnd = 4 };
constexpr std::size_t kMostBatchBytes = 65'536;
constexpr std::size_t kMostColumns = 256;

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 4; i-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[at + i]);
  return word;
}

}  // namespace

Result<std::optional<Slice>> Records::next() {
  if (damage_) return std::unexpected(*damage_);
  while (at_ == batch_end_) {
    const auto opened = TACHO_TRY(open_batch());
    if (!opened) {
      drop_decoded();
      return std::nullopt;
    }
  }
  Slice slice{.process = process_, .counts = {}, .trace = {}};
  if (traced_) slice.trace = TACHO_TRY(trace());
  slice.counts.reserve(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    slice.counts.push_back(TACHO_TRY(number()));
  }
  return slice;
}

// Returns whether there is a whole batch. Reads a batch of columns at once.
Result<bool> Records::open_batch() {
  const std::string_view rest = std::string_view(waiting_).substr(at_);
  if (!kMagic.starts_with(rest.substr(0, kMagic.size()))) return damage("no batch begins here");
  if (rest.size() < kHeaderBytes) return false;
  const std::uint32_t kind = word_at(rest, 8);
  const std::size_t length = word_at(rest, 12);
  if (length > kMostBatchBytes) return damage(fmt::format("a batch of {} bytes", length));
  if (kind < kColumns || kind > kEnd) return damage(fmt::format("a batch of kind {}", kind));
  process_ = word_at(rest, 4);
  if (kind != kColumns && !known_.contains(process_))
    return damage(fmt::format("process {} has not named its columns", process_));
  if (rest.size() < kHeaderBytes + length) return false;
  if (kind == kColumns) TACHO_TRY(take_columns(rest.substr(kHeaderBytes, length)));
  if (kind == kEnd && length != 0) return damage("an end with something in it");
  if (!first_) first_ = process_;
  if (process_ == first_) complete_ = kind == kEnd;
  traced_ = kind == kTracedSlice;
  batch_end_ = at_ + kHeaderBytes + length;
  at_ = kind == kColumns ? batch_end_ : at_ + kHeaderBytes;
  return true;
}

Result<void> Records::take_columns(std::string_view body) {
  if (!body.ends_with('\0')) return damage("the columns' last name does not end");
  std::vector<std::string> names;
  while (!body.empty()) {
    const std::size_t end = body.find('\0');
    names.emplace_back(body.substr(0, end));
    if (end == 0) return damage("a column without a name");
    if (names.size() > kMostColumns) return damage("too many columns");
    body.remove_prefix(end + 1);
  }
  if (!columns_.empty() && names != columns_)
    return damage(fmt::format("process {} has other columns than the first one", process_));
  columns_ = std::move(names);
  known_.insert(process_);
  return {};
}

Result<std::uint64_t> Records::number() {
  NumberReader reader(std::string_view(waiting_).substr(at_, batch_end_ - at_));
  const std::uint64_t value = reader.number();
  at_ += reader.at();
  if (reader.damage()) return damage(*reader.damage());
  return value;
}

Result<std::vector<TraceRecord>> Records::trace() {
  NumberReader reader(std::string_view(waiting_).substr(at_, batch_end_ - at_));
  std::vector<TraceRecord> trace = read_trace(reader);
  at_ += reader.at();
  if (reader.damage()) return damage(*reader.damage());
  return trace;
}

std::unexpected<Error> Records::damage(std::string_view reason) {
  damage_ = Error{
      .what =
          fmt::format("the simulator's records are damaged at byte {}: {}", dropped_ + at_, reason),
      .remedy = "check that tacho and its simulator have the same version; if they do, report it"};
  return std::unexpected(*damage_);
}

void Records::drop_decoded() {
  waiting_.erase(0, at_);
  dropped_ += at_;
  at_ = batch_end_ = 0;
}

}  // namespace tacho
