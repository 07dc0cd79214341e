// Whether a recording was made on this machine.
#pragma once

#include "perfdata/record.hpp"

namespace tacho {

// False if the recording does not say where it was made.
bool is_of_another_machine(const perfdata::Description& recording);

}  // namespace tacho
