// Where a comparison's result goes: the report, and the file of all runs.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/number.hpp"
#include "base/result.hpp"
#include "compare/request.hpp"
#include "compare/run_blocks.hpp"
#include "compare/runs.hpp"
#include "page/page_output.hpp"
#include "report/notices.hpp"
#include "report/output.hpp"

namespace tacho {

class CompareOutput {
 public:
  // Opens the files, so that one that can't be written is an error before anything runs. The
  // request must outlive the output. `version` is tacho's own.
  static Result<CompareOutput> open(const CompareRequest& request, std::string version,
                                    const Notices& notices);

  // Judges the runs and writes the report. Returns the status of the gates. If a file can't be
  // written, the error comes after the report.
  Result<int> finish(PairedRuns runs);

 private:
  CompareOutput(const CompareRequest& request, std::string version, Output result,
                const Notices& notices)
      : request_(request),
        version_(std::move(version)),
        result_(std::move(result)),
        notices_(notices) {}

  const CompareRequest& request_;
  std::string version_;
  Output result_;
  std::optional<Output> saved_;
  std::optional<PageOutput> page_;
  Notices notices_;
};

// The estimate so far and the time to the next look, on one line.
std::string progress_text(const PairProgress& progress, const NumberStyle& style);

}  // namespace tacho
