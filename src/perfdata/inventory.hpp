// Counts what is written to a recording: samples by event, lost records, mapped files. Reads only
// the headers of records, except for mappings.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "perfdata/record.hpp"

namespace tacho::perfdata {

// One event of a recording that is being written. Its samples have IP, TID and TIME. If there are
// several events, PERF_SAMPLE_IDENTIFIER comes before them.
struct WrittenEvent {
  std::string name;
  std::vector<std::byte> attributes;  // struct perf_event_attr
  std::vector<std::uint64_t> ids;
};

class Inventory {
 public:
  explicit Inventory(std::span<const WrittenEvent> events);

  // Counts the next records, which are whole. Ignores the rest if the size of a record is
  // impossible.
  void note(std::span<const std::byte> records);

  // The number of samples of each event, in the order of the events.
  const std::vector<std::uint64_t>& samples() const { return samples_; }
  std::uint64_t lost() const { return lost_; }  // records dropped because of a full buffer
  // Those of them that were samples for sure: the hardware dropped them.
  std::uint64_t lost_samples() const { return lost_samples_; }
  std::uint64_t switches() const { return switches_; }    // of a thread, out or in
  std::uint64_t throttled() const { return throttled_; }  // how often the kernel stopped sampling
  OptionalU64 first_sample_ns() const { return first_; }
  OptionalU64 last_sample_ns() const { return last_; }
  // A file that code was mapped from, with its build ID if the kernel recorded it.
  struct File {
    std::string path;
    BuildId id;
    auto operator<=>(const File&) const = default;
  };
  const std::set<File>& files() const { return files_; }

 private:
  void note_sample(std::span<const std::byte> record);
  void note_mapping(std::span<const std::byte> record);

  std::map<std::uint64_t, std::size_t> event_of_;  // by id; empty if there is only one event
  std::vector<std::uint64_t> samples_;
  std::uint64_t lost_ = 0, lost_samples_ = 0;
  std::uint64_t switches_ = 0;
  std::uint64_t throttled_ = 0;
  OptionalU64 first_;
  OptionalU64 last_;
  std::set<File> files_;
};

}  // namespace tacho::perfdata
