// The names of parts in tables.
#include "stat/part_labels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho::TEST_FILE {
namespace {

std::vector<std::string> shown(PartKind kind, const std::vector<std::string>& names) {
  StatReport report;
  report.kind_of_parts = kind;
  for (const std::string& name : names) report.parts.push_back({name, {}});
  return part_labels(report, 12);
}

using testing::ElementsAre;

TEST(PartLabels, OfControlGroupsAreWithoutTheirCommonFolders) {
  EXPECT_THAT(shown(PartKind::cgroup, {"a.slice/b.slice/one", "a.slice/b.slice/two"}),
              ElementsAre("one", "two"));
  EXPECT_THAT(shown(PartKind::cgroup, {"a.slice/one", "a.slice/b/one"}),
              ElementsAre("one", "b/one"));
  EXPECT_THAT(shown(PartKind::cgroup, {"ab/one", "ac/one"}), ElementsAre("ab/one", "ac/one"));
  EXPECT_THAT(shown(PartKind::cgroup, {"a", "a/b"}), ElementsAre("a", "a/b"));
  EXPECT_THAT(shown(PartKind::cgroup, {"/", "a/b"}), ElementsAre("/", "a/b"));
  EXPECT_THAT(shown(PartKind::cgroup, {"a/b"}), ElementsAre("a/b"));
  EXPECT_THAT(shown(PartKind::thread, {"a/b (x)", "a/c (x)"}), ElementsAre("a/b (x)", "a/c (x)"));
}

TEST(PartLabels, ThatAreLongAreShortenedInTheirMiddle) {
  EXPECT_THAT(shown(PartKind::cgroup, {"kubepods-pod1234.slice", "kubepods-pod5678.slice"}),
              ElementsAre("kubep…slice", "kubep…slice"));
  EXPECT_THAT(shown(PartKind::thread, {"4711 (a worker)", "12 (\x1b[31m)"}),
              ElementsAre("4711 …rker)", testing::Not(testing::HasSubstr("\x1b"))));
}

}  // namespace
}  // namespace tacho::TEST_FILE
