#include "locate/recorded_machine.hpp"

#include "symbols/running_kernel.hpp"

namespace tacho {

bool is_of_another_machine(const perfdata::Description& recording) {
  return !recording.host.empty() && recording.host != symbols::host_name();
}

}  // namespace tacho
