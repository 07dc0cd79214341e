// The constants of perf's format that the reader and the writer need. They come from
// include/uapi/linux/perf_event.h and tools/perf/Documentation/perf.data-file-format.txt of Linux.
// tacho defines its own because a recording is often newer than the kernel headers of the machine
// that tacho is built on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tacho::perfdata::format {

// The kernel's record types (1 to 22), then perf's own (64 to 86).
enum RecordType : std::uint32_t {
  kMmap = 1,
  kLost = 2,
  kComm = 3,
  kExit = 4,
  kThrottle = 5,
  kUnthrottle = 6,
  kFork = 7,
  kSample = 9,
  kMmap2 = 10,
  kLostSamples = 13,
  kSwitch = 14,
  kSwitchCpuWide = 15,
  kKsymbol = 17,
  kLastOfKernel = 22,  // CALLCHAIN_DEFERRED

  kHeaderAttr = 64,
  kEventType = 65,
  kTracingData = 66,
  kBuildId = 67,
  kFinishedRound = 68,
  kAuxtrace = 71,
  kEventUpdate = 78,
  kFeature = 80,
  kCompressed = 81,
  kCompressed2 = 83,
  kLastOfPerf = 86,  // SCHEDSTAT_DOMAIN
};

inline constexpr std::uint32_t kTracepointType = 2;  // PERF_TYPE_TRACEPOINT

// Fields of a sample: bits of perf_event_attr.sample_type.
enum SampleBit : std::uint64_t {
  kIp = 1U << 0,
  kTid = 1U << 1,
  kTime = 1U << 2,
  kAddress = 1U << 3,
  kRead = 1U << 4,
  kCallchain = 1U << 5,
  kId = 1U << 6,
  kCpu = 1U << 7,
  kPeriod = 1U << 8,
  kStreamId = 1U << 9,
  kRaw = 1U << 10,
  kBranchStack = 1U << 11,
  kRegsUser = 1U << 12,
  kStackUser = 1U << 13,
  kWeight = 1U << 14,
  kDataSource = 1U << 15,
  kIdentifier = 1U << 16,
  kTransaction = 1U << 17,
  kRegsIntr = 1U << 18,
  kPhysicalAddress = 1U << 19,
  kAux = 1U << 20,
  kCgroup = 1U << 21,
  kDataPageSize = 1U << 22,
  kCodePageSize = 1U << 23,
  kWeightStruct = 1U << 24,
};

// Fields of a reading: bits of perf_event_attr.read_format.
enum ReadBit : std::uint64_t {
  kTimeEnabled = 1U << 0,
  kTimeRunning = 1U << 1,
  kReadId = 1U << 2,
  kReadGroup = 1U << 3,
  kReadLost = 1U << 4,
};

// Which branches are recorded, and how: bits of perf_event_attr.branch_sample_type.
enum BranchSampleBit : std::uint64_t {
  kAnyBranch = 1U << 3,
  kInTransaction = 1U << 8,
  kNoTransaction = 1U << 9,
  // Some kinds of branches only (calls, returns, indirect branches, …), unless kAnyBranch is set
  // too.
  kSomeBranches = 1U << 4 | 1U << 5 | 1U << 6 | 1U << 7 | 1U << 10 | 1U << 11 | 1U << 12 | 1U << 13,
  kCallStack = 1U << 11,  // the calls that have not returned, instead of the last branches
  kHardwareIndex = 1U << 17,
  kBranchCounters = 1U << 19,
};

// Bits of perf_event_header.misc. Their meaning depends on the type of the record.
enum MiscBit : std::uint16_t {
  kModeMask = 7,
  kMmapData = 1U << 13,
  kCommExec = 1U << 13,
  kExactIp = 1U << 14,
  kMmapBuildId = 1U << 14,
  kBuildIdSize = 1U << 15,   // of perf's BUILD_ID records
  kLostToFilter = 1U << 15,  // of perf's LOST_SAMPLES
  kSwitchOut = 1U << 13,
  kSwitchPreempted = 1U << 14,
};

// The type of a KSYMBOL record (PERF_RECORD_KSYMBOL_TYPE_BPF), and its flag for a symbol that goes.
inline constexpr std::uint16_t kKsymbolBpf = 1, kKsymbolUnregister = 1;

// Numbers of the flags in perf_event_attr that follow read_format.
enum AttrBit : unsigned {
  kInherit = 1,
  kExcludeUser = 4,
  kExcludeKernel = 5,
  kFrequency = 10,
  kPrecise = 15,  // and 16
  kSampleIdAll = 18,
  kUseClockId = 25,
  kContextSwitch = 26,
};

// Features of a recording: sections after the data of a file (HEADER_* of perf).
enum Feature : std::uint64_t {
  kFeatureTracingData = 1,
  kFeatureBuildId = 2,
  kFeatureHost = 3,
  kFeatureKernel = 4,
  kFeatureVersion = 5,
  kFeatureArchitecture = 6,
  kFeatureCpuCount = 7,
  kFeatureCpuDescription = 8,
  kFeatureCpuId = 9,
  kFeatureMemory = 10,
  kFeatureCommandLine = 11,
  kFeatureEventDescription = 12,
  kFeatureTopology = 13,
  kFeatureMemoryNodes = 14,
  kFeatureBranchStack = 15,
  kFeaturePmus = 16,
  kFeatureGroups = 17,
  kFeatureCaches = 20,
  kFeatureSampleTime = 21,
  kFeatures = 256,
};

// Sizes in bytes.
inline constexpr std::size_t kRecordHeader = 8;  // type, misc, size
inline constexpr std::size_t kPipeHeader = 16;
inline constexpr std::size_t kFileHeader = 104;
inline constexpr std::size_t kHeaderWithoutFeatures = 72;
inline constexpr std::size_t kSmallestAttr = 48;  // perf_event_attr up to its flags
inline constexpr std::size_t kFirstAttr = 64;     // in the first kernels: its size field is 0
inline constexpr std::size_t kEventTypeName = 64;

inline constexpr std::size_t kWord = 8;  // records are padded to a multiple of this

// struct perf_file_section: the place of a section in the file, in bytes.
struct Section {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

}  // namespace tacho::perfdata::format
