#include "doctor/trace_file.hpp"

#include "doctor/prove/machine_facts.hpp"

namespace tacho {

Result<std::unique_ptr<TraceFile>> TraceFile::open(const std::string& path,
                                                   const Catalogue& catalogue,
                                                   std::string_view version) {
  auto output = TACHO_TRY(Output::to_file(path));
  std::unique_ptr<TraceFile> trace(new TraceFile(std::move(output)));
  Json first;
  first["tacho"] = {{"version", version}, {"schema", 1}};
  first["machine"] = prove::machine_facts(catalogue);
  TACHO_TRY(trace->output_.write(tacho::written(first)));
  observe_perf_calls(trace.get());
  return trace;
}

TraceFile::~TraceFile() {
  observe_perf_calls(nullptr);
}

void TraceFile::opened(const PerfOpening& call) {
  write(trace_line(call));
}

void TraceFile::read(const PerfReading& call) {
  write(trace_line(call));
}

void TraceFile::write(std::string_view line) {
  if (written_) written_ = output_.write(line);
}

}  // namespace tacho
