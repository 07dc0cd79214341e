// What tacho record found out about a run, and perf's format has no field for: the cost of a
// sample, the CPU time, the counts of the events, and whether it was still recording. They follow
// the version of the recorder as text, such as "tacho, counted 120 - 33, 70123456 ns of CPU time,
// sampled from 1200 to 3400 ns, 2910 ns a sample" or "tacho, not finished". perf prints this text
// as the version.
#pragma once

#include <string>

#include "perfdata/record.hpp"

namespace tacho::perfdata {

// The version of the recorder with the notes behind it.
std::string version_with_notes(const Description&);

// The opposite: sets the version and what the notes say.
void take_version(std::string text, Description&);

}  // namespace tacho::perfdata
