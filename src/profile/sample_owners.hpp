// Counts the samples of each thread on each CPU, by the name that the thread had. Memory grows with
// the number of these, not with the number of samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "locate/numbered_values.hpp"
#include "locate/sample_counts.hpp"
#include "locate/thread_names.hpp"
#include "perfdata/record.hpp"

namespace tacho {

struct SampleOwner {
  std::uint32_t command = 0;                  // in SampleOwners::commands()
  std::int32_t pid = -1, tid = -1, cpu = -1;  // -1: not known
  bool operator==(const SampleOwner&) const = default;
};

// What rows are made of: the parts of an owner.
enum class OwnerKind : std::uint8_t { command, process, thread, cpu };

struct OwnerRow {
  std::string command;                        // processes and threads have their last names
  std::optional<std::int32_t> pid, tid, cpu;  // those that the kind has and the samples say
};

struct OwnerRows {
  std::vector<OwnerRow> rows;       // in the order in which they were first seen
  std::vector<std::size_t> row_of;  // of each owner
};

class SampleOwners {
 public:
  void add(const perfdata::Sample&, const std::string& command, std::uint64_t period);
  OwnerRows rows(OwnerKind, const ThreadNames& last_names) const;

  const std::vector<SampleOwner>& owners() const { return owners_.values(); }
  const std::vector<std::string>& commands() const { return commands_.values(); }
  const SampleCounts& counts() const { return counts_; }  // of owners
  SampleCounts& counts() { return counts_; }

 private:
  struct Mix {
    std::uint64_t operator()(const SampleOwner&) const;
    std::uint64_t operator()(const std::string&) const;
  };

  NumberedValues<std::string, Mix> commands_;
  NumberedValues<SampleOwner, Mix> owners_;
  SampleCounts counts_;
};

}  // namespace tacho
