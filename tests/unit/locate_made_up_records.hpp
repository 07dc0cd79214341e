// Builds streams of records for tests: mappings, execs and forks of processes that do not exist.
#pragma once

#include <cstdint>
#include <string>

#include "perfdata/record.hpp"

namespace tacho {

// `Consumer` receives the records one after the other: Profile or BranchStacks.
template <class Consumer>
class MadeUpRecords {
 public:
  void map(std::int32_t pid, std::uint64_t start, std::uint64_t length, const std::string& path,
           std::uint64_t offset = 0) {
    perfdata::Mapping mapping;
    mapping.pid = mapping.tid = pid;
    mapping.start = start;
    mapping.length = length;
    mapping.offset = offset;
    mapping.path = path;
    mapping.mode = pid == -1 ? perfdata::Mode::kernel : perfdata::Mode::user;
    add(mapping);
  }
  void exec(std::int32_t pid, const std::string& name = {}) {
    perfdata::Command command;
    command.pid = command.tid = pid;
    command.exec = true;
    command.name = name;
    add(command);
  }
  void fork(std::int32_t parent, std::int32_t child) {
    perfdata::Fork fork;
    fork.pid = fork.tid = child;
    fork.parent_pid = fork.parent_tid = parent;
    add(fork);
  }
  void exit(std::int32_t pid) {
    perfdata::Exit exit;
    exit.pid = exit.tid = pid;
    add(exit);
  }
  void pass(std::uint64_t ns) { time_ += ns; }
  template <class What>
  void add(const What& what) {
    perfdata::Record record;
    record.time_ns = ++time_;
    record.what = what;
    kept.add(record, description);
  }

  perfdata::Description description;
  Consumer kept;

 private:
  std::uint64_t time_ = 0;
};

}  // namespace tacho
