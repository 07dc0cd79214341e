// The words of `tacho report --sort`, the options of viewers, and which options exclude each other.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "profile/compose_report.hpp"

namespace tacho {

struct ViewerOption {
  Viewer viewer;
  const char* name;
  const char* description;
};

inline constexpr std::array kViewerOptions{
    ViewerOption{Viewer::folded, "--folded", "Call chains, one per line, for flame graphs"},
    ViewerOption{Viewer::pprof, "--pprof", "For pprof: profile.proto, compressed with gzip"},
    ViewerOption{Viewer::firefox, "--firefox", "For profiler.firefox.com"},
    ViewerOption{Viewer::speedscope, "--speedscope", "For www.speedscope.app"}};

// All words that sort_by() takes; tacho's own come before perf's.
std::vector<std::string> sort_words();
SortBy sort_by(const std::string& word);

// An error names the options. `sort` is the word of --sort, if it was given.
Result<void> check(const ReportRequest& request, const std::optional<std::string>& sort);

}  // namespace tacho
