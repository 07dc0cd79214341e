// Which process of a parallel program this is, by its environment and its host.
#pragma once

#include <string>
#include <string_view>

namespace tacho::caliper {

struct ProcessPlace {
  std::string host;
  // Among the processes that a launcher (mpirun, srun) has started: decimal. Empty without one.
  std::string rank;
};
ProcessPlace place_of_process();

// A file name in which %p is the process, %r its rank ("none" without one), %h its host and %% a %.
// Other characters after a % stay.
std::string fill_in(std::string_view file_name);

}  // namespace tacho::caliper
