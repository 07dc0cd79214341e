// The choice of runs from the options of `tacho blocks`.
#pragma once

#include <string>

#include "base/result.hpp"
#include "blocks/run_choice.hpp"

namespace tacho {

// `address` is hexadecimal, `line` is FILE:NUMBER; an empty text is no condition. Errors: one of
// them has another form.
Result<RunChoice> asked_runs(const std::string& function, const std::string& address,
                             const std::string& line);

}  // namespace tacho
