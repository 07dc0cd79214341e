#include "perfdata/writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>

#include "base/byte_writer.hpp"
#include "perfdata/format_constants.hpp"

namespace tacho::perfdata {
namespace {

// struct perf_file_header.
struct Header {
  std::array<char, 8> magic = {'P', 'E', 'R', 'F', 'I', 'L', 'E', '2'};
  std::uint64_t size = sizeof(Header);
  std::uint64_t attribute_size = 0;  // of one entry: the attributes and the place of their ids
  format::Section attributes;
  format::Section data;
  format::Section event_types;  // of kernels before 3.0
  std::array<std::uint64_t, 4> features{};
};

// What of it changes with each round.
struct EndOfHeader {
  std::uint64_t data_size = 0;
  format::Section event_types;
  std::array<std::uint64_t, 4> features{};
};
constexpr std::size_t kEndOfHeader = sizeof(Header) - sizeof(EndOfHeader);
static_assert(kEndOfHeader == offsetof(Header, data) + offsetof(format::Section, size));

constexpr std::uint64_t kBits = 64;
constexpr mode_t kMode = 0600;  // addresses tell of what others must not know; as perf does

std::string older(const std::string& path) {
  return path + ".old";
}

std::unexpected<Error> no_renaming(const std::string& path, int code) {
  return os_failure(fmt::format("cannot rename '{}', which is there, to '{}'", path, older(path)),
                    code, "remove one of them, or give another file with -o FILE");
}

// Two recorders of one file would write over each other. Not every file system has locks: without
// them nobody is held off.
bool taken_by_another(int fd) {
  return ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

// Whether the recording that is there could get the name PATH.old, as far as one can see.
Result<void> can_keep(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
    return no_renaming(path, errno);
  struct stat status{};
  if (::lstat(older(path).c_str(), &status) == 0)
    return S_ISDIR(status.st_mode) ? no_renaming(path, EISDIR) : Result<void>();
  return errno == ENOENT ? Result<void>() : no_renaming(path, errno);
}

}  // namespace

Result<Writer> Writer::create(const std::string& path) {
  if (path == "-")
    return failure("a recording can't go to standard output: it is written in several places",
                   "give a file with -o FILE");
  struct stat status{};
  const bool there = ::stat(path.c_str(), &status) == 0;
  // Not opened: to open a pipe waits for its reader.
  if (there && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    return failure(fmt::format("cannot write '{}': it is not a regular file", path),
                   "a recording is written in several places: give a file with -o FILE");
  if (there && S_ISREG(status.st_mode) && status.st_size > 0)
    if (auto can = can_keep(path); !can) return std::unexpected(can.error());
  Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kMode));
  if (!file)
    return os_failure(fmt::format("cannot write '{}'", path), errno,
                      "give another file with -o FILE");
  if (taken_by_another(file.get()))
    return failure(fmt::format("cannot write '{}': another recorder is writing it", path),
                   "wait for its end, or give another file with -o FILE");
  return Writer(std::move(file), path, !there);
}

void Writer::discard() const {
  if (is_new_ && size() == 0) static_cast<void>(::unlink(path_.c_str()));
}

Result<void> Writer::keep_older() {
  struct stat status{};
  if (::fstat(file_.get(), &status) != 0) return fail(errno);
  if (status.st_size == 0) return {};
  if (::rename(path_.c_str(), older(path_).c_str()) != 0) return state_ = no_renaming(path_, errno);
  file_ = Fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
  return file_ && !taken_by_another(file_.get()) ? Result<void>() : fail(errno);
}

Result<void> Writer::start(std::span<const WrittenEvent> events) {
  if (auto kept = keep_older(); !kept) return kept;
  ByteWriter out;
  Header header;
  out.add(header);
  std::vector<format::Section> ids;
  for (const WrittenEvent& event : events) {
    ids.push_back({out.size(), event.ids.size() * sizeof(std::uint64_t)});
    for (const std::uint64_t id : event.ids) out.add(id);
  }
  header.attributes.offset = out.size();
  for (std::size_t i = 0; i < events.size(); ++i) {
    out.add_bytes(events[i].attributes);
    out.add(ids[i]);
  }
  header.attributes.size = out.size() - header.attributes.offset;
  header.attribute_size = events.empty() ? 0 : header.attributes.size / events.size();
  header.data.offset = data_at_ = out.size();
  out.set(0, header);
  return write_at(out.bytes(), 0);
}

void Writer::foretell(const Description& description, std::span<const WrittenEvent> events) {
  foretold_ = encode_features(description, events);
}

Result<void> Writer::append(std::span<const std::span<const std::byte>> pieces) {
  if (!state_) return state_;
  // The features that stand behind the records are about to be written over.
  if (auto hidden = end_header({}); !hidden) return hidden;
  std::uint64_t added = 0;
  for (const auto& piece : pieces) {
    if (const auto written = write_at(piece, size() + added); !written) {
      const Result<void> told = write_features(foretold_);  // of what was written before
      return told ? written : told;
    }
    added += piece.size();
  }
  data_size_ += added;
  return write_features(foretold_);
}

Result<void> Writer::finish(const Description& description, std::span<const WrittenEvent> events) {
  if (!state_) return state_;
  return write_features(encode_features(description, events));
}

Result<void> Writer::write_features(const std::vector<FeatureSection>& features) {
  ByteWriter out;
  std::array<std::uint64_t, 4> bits{};
  std::uint64_t at = size() + features.size() * sizeof(format::Section);
  for (const FeatureSection& feature : features) {
    out.add(format::Section{at, feature.bytes.size()});
    at += feature.bytes.size();
    bits.at(feature.bit / kBits) |= std::uint64_t{1} << (feature.bit % kBits);
  }
  for (const FeatureSection& feature : features) out.add_bytes(feature.bytes);
  const Result<void> written = write_at(out.bytes(), size());
  const Result<void> told = end_header(written ? bits : std::array<std::uint64_t, 4>{});
  return written ? told : written;
}

Result<void> Writer::end_header(const std::array<std::uint64_t, 4>& features) {
  const EndOfHeader end{.data_size = data_size_, .event_types = {}, .features = features};
  return write_at(std::as_bytes(std::span(&end, 1)), kEndOfHeader);
}

Result<void> Writer::write_at(std::span<const std::byte> bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return fail(done == 0 ? ENOSPC : errno);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    at += static_cast<std::uint64_t>(done);
  }
  return {};
}

Result<void> Writer::fail(int code) {
  state_ = os_failure(fmt::format("cannot write '{}'", path_), code,
                      data_size_ > 0 ? "what was written before can be read" : "");
  return state_;
}

}  // namespace tacho::perfdata
