// Tracepoints of the kernel: `category:name`, numbered by a file of tracefs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/event.hpp"

namespace tacho {

// The tracepoints under the first of `roots` that has any. Reads files at each call. Thread-safe.
class Tracepoints {
 public:
  explicit Tracepoints(std::vector<std::string> roots) : roots_(std::move(roots)) {}

  // Nothing when tracefs can be read and has no such tracepoint; an error when it can't be read.
  Result<std::optional<Event>> event(std::string_view category, std::string_view name,
                                     std::string_view spec) const;

  std::vector<std::string> categories() const;
  // `category:name` of each tracepoint in a category.
  std::vector<std::string> names(std::string_view category) const;

 private:
  std::vector<std::string> roots_;
};

}  // namespace tacho
