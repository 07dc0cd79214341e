#include "perfdata/joined_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/shell_line.hpp"
#include "perfdata/directory_reader.hpp"

namespace tacho::perfdata {
namespace {

auto identity_of(const RecordedEvent& event) {
  return std::tuple(event.name, event.type, event.config, event.config1, event.config2,
                    event.config3, event.period, event.frequency, event.sample_type);
}
using Identity = decltype(identity_of({}));

// The events of all pieces. Those of one piece are different, even if they look alike.
class AllEvents {
 public:
  // The index in `all` of each of these events. Events that are not there are added.
  std::vector<std::size_t> number(const std::vector<RecordedEvent>& events,
                                  std::vector<RecordedEvent>& all) {
    std::vector<std::size_t> numbers;
    std::map<Identity, std::size_t> used;  // how many of those that look so
    for (const RecordedEvent& event : events) {
      const Identity identity = identity_of(event);
      std::vector<std::size_t>& alike = alike_[identity];
      std::size_t& next = used[identity];
      if (next == alike.size()) {
        alike.push_back(all.size());
        all.push_back(event);
      }
      numbers.push_back(alike[next++]);
    }
    return numbers;
  }

 private:
  std::map<Identity, std::vector<std::size_t>> alike_;
};

using KnownBuildIds = std::set<std::pair<std::string, BuildId>>;

std::uint64_t first_time(const Description& description) {
  return description.first_sample_ns.value_or(0);
}

// Adds what a further piece says to the description of all.
void add_description(Description& all, const Description& piece, KnownBuildIds& known) {
  if (piece.last_sample_ns.value_or(0) > 0) {
    const auto first = all.first_sample_ns.value_or(0);
    all.first_sample_ns = first == 0 ? first_time(piece) : std::min(first, first_time(piece));
    all.last_sample_ns = std::max(all.last_sample_ns.value_or(0), *piece.last_sample_ns);
  }
  all.unfinished = all.unfinished || piece.unfinished;
  // Those of one piece are not those of all.
  all.cpu_time_ns.reset();
  all.counted.clear();
  all.begin_ns = all.end_ns = std::nullopt;
  for (const auto& each : piece.build_ids)
    if (known.emplace(each.path, each.id).second) all.build_ids.push_back(each);
}

class JoinedReader : public Reader {
 public:
  struct Piece {
    std::string path;
    std::vector<std::size_t> events;  // in the description of all, by its own numbers
  };

  JoinedReader(std::vector<Piece> pieces, Description description)
      : pieces_(std::move(pieces)), description_(std::move(description)) {}

  Result<const Record*> next() override {
    for (; at_ < pieces_.size(); close_piece()) {
      if (!reader_) {
        auto opened = open_file_or_directory(pieces_[at_].path);
        if (!opened) {
          note(opened.error());
          continue;
        }
        reader_ = *std::move(opened);
        if (watcher_) reader_->watch([this](const RawRecord& raw) { watcher_(numbered(raw)); });
      }
      const auto record = reader_->next();
      if (!record) note(record.error());
      if (record && *record != nullptr) return numbered(**record);
    }
    if (damage_) return std::unexpected(*damage_);
    return nullptr;
  }
  const Description& description() const override { return description_; }
  const Tally& tally() const override { return tally_; }  // of the pieces that were read
  void watch(std::function<void(const RawRecord&)> watcher) override {
    watcher_ = std::move(watcher);
  }

 private:
  void note(const Error& error) {
    if (!damage_) damage_ = error;
  }

  void close_piece() {
    if (reader_) tally_ += reader_->tally();
    reader_.reset();
    ++at_;
  }

  // The record with the number of its event in the description of all.
  const Record* numbered(const Record& record) {
    const auto* sample = std::get_if<Sample>(&record.what);
    if (sample == nullptr || sample->event >= pieces_[at_].events.size() ||
        pieces_[at_].events[sample->event] == sample->event)
      return &record;
    record_ = record;
    std::get<Sample>(record_.what).event = pieces_[at_].events[sample->event];
    return &record_;
  }

  RawRecord numbered(RawRecord raw) const {
    const std::vector<std::size_t>& events = pieces_[at_].events;
    if (raw.event && *raw.event < events.size()) raw.event = events[*raw.event];
    return raw;
  }

  std::vector<Piece> pieces_;
  Description description_;
  std::function<void(const RawRecord&)> watcher_;
  std::size_t at_ = 0;
  std::unique_ptr<Reader> reader_;
  Record record_;
  std::optional<Error> damage_;  // the first one
  Tally tally_;
};

Result<void> check_same_run(const std::string& path, const Description& piece,
                            const std::string& first_path, const Description& first) {
  if (piece.pipe)
    return failure(fmt::format("'{}' is a stream: tacho reads several files as one only if each "
                               "has a header",
                               path),
                   "give one recording");
  if (piece.command == first.command && piece.host == first.host) return {};
  return failure(
      fmt::format("'{}' and '{}' are no pieces of one recording: the command is '{}' on {}, and "
                  "'{}' on {}",
                  first_path, path, shell_line(first.command), first.host,
                  shell_line(piece.command), piece.host),
      "give one of them, or compare them: -i BEFORE … --compare AFTER …");
}

}  // namespace

Result<std::unique_ptr<Reader>> open_joined(std::vector<std::string> paths) {
  struct Opened {
    std::string path;
    Description description;
  };
  std::vector<Opened> opened;
  for (std::string& path : paths) {
    const auto reader = TACHO_TRY(open_file_or_directory(path));
    opened.emplace_back(std::move(path), reader->description());
    const Opened& first = opened.front();
    TACHO_TRY(check_same_run(opened.back().path, opened.back().description, first.path,
                             first.description));
  }
  const auto time = [](const Opened& each) { return first_time(each.description); };
  if (std::ranges::find(opened, std::uint64_t{0}, time) == opened.end())
    std::ranges::stable_sort(opened, {}, time);
  Description all = opened.front().description;
  all.pieces = opened.size();
  all.events.clear();
  AllEvents events;
  KnownBuildIds known;
  for (const auto& each : all.build_ids) known.emplace(each.path, each.id);
  std::vector<JoinedReader::Piece> pieces;
  for (Opened& each : opened) {
    auto numbers = events.number(each.description.events, all.events);
    pieces.push_back({std::move(each.path), std::move(numbers)});
    add_description(all, each.description, known);
  }
  return std::make_unique<JoinedReader>(std::move(pieces), std::move(all));
}

}  // namespace tacho::perfdata
