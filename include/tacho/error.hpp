// What went wrong, as a value: nothing in this library throws because it can't count.
#pragma once

#include <string>

namespace tacho {

struct Error {
  std::string what;    // the thing and the cause, one sentence without a full stop
  std::string remedy;  // what the user can do about it; may be empty
  int code = 0;        // the errno behind it, or 0
};

}  // namespace tacho
