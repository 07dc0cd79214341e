// A sample as a line of JSON. Fields that the sample does not have are left out.
#include <bit>

#include "dump/dumped_sample.hpp"
#include "dump/json_writer.hpp"
#include "dump/register_names.hpp"

namespace tacho {
namespace {

constexpr std::string_view kModes[] = {"\"unknown\"",    "\"kernel\"",       "\"user\"",
                                       "\"hypervisor\"", "\"guest kernel\"", "\"guest user\""};

void write_location(JsonWriter& json, const NamedAddress& location, const DumpFields& fields) {
  if (fields.has(DumpField::symbol) || fields.has(DumpField::branch_symbols)) {
    if (location.function == nullptr) {
      json.null("symbol");
    } else {
      json.literal("symbol", location.function->json);
      if (fields.has(DumpField::symbol_offset)) json.number("offset", location.offset);
    }
  }
  if (fields.has(DumpField::module) && location.module != nullptr)
    json.literal("module", location.module->json);
}

void write_frame(JsonWriter& json, const DumpedFrame& frame, const DumpedSample& of) {
  json.hex("ip", frame.address);
  write_location(json, frame.location, of.fields);
  if (frame.source == nullptr) return;
  if (of.fields.has(DumpField::source_line) && !frame.source->line.text.empty())
    json.literal("line", frame.source->line.json);
  if (!of.wants_inlined || frame.source->inlined.empty()) return;
  json.begin_list("inlined");
  for (const DumpedName& name : frame.source->inlined) json.literal_element(name.json);
  json.end_list();
}

void write_registers(JsonWriter& json, std::string_view key, const DumpedSample& of,
                     std::uint64_t abi, std::uint64_t mask, std::span<const std::uint64_t> values) {
  json.begin_object(key);
  json.number("abi", abi);
  for (const std::uint64_t value : values) {
    json.hex(register_name(of.architecture, static_cast<unsigned>(std::countr_zero(mask))), value);
    mask &= mask - 1;
  }
  json.end_object();
}

void write_branch(JsonWriter& json, const DumpedBranch& each, const DumpFields& fields) {
  const perfdata::Branch& branch = each.branch;
  json.begin_object();
  json.hex("from", branch.from);
  json.hex("to", branch.to);
  if (fields.has(DumpField::branch_symbols)) {
    json.begin_object("from_place");
    write_location(json, each.from, fields);
    json.end_object();
    json.begin_object("to_place");
    write_location(json, each.to, fields);
    json.end_object();
  }
  if (branch.mispredicted || branch.predicted)
    json.truth("mispredicted", branch.mispredicted);
  else
    json.null("mispredicted");
  json.number("cycles", branch.cycles);
  if (branch.kind != 0) json.number("type", unsigned{branch.kind});
  if (branch.speculation != 0) json.number("speculation", unsigned{branch.speculation});
  if (branch.in_transaction) json.truth("in_transaction", true);
  if (branch.aborted) json.truth("aborted", true);
  json.end_object();
}

void write_start(JsonWriter& json, const DumpedSample& of) {
  const DumpFields& fields = of.fields;
  const perfdata::Sample& sample = *of.sample;
  if (fields.has(DumpField::comm)) json.literal("comm", of.command->json);
  if (fields.has(DumpField::pid) || fields.has(DumpField::tid)) {
    if (sample.pid) json.number("pid", *sample.pid);
    if (sample.tid) json.number("tid", *sample.tid);
  }
  if (fields.has(DumpField::cpu) && of.details->cpu) json.number("cpu", *of.details->cpu);
  if (fields.has(DumpField::misc))
    json.literal("mode", kModes[static_cast<std::size_t>(sample.mode)]);
  if (fields.has(DumpField::time) && of.time_ns) json.number("time_ns", *of.time_ns);
  if (fields.has(DumpField::event)) json.literal("event", of.event->json);
  if (fields.has(DumpField::period) && of.period) json.number("period", *of.period);
}

void write_access(JsonWriter& json, const DumpedSample& of) {
  const perfdata::SampleDetails& details = *of.details;
  const auto hex = [&](DumpField field, std::string_view key, const auto& value) {
    if (of.fields.has(field) && value) json.hex(key, *value);
  };
  const auto number = [&](DumpField field, std::string_view key, const auto& value) {
    if (of.fields.has(field) && value) json.number(key, *value);
  };
  hex(DumpField::address, "address", details.address);
  if (of.address) {
    json.begin_object("address_place");
    write_location(json, *of.address, of.fields);
    json.end_object();
  }
  hex(DumpField::data_source, "data_source", details.data_source);
  number(DumpField::weight, "weight", details.weight);
  number(DumpField::instruction_latency, "instruction_latency", details.instruction_latency);
  number(DumpField::third_weight, "retire_latency", details.third_weight);
  number(DumpField::cgroup, "cgroup", details.cgroup);
  hex(DumpField::physical_address, "physical_address", details.physical_address);
  number(DumpField::data_page_size, "data_page_size", details.data_page_size);
  number(DumpField::code_page_size, "code_page_size", details.code_page_size);
}

}  // namespace

void append_json(std::string& text, const DumpedSample& of) {
  const DumpFields& fields = of.fields;
  JsonWriter json(text);
  json.begin_object();
  write_start(json, of);
  if (fields.has(DumpField::ip)) write_frame(json, of.own, of);
  if (fields.has(DumpField::ip) && of.has_chain) {
    json.begin_list("chain");
    for (const DumpedFrame& frame : of.chain) {
      json.begin_object();
      write_frame(json, frame, of);
      json.end_object();
    }
    json.end_list();
  }
  write_access(json, of);
  if (fields.has(DumpField::interrupt_registers))
    write_registers(json, "interrupt_registers", of, of.details->interrupt_abi,
                    of.interrupt_registers, of.details->interrupt_registers);
  if (fields.has(DumpField::user_registers))
    write_registers(json, "user_registers", of, of.sample->user_abi, of.user_registers,
                    of.sample->user_registers);
  if (fields.has(DumpField::branches) || fields.has(DumpField::branch_symbols)) {
    json.begin_list("branches");
    for (const DumpedBranch& branch : of.branches) write_branch(json, branch, fields);
    json.end_list();
  }
  json.end_object();
  text += '\n';
}

}  // namespace tacho
