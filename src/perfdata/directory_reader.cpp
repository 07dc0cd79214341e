#include "perfdata/directory_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

namespace tacho::perfdata {
namespace {

namespace fs = std::filesystem;

// data.0, data.1, … in this order. perf numbers them without a gap.
std::vector<std::string> parts_of(const std::string& directory) {
  std::vector<std::string> parts;
  for (;;) {
    std::string next = fmt::format("{}/data.{}", directory, parts.size());
    std::error_code none;
    if (!fs::is_regular_file(next, none)) return parts;
    parts.push_back(std::move(next));
  }
}

// Merges readers by time. Records without a time come as soon as they are next in their file.
class MergingReader : public Reader {
 public:
  explicit MergingReader(std::vector<std::unique_ptr<Reader>> readers) {
    for (auto& reader : readers) parts_.push_back({std::move(reader), nullptr, true});
  }

  Result<const Record*> next() override {
    Part* earliest = nullptr;
    for (Part& part : parts_) {
      if (part.wanted) advance(part);
      if (part.next != nullptr && (earliest == nullptr || time_of(part) < time_of(*earliest)))
        earliest = &part;
    }
    if (earliest != nullptr) {
      earliest->wanted = true;
      return earliest->next;
    }
    tally_ = {};
    for (const Part& part : parts_) tally_ += part.reader->tally();
    if (damage_) return std::unexpected(*damage_);
    return nullptr;
  }
  const Description& description() const override { return parts_.front().reader->description(); }
  const Tally& tally() const override { return tally_; }  // complete at the end
  void watch(std::function<void(const RawRecord&)> watcher) override {
    for (Part& part : parts_) part.reader->watch(watcher);
  }

 private:
  struct Part {
    std::unique_ptr<Reader> reader;
    const Record* next;  // null at its end
    bool wanted;         // the next record has to be read
  };

  static std::uint64_t time_of(const Part& part) { return part.next->time_ns.value_or(0); }

  void advance(Part& part) {
    const auto record = part.reader->next();
    if (!record && !damage_) damage_ = record.error();
    part.next = record ? *record : nullptr;
    part.wanted = false;
  }

  std::vector<Part> parts_;
  std::optional<Error> damage_;  // the first one
  Tally tally_;
};

void add(std::map<std::uint32_t, std::uint64_t>& sums,
         const std::map<std::uint32_t, std::uint64_t>& more) {
  for (const auto& [type, count] : more) sums[type] += count;
}

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  add(skipped, other.skipped);
  add(unknown, other.unknown);
  for (const auto member : {&Tally::records, &Tally::samples, &Tally::unparsed, &Tally::no_event,
                            &Tally::out_of_order, &Tally::damaged_features, &Tally::trace_bytes,
                            &Tally::lost, &Tally::lost_samples, &Tally::throttles})
    this->*member += other.*member;
  return *this;
}

Result<std::unique_ptr<Reader>> open_file_or_directory(const std::string& path) {
  std::error_code none;
  const std::string main = path + "/data";
  if (!fs::is_directory(path, none) || !fs::is_regular_file(main, none)) return Reader::open(path);
  const std::vector<std::string> parts = parts_of(path);
  if (parts.empty()) return Reader::open(main);
  auto readers = TACHO_TRY(open_with_parts(main, parts));
  return std::make_unique<MergingReader>(std::move(readers));
}

}  // namespace tacho::perfdata
