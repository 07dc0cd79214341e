// Standard input, which several runs of a command share.
#pragma once

#include <sys/types.h>

#include <optional>

namespace tacho {

// Made before the first run. Each run reads a file from the same place on; a pipe that one run has
// read to its end is empty for those after it, which then measure something else.
class StandardInput {
 public:
  StandardInput();

  // Between two runs.
  void begin_again();

  // Whether it came to its end before a run began. Nobody tells whether one before had read
  // anything, or whoever held the other end just closed it.
  bool ran_dry() const { return ran_dry_; }

 private:
  std::optional<off_t> place_;  // of a file
  bool flows_ = false;          // a pipe, or a socket, that was not at its end
  bool ran_dry_ = false;
};

}  // namespace tacho
