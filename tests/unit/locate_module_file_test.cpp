// Which files of this machine are accepted as the recorded ones.
#include "locate/module_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "symbols/running_kernel.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;

// Most recordings have no build ID of the vDSO. It is part of the kernel, and each kernel has its
// own.
TEST(ModuleFile, TheRunningKernelsVdsoIsUsedOnlyForRecordingsOfThisKernel) {
  if (!symbols::Binary::own_vdso({})) GTEST_SKIP() << "this process has no vDSO";
  const Module vdso{.kind = ModuleKind::vdso, .path = "[vdso]", .build_id = {}, .reference = {}};
  const auto opened = [&](const perfdata::Description& recording) {
    return open_module_file(vdso, recording, {});
  };
  perfdata::Description recording;
  EXPECT_TRUE(opened(recording)) << "nothing shows that it is another kernel";
  recording.host = symbols::host_name();
  recording.kernel = symbols::running_kernel_release();
  EXPECT_TRUE(opened(recording));
  recording.kernel = "3.4.0";
  auto refused = opened(recording);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("3.4.0"));
  recording.host = "elsewhere";
  refused = opened(recording);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("'elsewhere'"));
  // A kernel may be rebuilt with the same release name.
  recording.host = symbols::host_name();
  recording.kernel = symbols::running_kernel_release();
  perfdata::BuildId other;
  other.size = 20;
  recording.build_ids.push_back(
      {.mode = perfdata::Mode::kernel, .id = other, .path = "[kernel.kallsyms]"});
  EXPECT_FALSE(opened(recording));
}

}  // namespace
}  // namespace tacho::TEST_FILE
