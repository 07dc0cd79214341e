#include "perfdata/tracing_data.hpp"

#include <unistd.h>

#include <bit>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>

#include "base/byte_writer.hpp"
#include "perfdata/format_constants.hpp"

namespace tacho::perfdata {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMagic = "\x17\x08\x44tracing"sv;
constexpr std::string_view kVersion = "0.6";  // as perf writes it

void add_text(ByteWriter& out, std::string_view text) {
  out.add_bytes(std::as_bytes(std::span(text)));
}

// A text that ends with a zero byte.
void add_name(ByteWriter& out, std::string_view name) {
  out.add_padded(name, 1);
}

// The size (64 bits), then the text.
void add_file(ByteWriter& out, std::string_view text) {
  out.add(std::uint64_t{text.size()});
  add_text(out, text);
}

}  // namespace

std::vector<std::byte> encode_tracing_data(const TracingFormats& formats) {
  if (formats.tracepoints.empty()) return {};
  ByteWriter out;
  add_text(out, kMagic);
  add_name(out, kVersion);
  out.add(std::uint8_t{std::endian::native == std::endian::big ? 1 : 0});
  out.add(static_cast<std::uint8_t>(sizeof(long)));
  out.add(static_cast<std::uint32_t>(::sysconf(_SC_PAGESIZE)));
  add_name(out, "header_page");
  add_file(out, formats.header_page);
  add_name(out, "header_event");
  add_file(out, formats.header_event);
  out.add(std::uint32_t{0});  // formats of ftrace's own events, which perf cannot sample

  std::map<std::string_view, std::vector<std::string_view>> systems;
  for (const TracingFormats::Tracepoint& tracepoint : formats.tracepoints)
    systems[tracepoint.system].push_back(tracepoint.format);
  out.add(static_cast<std::uint32_t>(systems.size()));
  for (const auto& [system, texts] : systems) {
    add_name(out, system);
    out.add(static_cast<std::uint32_t>(texts.size()));
    for (const std::string_view text : texts) add_file(out, text);
  }

  out.add(std::uint32_t{0});  // bytes of kallsyms: readers use the recording's mappings instead
  out.add(std::uint32_t{0});  // bytes of printk_formats: for ftrace's own events
  out.add(std::uint64_t{0});  // bytes of saved_cmdlines: COMM records have the names
  return out.take();
}

std::vector<std::byte> as_stream_record(const std::vector<std::byte>& tracing_data) {
  constexpr std::uint16_t kRecord = 12;  // bytes: the header and the size
  const std::size_t padded =
      (tracing_data.size() + format::kWord - 1) / format::kWord * format::kWord;
  ByteWriter out;
  out.add(std::uint32_t{format::kTracingData});
  out.add(std::uint16_t{0});
  out.add(kRecord);
  out.add(static_cast<std::uint32_t>(padded));
  out.add_bytes(tracing_data);
  for (std::size_t i = tracing_data.size(); i < padded; ++i) out.add(std::byte{0});
  return out.take();
}

}  // namespace tacho::perfdata
