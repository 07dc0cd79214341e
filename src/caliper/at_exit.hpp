// The report at the program's end, if the environment asks for one.
#pragma once

namespace tacho::caliper {

// To be called once, when the first region is known.
void report_at_exit();

}  // namespace tacho::caliper
