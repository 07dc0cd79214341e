#include "perfdata/writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <tuple>
#include <vector>

#include "base/byte_writer.hpp"
#include "base/written_file.hpp"
#include "perfdata/format_constants.hpp"
#include "perfdata/header.hpp"

namespace tacho::perfdata {
namespace {

// struct perf_file_header.
struct Header {
  std::array<char, 8> magic = {'P', 'E', 'R', 'F', 'I', 'L', 'E', '2'};
  std::uint64_t size = sizeof(Header);
  std::uint64_t attribute_size = 0;  // of one entry: attributes and the section of their ids
  format::Section attributes;
  format::Section data;
  format::Section event_types;  // used by kernels before 3.0
  std::array<std::uint64_t, 4> features{};
};

// The part of the header that changes with each round.
struct EndOfHeader {
  std::uint64_t data_size = 0;
  format::Section event_types;
  std::array<std::uint64_t, 4> features{};
};
constexpr std::size_t kEndOfHeader = sizeof(Header) - sizeof(EndOfHeader);
static_assert(kEndOfHeader == offsetof(Header, data) + offsetof(format::Section, size));

constexpr std::uint64_t kBits = 64;
constexpr mode_t kMode = 0600;  // as perf: other users must not see the kernel's addresses

std::string older(const std::string& path) {
  return path + ".old";
}

std::unexpected<Error> cannot_rename(const std::string& path, int code) {
  return os_failure(fmt::format("cannot rename the existing '{}' to '{}'", path, older(path)), code,
                    "remove one of them, or give another file with -o FILE");
}

std::unexpected<Error> cannot_replace(const std::string& path, int code) {
  return os_failure(
      fmt::format("cannot replace '{}', which belongs to another user, who could read a recording "
                  "there or lead it elsewhere",
                  path),
      code, "give another file with -o FILE");
}

// Writes the bytes at this offset of the file. Returns how many are in it: fewer than all after an
// error, which is in errno.
std::size_t write_bytes(int file, std::span<const std::byte> bytes, std::uint64_t at) {
  std::size_t all = 0;
  while (all < bytes.size()) {
    const ssize_t done =
        ::pwrite(file, bytes.data() + all, bytes.size() - all, static_cast<off_t>(at + all));
    if (done < 0 && errno == EINTR) continue;
    if (done == 0) errno = ENOSPC;
    if (done <= 0) break;
    all += static_cast<std::size_t>(done);
  }
  return all;
}

// The bytes of the whole records among the first `bytes` of the pieces.
std::uint64_t whole_records(std::span<const std::span<const std::byte>> pieces,
                            std::uint64_t bytes) {
  std::vector<std::byte> all;
  for (const auto& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
  all.resize(static_cast<std::size_t>(bytes));
  std::size_t end = 0;
  while (all.size() - end >= format::kRecordHeader) {
    std::uint16_t size = 0;
    std::memcpy(&size, &all[end + format::kRecordHeader - sizeof size], sizeof size);
    if (size < format::kRecordHeader || size > all.size() - end) break;
    end += size;
  }
  return end;
}

// The bytes that features take in a file.
std::uint64_t size_of(std::span<const FeatureSection> features) {
  std::uint64_t bytes = 0;
  for (const FeatureSection& each : features) bytes += sizeof(format::Section) + each.bytes.size();
  return bytes;
}

// Checks, as far as possible in advance, that the existing recording can be renamed to PATH.old.
Result<void> check_renaming(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
    return cannot_rename(path, errno);
  struct stat status{};
  if (::lstat(older(path).c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return cannot_rename(path, EISDIR);
    return {};
  }
  if (errno == ENOENT) return {};
  return cannot_rename(path, errno);
}

}  // namespace

Result<Writer> Writer::create(const std::string& path) {
  struct stat status{};
  if (is_of_another_user(path)) {
    if (!may_replace(path)) return cannot_replace(path, EPERM);
    return Writer(Fd(), path, false);  // replaced in start()
  }
  const bool exists = ::stat(path.c_str(), &status) == 0;
  // Checked before the file is opened: opening a pipe would wait for its reader.
  if (exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    return failure(fmt::format("cannot write '{}': it is not a regular file", path),
                   "tacho writes a recording at several offsets: give a file with -o FILE, or a "
                   "pipe with -o -");
  if (exists && S_ISREG(status.st_mode) && status.st_size > 0) {
    if (!begins_as_recording(path))
      return failure(fmt::format("cannot write '{}': it is a file that is not a recording", path),
                     "give another file with -o FILE, or remove this one");
    TACHO_TRY(check_renaming(path));
  }
  Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kMode));
  if (!file)
    return os_failure(fmt::format("cannot write '{}'", path), errno,
                      "give another file with -o FILE");
  if (is_locked_by_another(file.get()))
    return failure(fmt::format("cannot write '{}': another recorder is writing it", path),
                   "wait until it ends, or give another file with -o FILE");
  return Writer(std::move(file), path, !exists);
}

void Writer::discard() const {
  if (is_new_ && data_end() == 0) static_cast<void>(::unlink(path_.c_str()));
}

Result<void> Writer::rename_older() {
  struct stat status{};
  const bool of_another = !file_;
  if (of_another ? ::lstat(path_.c_str(), &status) != 0 : ::fstat(file_.get(), &status) != 0)
    return fail(errno);
  if (!of_another && status.st_size == 0) return {};
  if (of_another && (status.st_size == 0 || !S_ISREG(status.st_mode))) {
    if (::unlink(path_.c_str()) != 0) return state_ = cannot_replace(path_, errno);
  } else if (::rename(path_.c_str(), older(path_).c_str()) != 0) {
    state_ = cannot_rename(path_, errno);
    return state_;
  }
  file_ = Fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
  if (!file_ || is_locked_by_another(file_.get())) return fail(errno);
  return {};
}

Result<void> Writer::start(std::span<const WrittenEvent> events) {
  TACHO_TRY(rename_older());
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

void Writer::set_preliminary_features(const Description& description,
                                      std::span<const WrittenEvent> events) {
  preliminary_features_ = encode_features(description, events);
}

Result<void> Writer::append(std::span<const std::span<const std::byte>> pieces) {
  if (!state_) return state_;
  // Removes the features from the header: the new records overwrite them.
  TACHO_TRY(end_header({}));
  const std::uint64_t before = data_size_;
  std::uint64_t added = 0;
  int code = 0;
  for (const auto& piece : pieces) {
    const std::size_t done = write_bytes(file_.get(), piece, data_end() + added);
    added += done;
    if (done == piece.size()) continue;
    code = errno;
    break;
  }
  data_size_ += added;
  if (code == 0) {
    const Result<void> written = write_features(preliminary_features_);
    if (written) return written;
    code = written.error().code;
  }
  // The features get the place of the last records, for the disk has no other.
  const std::uint64_t features = size_of(preliminary_features_);
  data_size_ = before + whole_records(pieces, added - std::min(added, features));
  std::ignore = write_features(preliminary_features_);
  return fail(code);
}

Result<void> Writer::finish(const Description& description, std::span<const WrittenEvent> events) {
  if (!state_) return state_;
  return write_features(encode_features(description, events));
}

Result<void> Writer::write_features(const std::vector<FeatureSection>& features) {
  ByteWriter out;
  std::array<std::uint64_t, 4> bits{};
  std::uint64_t at = data_end() + features.size() * sizeof(format::Section);
  for (const FeatureSection& feature : features) {
    out.add(format::Section{at, feature.bytes.size()});
    at += feature.bytes.size();
    bits.at(feature.bit / kBits) |= std::uint64_t{1} << (feature.bit % kBits);
  }
  for (const FeatureSection& feature : features) out.add_bytes(feature.bytes);
  const Result<void> written = write_at(out.bytes(), data_end());
  features_size_ = written ? out.size() : 0;
  const Result<void> header = end_header(written ? bits : std::array<std::uint64_t, 4>{});
  return written ? header : written;
}

Result<void> Writer::end_header(const std::array<std::uint64_t, 4>& features) {
  const EndOfHeader end{.data_size = data_size_, .event_types = {}, .features = features};
  return write_at(std::as_bytes(std::span(&end, 1)), kEndOfHeader);
}

Result<void> Writer::write_at(std::span<const std::byte> bytes, std::uint64_t at) {
  if (write_bytes(file_.get(), bytes, at) < bytes.size()) return fail(errno);
  return {};
}

Result<void> Writer::fail(int code) {
  Error error = os_error(fmt::format("cannot write '{}'", path_), code);
  if (data_size_ > 0)
    error.remedy += fmt::format("{}tacho can read the records before the error",
                                error.remedy.empty() ? "" : "; ");
  state_ = std::unexpected(std::move(error));
  return state_;
}

}  // namespace tacho::perfdata
