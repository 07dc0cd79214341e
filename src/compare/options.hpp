// The options of `tacho compare` as the user wrote them, and the request that they make.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compare/request.hpp"

namespace tacho {

struct CompareOptions {
  CompareRequest request;             // without the commands and the gates
  std::vector<std::string> commands;  // a text each; or the words of all, with --- between them
  std::vector<std::string> names;
  std::vector<std::string> environment, directories, inputs, setups, prepares, cleanups;
  std::vector<std::string> gates;
  std::vector<std::size_t> looks;
  std::string precision;
  std::string sweep;
  std::string layout = "kernel";
  std::string expected_output;
  std::optional<double> seconds;
  std::optional<std::size_t> pairs;
  bool shell = false;
  bool discard_output = false;
  bool simulated = false;  // --pmu names a simulation
};

// The request, whole. Errors name the option, what is wrong with it, and a remedy.
Result<CompareRequest> request_of(const CompareOptions& options);

}  // namespace tacho
