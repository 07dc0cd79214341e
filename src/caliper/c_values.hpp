// Values of the C++ interface as the C interface has them.
#pragma once

#include <string>

#include "tacho/counters.hpp"
#include "tacho/error.hpp"
#include "tacho/tacho.h"

namespace tacho::caliper {

inline std::string with_remedy(const Error& error) {
  return error.remedy.empty() ? error.what : error.what + "; " + error.remedy;
}

inline tacho_count_status status_in_c(CountStatus status) {
  switch (status) {
    case CountStatus::counted:
      return TACHO_COUNTED;
    case CountStatus::estimated:
      return TACHO_ESTIMATED;
    case CountStatus::unavailable:
      return TACHO_UNAVAILABLE;
  }
  return TACHO_UNAVAILABLE;
}

}  // namespace tacho::caliper
