#include "simulation/trace_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace tacho {
namespace {

constexpr std::uint64_t kGreatestThread = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kMostBranches = 32;        // of a sample
constexpr std::uint64_t kMostCallers = 127;        // of a sample
constexpr std::uint64_t kLongestPath = 4'096;      // bytes
constexpr std::uint64_t kLongestName = 15;         // bytes of a thread's name, as in Linux
constexpr std::uint64_t kGreatestBranchKind = 15;  // four bits in perf's format

using What = decltype(TraceRecord::what);

What sample(NumberReader& in) {
  traced::Sample sample;
  sample.event = in.number();
  sample.period = in.number();
  sample.ip = in.number();
  for (auto left = in.number(kMostBranches); left > 0; --left) {
    traced::TakenBranch branch{.from = in.number(), .to = in.number(), .cycles = in.number()};
    const std::uint64_t kind = in.number(2 * kGreatestBranchKind + 1);
    branch.kind = static_cast<std::uint8_t>(kind / 2);
    branch.mispredicted = kind % 2 != 0;
    sample.branches.push_back(branch);
  }
  for (auto left = in.number(kMostCallers); left > 0; --left) sample.callers.push_back(in.number());
  return sample;
}

What mapping(NumberReader& in) {
  traced::CodeMapping mapping{
      .start = in.number(), .length = in.number(), .offset = in.number(), .path = {}};
  mapping.path = in.text(kLongestPath);
  return mapping;
}

What thread_name(NumberReader& in) {
  const bool of_program = in.number(1) != 0;
  return traced::ThreadName{.of_program = of_program, .text = in.text(kLongestName)};
}

What thread_start(NumberReader& in) {
  return traced::ThreadStart{
      .parent_process = static_cast<std::uint32_t>(in.number(kGreatestThread)),
      .parent_thread = static_cast<std::uint32_t>(in.number(kGreatestThread))};
}

What thread_end(NumberReader&) {
  return traced::ThreadEnd{};
}

// The kinds of records, numbered from 1.
constexpr std::array kKinds = {sample, mapping, thread_name, thread_start, thread_end};

}  // namespace

std::uint64_t NumberReader::damaged(std::string reason) {
  if (!damage_) damage_ = std::move(reason);
  bytes_ = bytes_.substr(0, at_);
  return 0;
}

std::uint64_t NumberReader::number() {
  constexpr unsigned kMostBits = 64;
  std::uint64_t value = 0;
  for (unsigned shift = 0; at_ < bytes_.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes_[at_]);
    const std::uint64_t bits = byte & 0x7FU;
    if (shift >= kMostBits || bits << shift >> shift != bits)
      return damaged("a number of more than 64 bits");
    value |= bits << shift;
    ++at_;
    if ((byte & 0x80U) == 0) return value;
  }
  return damaged("a slice that goes on behind its batch");
}

std::uint64_t NumberReader::number(std::uint64_t most) {
  const std::uint64_t value = number();
  return value <= most ? value : damaged(fmt::format("{} where {} is the most", value, most));
}

std::string NumberReader::text(std::uint64_t most) {
  const auto length = static_cast<std::size_t>(number(most));
  if (length > bytes_.size() - at_) {
    damaged("a text that goes on behind its batch");
    return {};
  }
  at_ += length;
  return std::string(bytes_.substr(at_ - length, length));
}

std::vector<TraceRecord> read_trace(NumberReader& reader) {
  std::vector<TraceRecord> trace;
  while (const std::uint64_t kind = reader.number(kKinds.size())) {
    TraceRecord& record = trace.emplace_back();
    record.cycle = reader.number();
    record.thread = static_cast<std::uint32_t>(reader.number(kGreatestThread));
    record.what = kKinds.at(static_cast<std::size_t>(kind - 1))(reader);
  }
  return trace;
}

}  // namespace tacho
