// What each process has at its addresses. A child begins with what its parent has.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "base/hash_seed.hpp"
#include "perfdata/record.hpp"

namespace tacho {

template <class Space>
class ProcessSpaces {
 public:
  void add(const perfdata::Command& command) {  // an exec removes everything
    if (command.exec) spaces_.erase(command.pid);
  }
  void add(const perfdata::Fork& fork) {
    if (fork.pid == fork.parent_pid) return;  // a thread
    spaces_.erase(fork.pid);                  // of an earlier process with the same number
    const auto parent = spaces_.find(fork.parent_pid);
    if (parent == spaces_.end()) return;
    const std::shared_ptr<Space> shared = parent->second;
    spaces_[fork.pid] = shared;
  }

  bool empty() const { return spaces_.empty(); }
  // The space of a process; nullptr if nothing was put into it.
  const Space* find(std::int32_t pid) const {
    const auto found = spaces_.find(pid);
    return found == spaces_.end() ? nullptr : found->second.get();
  }
  // The same, to be changed. It is made if there is none.
  Space& own(std::int32_t pid) {
    std::shared_ptr<Space>& space = spaces_[pid];
    if (!space) space = std::make_shared<Space>();
    if (space.use_count() > 1) space = std::make_shared<Space>(*space);
    return *space;
  }

 private:
  // A parent and its child share a space until one of them changes.
  std::unordered_map<std::int32_t, std::shared_ptr<Space>, NumberHash> spaces_;
};

}  // namespace tacho
