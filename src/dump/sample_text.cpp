// A sample as perf script prints it (tools/perf/builtin-script.c of Linux), so that programs that
// read perf script's text can read tacho's. Widths and separators are perf's.
#include <bit>

#include "dump/append.hpp"
#include "dump/dumped_sample.hpp"
#include "dump/register_names.hpp"

namespace tacho {
namespace {

constexpr std::string_view kUnknown = "[unknown]";
constexpr std::size_t kAddressWidth = 16;

void append_thread(std::string& text, const DumpedSample& of) {
  const perfdata::Sample& sample = *of.sample;
  constexpr std::size_t kWidth = 5;
  const bool pid = of.fields.has(DumpField::pid);
  const bool tid = of.fields.has(DumpField::tid);
  if (pid) append_decimal(text, sample.pid.value_or(-1), kWidth);
  if (pid && tid) {
    text += '/';
    append_left(text, Digits(sample.tid.value_or(-1)).text(), kWidth);
  } else if (tid) {
    append_decimal(text, sample.tid.value_or(-1), kWidth);
  }
  if (pid || tid) text += ' ';
}

// perf's letters of the modes in PERF_RECORD_MISC_CPUMODE_MASK.
void append_misc(std::string& text, perfdata::Mode mode) {
  constexpr std::string_view kLetters = "-KUHGg";  // by Mode
  constexpr std::size_t kWidth = 6;
  append_left(text, kLetters.substr(static_cast<std::size_t>(mode), 1), kWidth);
}

void append_time(std::string& text, std::uint64_t time_ns, TimeUnit unit) {
  constexpr std::uint64_t kSecond = 1'000'000'000;  // ns
  std::string time;
  const bool whole = unit == TimeUnit::nanoseconds;
  append_decimal(time, time_ns / kSecond, whole ? 5 : 0);
  time += '.';
  append_zero_padded(time, whole ? time_ns % kSecond : time_ns % kSecond / 1000, whole ? 9 : 6);
  constexpr std::size_t kWidth = 12;
  append_right(text, time, kWidth);
  text += ": ";
}

void append_start(std::string& text, const DumpedSample& of, TimeUnit unit) {
  const DumpFields& fields = of.fields;
  constexpr std::size_t kCommandWidth = 16;
  if (fields.has(DumpField::comm)) {
    append_right(text, of.command->text,
                 of.has_chain && fields.has(DumpField::ip) ? 0 : kCommandWidth);
    text += ' ';
  }
  append_thread(text, of);
  if (fields.has(DumpField::cpu)) {
    text += '[';
    if (of.details->cpu)
      append_zero_padded(text, *of.details->cpu, 3);
    else
      text += "-01";
    text += "] ";
  }
  if (fields.has(DumpField::misc)) append_misc(text, of.sample->mode);
  if (fields.has(DumpField::time)) append_time(text, of.time_ns.value_or(0), unit);
  if (fields.has(DumpField::period) && of.period) {
    append_decimal(text, *of.period, 10);
    text += ' ';
  }
  if (fields.has(DumpField::event)) {
    append_right(text, of.event->text, of.event_width);
    text += ": ";
  }
}

void append_symbol(std::string& text, const NamedAddress& location, bool with_offset) {
  if (location.function == nullptr) {
    text += kUnknown;
    return;
  }
  text += location.function->text;
  if (!with_offset) return;
  text += "+0x";
  append_hex(text, location.offset);
}

void append_module(std::string& text, const NamedAddress& location) {
  text += '(';
  text += location.module == nullptr ? kUnknown : std::string_view(location.module->text);
  text += ')';
}

void append_frame(std::string& text, const DumpedFrame& frame, const DumpFields& fields) {
  append_hex(text, frame.address, kAddressWidth);
  if (fields.has(DumpField::symbol)) {
    text += ' ';
    append_symbol(text, frame.location, fields.has(DumpField::symbol_offset));
  }
  if (fields.has(DumpField::module)) {
    text += ' ';
    append_module(text, frame.location);
  }
  if (fields.has(DumpField::source_line) && frame.source != nullptr &&
      !frame.source->line.text.empty()) {
    text += "\n  ";
    text += frame.source->line.text;
  }
}

void append_frames(std::string& text, const DumpedSample& of) {
  if (!of.has_chain) {
    text += ' ';
    append_frame(text, of.own, of.fields);
    return;
  }
  text += '\n';
  for (const DumpedFrame& frame : of.chain) {
    if (of.wants_inlined && frame.source != nullptr && of.fields.has(DumpField::symbol))
      for (const DumpedName& inlined : frame.source->inlined) {
        text += '\t';
        append_hex(text, frame.address, kAddressWidth);
        text += ' ';
        text += inlined.text;
        text += " (inlined)\n";
      }
    text += '\t';
    append_frame(text, frame, of.fields);
    text += '\n';
  }
}

void append_registers(std::string& text, std::string_view architecture, std::uint64_t abi,
                      std::uint64_t mask, std::span<const std::uint64_t> values) {
  text += " ABI:";
  append_decimal(text, abi);
  text += ' ';
  constexpr std::size_t kNameWidth = 5;
  for (const std::uint64_t value : values) {
    append_right(text, register_name(architecture, static_cast<unsigned>(std::countr_zero(mask))),
                 kNameWidth);
    text += ":0x";
    append_hex(text, value);
    text += ' ';
    mask &= mask - 1;
  }
}

void append_branch_end(std::string& text, std::uint64_t address, const NamedAddress& location,
                       const DumpFields& fields) {
  if (fields.has(DumpField::branch_symbols)) {
    append_symbol(text, location, fields.has(DumpField::symbol_offset));
  } else {
    text += "0x";
    append_hex(text, address);
  }
  if (fields.has(DumpField::module)) append_module(text, location);
}

// Names of branch types (PERF_BR_*).
constexpr std::string_view kKinds[] = {
    "",       "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
    "SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX", "EXTEND_ABI"};

void append_branch(std::string& text, const DumpedBranch& each, const DumpFields& fields) {
  const perfdata::Branch& branch = each.branch;
  if (!fields.has(DumpField::branch_symbols)) text += ' ';
  append_branch_end(text, branch.from, each.from, fields);
  text += '/';
  append_branch_end(text, branch.to, each.to, fields);
  text += '/';
  const char predicted = branch.predicted ? 'P' : '-';
  text += branch.mispredicted ? 'M' : predicted;
  text += branch.in_transaction ? "/X/" : "/-/";
  text += branch.aborted ? "A/" : "-/";
  append_decimal(text, branch.cycles);
  text += '/';
  text += kKinds[branch.kind % std::size(kKinds)];
  text += ' ';
}

// 4096 is "4K".
void append_page_size(std::string& text, std::uint64_t bytes) {
  constexpr std::string_view kUnits = "BKMGT";
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); bytes /= 1024) ++unit;
  text += ' ';
  if (bytes == 0) {
    text += "N/A";
    return;
  }
  append_decimal(text, bytes);
  text += kUnits[unit];
}

void append_address(std::string& text, const DumpedSample& of) {
  append_hex(text, of.details->address.value_or(0), kAddressWidth);
  if (!of.address) return;
  if (of.fields.has(DumpField::symbol)) {
    text += ' ';
    append_symbol(text, *of.address, of.fields.has(DumpField::symbol_offset));
  }
  if (of.fields.has(DumpField::module)) {
    text += ' ';
    append_module(text, *of.address);
  }
}

// The fields between the event and the address of the instruction.
void append_access(std::string& text, const DumpedSample& of) {
  constexpr std::size_t kWidth = 16;
  const DumpFields& fields = of.fields;
  const perfdata::SampleDetails& details = *of.details;
  if (fields.has(DumpField::address)) append_address(text, of);
  if (fields.has(DumpField::data_source))
    append_hex(text, details.data_source.value_or(0), kWidth + 1);
  if (fields.has(DumpField::weight)) append_decimal(text, details.weight.value_or(0), kWidth);
  if (fields.has(DumpField::instruction_latency))
    append_decimal(text, details.instruction_latency.value_or(0), kWidth);
  if (fields.has(DumpField::third_weight))
    append_decimal(text, details.third_weight.value_or(0), kWidth);
  if (fields.has(DumpField::cgroup)) append_decimal(text, details.cgroup.value_or(0), kWidth);
}

}  // namespace

void append_text(std::string& text, const DumpedSample& of, TimeUnit unit) {
  const DumpFields& fields = of.fields;
  const perfdata::SampleDetails& details = *of.details;
  append_start(text, of, unit);
  append_access(text, of);
  if (fields.has(DumpField::ip)) append_frames(text, of);
  if (fields.has(DumpField::interrupt_registers))
    append_registers(text, of.architecture, details.interrupt_abi, of.interrupt_registers,
                     details.interrupt_registers);
  if (fields.has(DumpField::user_registers))
    append_registers(text, of.architecture, of.sample->user_abi, of.user_registers,
                     of.sample->user_registers);
  for (const DumpedBranch& branch : of.branches) append_branch(text, branch, fields);
  if (fields.has(DumpField::physical_address))
    append_hex(text, details.physical_address.value_or(0), kAddressWidth);
  if (fields.has(DumpField::data_page_size))
    append_page_size(text, details.data_page_size.value_or(0));
  if (fields.has(DumpField::code_page_size))
    append_page_size(text, details.code_page_size.value_or(0));
  text += '\n';
}

}  // namespace tacho
