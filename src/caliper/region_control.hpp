// The place in an instrumented process that another process finds and uses to turn its regions on
// and off, and to read a report: tacho regions -p PID (src/regions/running_process.cpp). The other
// process reads and writes it by /proc/PID/mem. So the kernel decides who may, and a program that
// is never asked has no thread, no descriptor and no file for it.
#pragma once

#include <array>
#include <cstdint>

namespace tacho::caliper {

// It looks the same in 32-bit and 64-bit processes. The last digit of the mark is its version.
struct alignas(8) RegionControl {
  std::array<char, 16> mark{};
  // Its own address: elsewhere, the mark is only a copy.
  std::uint64_t self = 0;
  std::uint64_t state = 0;  // the address of tacho_regions_state
  // The report that was asked for last, as the library's to_json writes it. It stays there until
  // the next one. The size is 0 if there was no memory for it.
  std::uint64_t report = 0;
  std::uint64_t report_size = 0;
  std::uint32_t report_number = 0;  // 0: there is none yet; odd while it changes
  std::uint32_t reserved = 0;
};
inline constexpr std::array<char, 16> kControlMark = {'t', 'a', 'c', 'h', 'o', ' ', 'r', 'e',
                                                      'g', 'i', 'o', 'n', 's', ' ', '1'};

// Makes a report and puts its place into the RegionControl. If another thread is doing so, it does
// nothing.
void hand_over_report() noexcept;

void forget_handing_over() noexcept;  // in the child of a fork

}  // namespace tacho::caliper
