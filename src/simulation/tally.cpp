#include "simulation/tally.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace tacho {
namespace {

constexpr std::string_view kCycles = "cycles";
// Bounds the cycles of one slice, to detect damage. A slice never lasts as long.
constexpr std::uint64_t kLongestSliceSeconds = 3'600;

}  // namespace

Tally::Time Tally::time_of(std::uint64_t cycles) const {
  // Computed in steps, to avoid an overflow: a frequency can be 100 GHz.
  const std::uint64_t microseconds = cycles % frequency_ * 1'000'000;
  return std::chrono::seconds(cycles / frequency_) +
         std::chrono::microseconds(microseconds / frequency_) +
         Time(microseconds % frequency_ * 1'000 / frequency_);
}

Result<bool> Tally::advance(std::optional<Time> until) {
  while (!until || now() < *until) {
    if (ahead_.empty() && !TACHO_TRY(read_slice())) return false;
    add(ahead_.front());
    ahead_.pop_front();
  }
  return true;
}

Result<bool> Tally::look_ahead(Time until) {
  while (known() < until)
    if (!TACHO_TRY(read_slice())) return false;
  return true;
}

// Reads one slice. Returns false if the file has no more.
Result<bool> Tally::read_slice() {
  for (;;) {
    auto slice = TACHO_TRY(records_.next());
    if (slice) {
      known_cycles_ += TACHO_TRY(cycles_of(*slice));
      ahead_.push_back(std::move(*slice));
      return true;
    }
    const bool more = TACHO_TRY(read_more());
    if (!more) return false;
  }
}

Result<bool> Tally::read_more() {
  std::array<char, 65'536> buffer;
  for (;;) {
    const ssize_t got = ::read(file_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return os_failure("cannot read the simulator's records", errno);
    records_.add({buffer.data(), static_cast<std::size_t>(got)});
    return got > 0;
  }
}

// The column of the cycles; the number of columns if there is none.
std::size_t Tally::cycles_column() const {
  const auto& columns = records_.columns();
  return static_cast<std::size_t>(std::ranges::find(columns, kCycles) - columns.begin());
}

Result<std::uint64_t> Tally::cycles_of(const Slice& slice) const {
  const std::size_t at = cycles_column();
  if (at == records_.columns().size())
    return failure("the simulator does not count cycles",
                   "its version is not tacho's: install both together");
  if (slice.counts[at] / kLongestSliceSeconds > frequency_)
    return failure(fmt::format("the simulator's records are damaged: {} cycles in one slice",
                               slice.counts[at]),
                   "report it");
  const auto behind = std::ranges::find_if(
      slice.trace, [&](const TraceRecord& record) { return record.cycle > slice.counts[at]; });
  if (behind != slice.trace.end())
    return failure(fmt::format("the simulator's records are damaged: cycle {} in a slice of {}",
                               behind->cycle, slice.counts[at]),
                   "report it");
  return slice.counts[at];
}

void Tally::add(const Slice& slice) {
  if (listener_) listener_(slice, cycles_);
  cycles_ += slice.counts[cycles_column()];
  totals_.resize(records_.columns().size());
  for (std::size_t i = 0; i < totals_.size(); ++i) totals_[i] += slice.counts[i];
}

std::optional<std::uint64_t> Tally::total(std::string_view column) const {
  if (!begun()) return 0;
  const auto& columns = records_.columns();
  const auto at = static_cast<std::size_t>(std::ranges::find(columns, column) - columns.begin());
  return at < totals_.size() ? std::optional(totals_[at]) : std::nullopt;
}

}  // namespace tacho
