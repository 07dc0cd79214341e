// The kernel's tracepoints: `category:name`. A file in tracefs has the number of each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/event.hpp"

namespace tacho {

// The tracepoints in the first of `roots` that has any. Each call reads the files again.
// Thread-safe.
class Tracepoints {
 public:
  explicit Tracepoints(std::vector<std::string> roots) : roots_(std::move(roots)) {}

  // Nothing if tracefs does not have the tracepoint; an error if tracefs can't be read.
  Result<std::optional<Event>> event(std::string_view category, std::string_view name,
                                     std::string_view spec) const;

  std::vector<std::string> categories() const;
  // `category:name` for each tracepoint of a category.
  std::vector<std::string> names(std::string_view category) const;

 private:
  std::vector<std::string> roots_;
};

}  // namespace tacho
