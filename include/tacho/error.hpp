// Error: why something could not be done, as a plain value. C++17 or later.
//
// No function of the library throws because an event cannot be counted. A function that is not
// noexcept may throw std::bad_alloc.
#pragma once

#include <string>

#include "tacho/version.h"

namespace tacho {
inline namespace v0 {  // the version of the ABI, as in libtacho.so.0

struct Error {
  std::string what;    // the thing and the cause: one sentence without a full stop
  std::string remedy;  // how the user can remove the cause; may be empty
  int code = 0;        // the errno value behind it, or 0
};

}  // namespace v0
}  // namespace tacho
