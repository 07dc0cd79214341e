// The names of registers by their numbers in perf_event_attr.sample_regs_user and sample_regs_intr.
#pragma once

#include <string>
#include <string_view>

namespace tacho {

// `architecture` as uname -m prints it. The name is perf script's, or "rN" if tacho knows none.
std::string register_name(std::string_view architecture, unsigned number);

}  // namespace tacho
