// The name of each thread (comm) at the time of a record.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/hash_seed.hpp"
#include "perfdata/record.hpp"

namespace tacho {

class ThreadNames {
 public:
  // Called with every record, in order.
  void add(const perfdata::Record& record) {
    if (const auto* command = std::get_if<perfdata::Command>(&record.what)) {
      names_[command->tid] = command->name;
    } else if (const auto* fork = std::get_if<perfdata::Fork>(&record.what)) {
      names_.erase(fork->tid);  // of a dead thread with the same number
      if (const auto parent = names_.find(fork->parent_tid); parent != names_.end()) {
        const std::string name = parent->second;
        names_.emplace(fork->tid, name);
      }
    }
  }

  // Its last name so far; empty if there is none. A process has the name of its first thread.
  const std::string& of(std::int32_t tid) const {
    static const std::string none;
    static const std::string idle = "swapper";  // as perf calls the kernel's idle thread
    if (const auto found = names_.find(tid); found != names_.end()) return found->second;
    return tid == 0 ? idle : none;
  }

 private:
  std::unordered_map<std::int32_t, std::string, NumberHash> names_;
};

}  // namespace tacho
