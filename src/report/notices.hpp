// Where a tool sends the messages that go to a person beside a report. Only cli prints them.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.hpp"

namespace tacho {

// Each member must be callable.
struct Notices {
  std::function<void(std::string_view)> line;     // what was done, such as "drew x.svg"
  std::function<void(std::string_view)> warning;  // what makes the result doubtful
  std::function<void(const Error&)> error;        // what failed, while the rest goes on
};

}  // namespace tacho
