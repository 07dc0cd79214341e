// The names of the bits of struct perf_event_attr (linux/perf_event.h), for traces.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tacho {

// The word of the bits stands behind read_format. This is its offset in bytes.
inline constexpr std::size_t kAttributeBitsAt = 40;

// From the lowest bit on. precise_ip is a number of two bits, which have no name here.
inline constexpr auto kAttributeBits = std::to_array<std::string_view>({
    "disabled",
    "inherit",
    "pinned",
    "exclusive",
    "exclude_user",
    "exclude_kernel",
    "exclude_hv",
    "exclude_idle",
    "mmap",
    "comm",
    "freq",
    "inherit_stat",
    "enable_on_exec",
    "task",
    "watermark",
    "",
    "",
    "mmap_data",
    "sample_id_all",
    "exclude_host",
    "exclude_guest",
    "exclude_callchain_kernel",
    "exclude_callchain_user",
    "mmap2",
    "comm_exec",
    "use_clockid",
    "context_switch",
    "write_backward",
    "namespaces",
    "ksymbol",
    "bpf_event",
    "aux_output",
    "cgroup",
    "text_poke",
    "build_id",
    "inherit_thread",
    "remove_on_exec",
    "sigtrap",
});

}  // namespace tacho
