// Fuzzes recordings in perf's format. Whatever the file, its records are complete; the reader
// reaches the end or reports damage with a reason, and repeats that if it is asked again.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "perfdata/reader.hpp"

namespace {

using tacho::perfdata::Mapping;
using tacho::perfdata::Reader;
using tacho::perfdata::Record;
using tacho::perfdata::Sample;

void demand(bool good) {
  if (!good) std::abort();
}

// Reads everything that a record points to.
std::uint64_t sum_of(const Record& record) {
  std::uint64_t sum = 0;
  if (const auto* sample = std::get_if<Sample>(&record.what)) {
    for (const std::uint64_t address : sample->chain) sum += address;
    for (const std::uint64_t value : sample->user_registers) sum += value;
    for (const auto& branch : sample->branches) sum += branch.from + branch.to + branch.cycles;
    for (const std::byte byte : sample->user_stack) sum += std::to_integer<std::uint64_t>(byte);
  } else if (const auto* mapping = std::get_if<Mapping>(&record.what)) {
    sum += mapping->path.size() + mapping->build_id.hex().size();
  }
  return sum;
}

void read_all(Reader& reader) {
  // A few bytes of zstd can expand to very many records.
  constexpr int kMostRecords = 100'000;
  volatile std::uint64_t sum = 0;
  for (int records = 0; records < kMostRecords; ++records) {
    const auto record = reader.next();
    if (!record) {
      const auto again = reader.next();
      demand(!record.error().what.empty() && !record.error().remedy.empty());
      demand(!again && again.error().what == record.error().what);
      return;
    }
    if (*record == nullptr) {
      const auto again = reader.next();
      demand(again && *again == nullptr);
      return;
    }
    sum = sum + sum_of(**record);
    if (const auto* sample = std::get_if<Sample>(&(*record)->what))
      demand(sample->event < reader.description().events.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("fuzz", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  demand(::ftruncate(file, static_cast<off_t>(size)) == 0);
  demand(::pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  const auto reader = Reader::open(path);
  if (reader)
    read_all(**reader);
  else
    demand(!reader.error().what.empty() && !reader.error().remedy.empty());
  return 0;
}
