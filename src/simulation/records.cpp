#include "simulation/records.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simulation/happenings.hpp"

namespace tacho {
namespace {

constexpr std::string_view kMagic = "TSR1";
constexpr std::size_t kHeader = 16;
constexpr std::uint32_t kColumns = 1;
constexpr std::uint32_t kSlices = 2;
constexpr std::uint32_t kHappenings = 3;
constexpr std::size_t kLongestBatch = 65'536;
constexpr std::size_t kMostColumns = 256;

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 4; i-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[at + i]);
  return word;
}

}  // namespace

Result<std::optional<Slice>> Records::next() {
  if (damage_) return std::unexpected(*damage_);
  while (at_ == slices_) {
    const auto opened = TACHO_TRY(open_batch());
    if (!opened) {
      drop_decoded();
      return std::nullopt;
    }
  }
  Slice slice{.process = process_, .counts = {}, .happenings = {}};
  if (tells_) {
    slice.happenings = TACHO_TRY(happenings());
  }
  slice.counts.reserve(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    slice.counts.push_back(TACHO_TRY(number()));
  }
  return slice;
}

// Whether there is a whole batch; a batch of columns is taken at once.
Result<bool> Records::open_batch() {
  const std::string_view rest = std::string_view(waiting_).substr(at_);
  if (!kMagic.starts_with(rest.substr(0, kMagic.size()))) return damage("no batch begins here");
  if (rest.size() < kHeader) return false;
  const std::uint32_t kind = word_at(rest, 8);
  const std::size_t length = word_at(rest, 12);
  if (length > kLongestBatch) return damage(fmt::format("a batch of {} bytes", length));
  if (kind < kColumns || kind > kHappenings) return damage(fmt::format("a batch of kind {}", kind));
  process_ = word_at(rest, 4);
  if (kind != kColumns && !known_.contains(process_))
    return damage(fmt::format("process {} has not named its columns", process_));
  if (rest.size() < kHeader + length) return false;
  if (kind == kColumns) TACHO_TRY(take_columns(rest.substr(kHeader, length)));
  tells_ = kind == kHappenings;
  slices_ = at_ + kHeader + length;
  at_ = kind == kColumns ? slices_ : at_ + kHeader;
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
  NumberReader reader(std::string_view(waiting_).substr(at_, slices_ - at_));
  const std::uint64_t value = reader.number();
  at_ += reader.at();
  if (reader.damage()) return damage(*reader.damage());
  return value;
}

Result<std::vector<Happening>> Records::happenings() {
  NumberReader reader(std::string_view(waiting_).substr(at_, slices_ - at_));
  std::vector<Happening> all = read_happenings(reader);
  at_ += reader.at();
  if (reader.damage()) return damage(*reader.damage());
  return all;
}

std::unexpected<Error> Records::damage(std::string_view reason) {
  damage_ = Error{
      .what =
          fmt::format("the simulator's records are damaged at byte {}: {}", dropped_ + at_, reason),
      .remedy = "see that tacho and its simulator are of the same version; if they are, report it"};
  return std::unexpected(*damage_);
}

void Records::drop_decoded() {
  waiting_.erase(0, at_);
  dropped_ += at_;
  at_ = slices_ = 0;
}

}  // namespace tacho
