// Values and changes in words, for the reports that people read.
#pragma once

#include <cstddef>
#include <string>

#include "base/number.hpp"
#include "compare/judge.hpp"
#include "compare/runs.hpp"

namespace tacho {

// "12.34 ms", "5.6 MiB", "1,234". `scale_of` chooses the prefix: the larger value of the row.
std::string amount(double value, double scale_of, const std::string& unit, const NumberStyle&);

// "-4.9 %", "+0.31 %", "3.2 times", or for a difference "+3".
std::string change_of(const PairedChange&, const ComparedMetric&, const NumberStyle&);

// "(-5.7…-4.3)"; empty if the change is exact.
std::string range_of(const PairedChange&, const ComparedMetric&, const NumberStyle&);

// One sentence: which command takes less or more of this metric, and how sure that is.
std::string sentence(const PairedChange&, const PairedRuns&, const NumberStyle&);

// "wall time: not decided, within -3 and +8 %", for a metric beside the first sentence.
std::string clause(const PairedChange&, const PairedRuns&, const NumberStyle&);

// "less", "fewer" of counts, "more", "the same", "not decided", "not known".
std::string verdict_word(const PairedChange&, const ComparedMetric&);

// Why a metric has no values: not of this machine, or not of these commands.
std::string missing_reason(const ComparedMetric&);

// The command as one would type it, with its variables, input and directory.
std::string shown_command(const ComparedCommand&);

// What a member is called: "B", "fast", "A again" for the control.
std::string shown_name(const PairedRuns&, std::size_t member);

}  // namespace tacho
