// Shows the records of a recording as they are in it, with their offsets and fields: for people who
// debug a recorder or a reader. docs/reference/dump.md has an example.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dump/record_layouts.hpp"
#include "dump/record_sink.hpp"
#include "perfdata/reader.hpp"
#include "perfdata/sample.hpp"
#include "perfdata/sample_details.hpp"

namespace tacho {

// The name of a record type (PERF_RECORD_*), or "type N" if tacho does not know it.
std::string record_type_name(std::uint32_t type);

class RawRecordDump {
 public:
  // `recording` must outlive the dump.
  explicit RawRecordDump(const perfdata::Description& recording) : recording_(recording) {}

  // Writes one record with all fields that tacho knows. If the record is too short for a field,
  // its end is named "cut". If bytes are left, they are named "rest".
  void write(const perfdata::RawRecord& record, RecordSink& sink);

 private:
  void write_sample(const perfdata::RawRecord& record, RecordSink& sink);
  void write_details(RecordSink& sink) const;
  void write_by_layout(const RecordLayout& layout, const perfdata::RawRecord& record,
                       RecordSink& sink) const;

  const perfdata::Description& recording_;
  perfdata::SampleParser parser_;
  perfdata::SampleDetails details_;
};

}  // namespace tacho
