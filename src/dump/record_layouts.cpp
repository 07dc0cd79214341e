#include "dump/record_layouts.hpp"

#include <algorithm>
#include <array>

namespace tacho {
namespace {

using enum FieldForm;
using Fields = std::span<const RecordField>;

constexpr RecordField kMmapFields[] = {{"pid", i32},      {"tid", i32},      {"start", hex64},
                                       {"length", hex64}, {"offset", hex64}, {"path", text}};
constexpr RecordField kMmap2Fields[] = {
    {"pid", i32},        {"tid", i32},      {"start", hex64},
    {"length", hex64},   {"offset", hex64}, {"file", file_or_build_id},
    {"protection", u32}, {"flags", u32},    {"path", text}};
constexpr RecordField kLostFields[] = {{"id", u64}, {"lost", u64}};
constexpr RecordField kCommFields[] = {{"pid", i32}, {"tid", i32}, {"comm", text}};
constexpr RecordField kTaskFields[] = {
    {"pid", i32}, {"parent_pid", i32}, {"tid", i32}, {"parent_tid", i32}, {"at_ns", u64}};
constexpr RecordField kThrottleFields[] = {{"at_ns", u64}, {"id", u64}, {"stream_id", u64}};
constexpr RecordField kReadFields[] = {{"pid", i32}, {"tid", i32}, {"values", words}};
constexpr RecordField kAuxFields[] = {{"offset", hex64}, {"size", u64}, {"flags", hex64}};
constexpr RecordField kItraceFields[] = {{"pid", i32}, {"tid", i32}};
constexpr RecordField kLostSamplesFields[] = {{"lost", u64}};
constexpr RecordField kSwitchFields[] = {{"other_pid", i32}, {"other_tid", i32}};
constexpr RecordField kNamespacesFields[] = {
    {"pid", i32}, {"tid", i32}, {"count", u64}, {"devices_and_inodes", words}};
constexpr RecordField kKsymbolFields[] = {
    {"start", hex64}, {"length", u32}, {"kind", u16}, {"flags", u16}, {"name", text}};
constexpr RecordField kBpfFields[] = {
    {"kind", u16}, {"flags", u16}, {"program", u32}, {"tag", bytes}};
constexpr RecordField kCgroupFields[] = {{"id", u64}, {"path", text}};
constexpr RecordField kTextPokeFields[] = {
    {"address", hex64}, {"old_length", u16}, {"new_length", u16}, {"code", bytes}};
constexpr RecordField kHardwareIdFields[] = {{"hardware_id", hex64}};
constexpr RecordField kDeferredFields[] = {{"cookie", u64}, {"count", u64}, {"chain", words}};

constexpr RecordField kEventTypeFields[] = {{"config", hex64}, {"name", text}};
constexpr RecordField kTracingDataFields[] = {{"trace_size", u32}, {"rest", bytes}};
constexpr RecordField kBuildIdFields[] = {{"pid", i32}, {"build_id", build_id}, {"path", text}};
constexpr RecordField kIdIndexFields[] = {{"count", u64}, {"ids_indices_cpus_tids", words}};
constexpr RecordField kAuxtraceInfoFields[] = {{"kind", u32}, {"reserved", u32}, {"values", words}};
constexpr RecordField kAuxtraceFields[] = {{"trace_size", u64},  {"trace_offset", hex64},
                                           {"reference", hex64}, {"index", u32},
                                           {"tid", i32},         {"cpu", i32},
                                           {"reserved", u32}};
constexpr RecordField kAuxtraceErrorFields[] = {
    {"kind", u32},   {"code", u32},      {"cpu", i32},   {"pid", i32},     {"tid", i32},
    {"format", u32}, {"address", hex64}, {"at_ns", u64}, {"message", text}};
constexpr RecordField kCountedWordsFields[] = {{"count", u64}, {"values", words}};
constexpr RecordField kStatFields[] = {{"id", u64},           {"cpu", i32},
                                       {"thread", i32},       {"value", u64},
                                       {"time_enabled", u64}, {"time_running", u64}};
constexpr RecordField kStatRoundFields[] = {{"kind", u64}, {"at_ns", u64}};
constexpr RecordField kEventUpdateFields[] = {{"kind", u64}, {"id", u64}, {"value", text}};
constexpr RecordField kTimeConvFields[] = {
    {"shift", u64}, {"multiplier", u64}, {"zero", u64}, {"values", words}};
constexpr RecordField kFeatureFields[] = {{"feature", u64}, {"content", bytes}};
constexpr RecordField kCompressedFields[] = {{"content", bytes}};
constexpr RecordField kCompressed2Fields[] = {{"content_size", u64}, {"content", bytes}};
constexpr RecordField kOnlyBytes[] = {{"content", bytes}};

// SAMPLE and HEADER_ATTR are parsed by their own rules (raw_records.cpp).
constexpr auto kLayouts = std::to_array<RecordLayout>({
    {1, "MMAP", kMmapFields},
    {2, "LOST", kLostFields},
    {3, "COMM", kCommFields},
    {4, "EXIT", kTaskFields},
    {5, "THROTTLE", kThrottleFields},
    {6, "UNTHROTTLE", kThrottleFields},
    {7, "FORK", kTaskFields},
    {8, "READ", kReadFields},
    {9, "SAMPLE", {}},
    {10, "MMAP2", kMmap2Fields},
    {11, "AUX", kAuxFields},
    {12, "ITRACE_START", kItraceFields},
    {13, "LOST_SAMPLES", kLostSamplesFields},
    {14, "SWITCH", {}},
    {15, "SWITCH_CPU_WIDE", kSwitchFields},
    {16, "NAMESPACES", kNamespacesFields},
    {17, "KSYMBOL", kKsymbolFields},
    {18, "BPF_EVENT", kBpfFields},
    {19, "CGROUP", kCgroupFields},
    {20, "TEXT_POKE", kTextPokeFields},
    {21, "AUX_OUTPUT_HW_ID", kHardwareIdFields},
    {22, "CALLCHAIN_DEFERRED", kDeferredFields},
    {64, "HEADER_ATTR", {}},
    {65, "EVENT_TYPE", kEventTypeFields},
    {66, "TRACING_DATA", kTracingDataFields},
    {67, "BUILD_ID", kBuildIdFields},
    {68, "FINISHED_ROUND", {}},
    {69, "ID_INDEX", kIdIndexFields},
    {70, "AUXTRACE_INFO", kAuxtraceInfoFields},
    {71, "AUXTRACE", kAuxtraceFields},
    {72, "AUXTRACE_ERROR", kAuxtraceErrorFields},
    {73, "THREAD_MAP", kCountedWordsFields},
    {74, "CPU_MAP", kOnlyBytes},
    {75, "STAT_CONFIG", kCountedWordsFields},
    {76, "STAT", kStatFields},
    {77, "STAT_ROUND", kStatRoundFields},
    {78, "EVENT_UPDATE", kEventUpdateFields},
    {79, "TIME_CONV", kTimeConvFields},
    {80, "FEATURE", kFeatureFields},
    {81, "COMPRESSED", kCompressedFields},
    {82, "FINISHED_INIT", {}},
    {83, "COMPRESSED2", kCompressed2Fields},
    {84, "BPF_METADATA", kOnlyBytes},
    {85, "SCHEDSTAT_CPU", kOnlyBytes},
    {86, "SCHEDSTAT_DOMAIN", kOnlyBytes},
});

}  // namespace

const RecordLayout* find_record_layout(std::uint32_t type) {
  const auto* found = std::ranges::find(kLayouts, type, &RecordLayout::type);
  return found == kLayouts.end() ? nullptr : found;
}

}  // namespace tacho
