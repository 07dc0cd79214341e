// Standard output as the place of a recording.
#pragma once

#include "base/fd.hpp"
#include "base/result.hpp"

namespace tacho {

// Returns standard output, for the recording alone. From then on, what tacho and the workload write
// to standard output goes to standard error. Fails if standard output is a terminal or is closed.
Result<Fd> take_standard_output();

}  // namespace tacho
