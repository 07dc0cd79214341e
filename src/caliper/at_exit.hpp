// The report at the end of the program, if the environment asks for one.
#pragma once

namespace tacho::caliper {

// Reads the environment and registers the report. Call it once, when the first region is known.
void report_at_exit();

}  // namespace tacho::caliper
