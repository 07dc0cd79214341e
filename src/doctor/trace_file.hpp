// `tacho doctor --trace FILE`: each call to perf_event_open and each reading as a line of JSON.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "events/catalogue.hpp"
#include "pmu/perf/call_observer.hpp"
#include "report/output.hpp"

namespace tacho {

// While it exists, it writes the calls of this process to a file. The first line describes the
// machine. Each line is written at once, so that a crash loses none.
class TraceFile final : public PerfObserver {
 public:
  static Result<std::unique_ptr<TraceFile>> open(const std::string& path,
                                                 const Catalogue& catalogue,
                                                 std::string_view version);
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  ~TraceFile() override;

  void opened(const PerfOpening& call) override;
  void read(const PerfReading& call) override;

  // An error if a line could not be written.
  const Result<void>& written() const { return written_; }

 private:
  explicit TraceFile(Output output) : output_(std::move(output)) {}
  void write(std::string_view line);

  Output output_;
  Result<void> written_;
};

}  // namespace tacho
