// Downloads debug information from debuginfod servers, with the program debuginfod-find.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"

namespace tacho {

// An error if nothing can be downloaded: no server is named, or the program is not installed.
Result<void> need_debuginfod();

// The path of the downloaded file; none if no server has it.
std::optional<std::string> download_debug_information(const std::string& build_id);

}  // namespace tacho
