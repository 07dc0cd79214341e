// What passes into a recording, noted as it passes: how many samples of which event, what was lost,
// which files were mapped. It looks at headers only, but for mappings.
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

// One event of a recording that is being written. Its samples begin with PERF_SAMPLE_IDENTIFIER
// when there are several events, and have IP, TID and TIME behind that.
struct WrittenEvent {
  std::string name;
  std::vector<std::byte> attributes;  // struct perf_event_attr
  std::vector<std::uint64_t> ids;
};

class Inventory {
 public:
  explicit Inventory(std::span<const WrittenEvent> events);

  // The next records, whole ones: what does not fit into its own size is not looked at.
  void note(std::span<const std::byte> records);

  // By event, in their order.
  const std::vector<std::uint64_t>& samples() const { return samples_; }
  std::uint64_t lost() const { return lost_; }            // records that found no room in a buffer
  std::uint64_t throttled() const { return throttled_; }  // how often the kernel stopped sampling
  OptionalU64 first_sample_ns() const { return first_; }
  OptionalU64 last_sample_ns() const { return last_; }
  // The files that code was mapped from, with the build-id that the kernel told, if it did.
  struct File {
    std::string path;
    BuildId id;
    auto operator<=>(const File&) const = default;
  };
  const std::set<File>& files() const { return files_; }

 private:
  void note_sample(std::span<const std::byte> record);
  void note_mapping(std::span<const std::byte> record);

  std::map<std::uint64_t, std::size_t> event_of_;  // by id, when there are several events
  std::vector<std::uint64_t> samples_;
  std::uint64_t lost_ = 0;
  std::uint64_t throttled_ = 0;
  OptionalU64 first_;
  OptionalU64 last_;
  std::set<File> files_;
};

}  // namespace tacho::perfdata
