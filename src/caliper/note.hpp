// Note: a value that the program itself gives to executions of a region, such as the bytes that it
// worked on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "caliper/record.hpp"

namespace tacho::caliper {

// The values of one name, in one region and thread.
struct Note {
  std::string name;
  Record* values = nullptr;   // an execution is one with such a note, and its ticks are the value
  std::uint64_t running = 0;  // the value of the execution that runs
  bool noted = false;         // it has one
  Note* next = nullptr;       // of the same record

  // Forgets the value of the execution that runs.
  void drop() noexcept {
    running = 0;
    noted = false;
  }
  void clear() noexcept {
    drop();
    if (values != nullptr) clear_record(values);
  }
};

using Notes = std::vector<std::unique_ptr<Note>>;

}  // namespace tacho::caliper
