// KSYMBOL records, which name BPF programs that the kernel compiled (perf_event_open(2)).
#include <gtest/gtest.h>

#include "perfdata_builder.hpp"

namespace tacho::perfdata::TEST_FILE {
namespace {

using perf_format::Order;
using perf_format::Packed;

std::string ksymbol(Order order, unsigned type, unsigned flags, std::string_view name) {
  Packed body(order);
  body.u64(0xffffffffc0100000).u32(0x123).u16(type).u16(flags).text(name);
  return perf_format::record(order, 17, 0, body.str());
}

TEST(PerfdataKsymbol, ABpfProgramIsAMappingOfTheKernelUntilItGoes) {
  constexpr unsigned kBpf = 1, kOutOfLine = 2, kUnregister = 1;
  for (const Order order : {Order::little, Order::big}) {
    const auto back = perf_format::read_back(
        perf_format::file(order, {{.sample_type = 1, .sample_id_all = false}},
                          ksymbol(order, kBpf, 0, "bpf_prog_6deef7357e7b4530_sd_fw") +
                              ksymbol(order, kBpf, kUnregister, "bpf_prog_6deef7357e7b4530_sd_fw") +
                              ksymbol(order, kOutOfLine, 0, "ftrace_trampoline")));
    ASSERT_EQ(back.error, "");
    const auto mappings = back.all<Mapping>();
    ASSERT_EQ(mappings.size(), 3U);
    EXPECT_EQ(mappings[0].path, "[bpf]bpf_prog_6deef7357e7b4530_sd_fw");
    EXPECT_EQ(mappings[0].start, 0xffffffffc0100000U);
    EXPECT_EQ(mappings[0].length, 0x123U);
    EXPECT_EQ(mappings[0].pid, -1);
    EXPECT_EQ(mappings[0].mode, Mode::kernel);
    EXPECT_EQ(mappings[1].length, 0U);
    EXPECT_EQ(mappings[2].length, 0U);
  }
}

}  // namespace
}  // namespace tacho::perfdata::TEST_FILE
