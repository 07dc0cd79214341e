// Names of containers, as the engines' files have them.
#include "process/containers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events_made_up_tree.hpp"

namespace tacho::TEST_FILE {
namespace {

std::string id_of(char digit) {
  return std::string(63, digit) + 'f';
}

class Containers : public testing::Test {
 protected:
  Containers() {
    tree_.write("cgroup/system.slice/docker-" + id_of('1') + ".scope/cgroup.procs", "");
    tree_.write("cgroup/docker/" + id_of('2') + "/cgroup.procs", "");
    tree_.write("cgroup/machine.slice/libpod-" + id_of('3') + ".scope/container/cgroup.procs", "");
    tree_.write("cgroup/kubepods/pod7/cri-containerd-" + id_of('4') + ".scope/cgroup.procs", "");
    tree_.write("cgroup/kubepods/pod8/crio-" + id_of('5') + ".scope/cgroup.procs", "");
    for (const char digit : {'1', '2', '9'})
      tree_.write("var/lib/docker/containers/" + id_of(digit) + "/config.v2.json",
                  R"({"State":{},"Name":"/web)" + std::string(1, digit) + R"(","Driver":"x"})");
    tree_.write("var/lib/containers/storage/overlay-containers/containers.json",
                R"([{"id":")" + id_of('9') + R"(","names":["old"]},{"id":")" + id_of('3') +
                    R"(","names":["db"],"image":"y"}])");
    for (const char* log : {"shop-1_prod_app-", "shop-2_prod_app-"})
      tree_.write(
          std::string("var/log/containers/") + log + id_of(log[5] == '1' ? '4' : '5') + ".log", "");
  }

  std::string group(std::string_view container) {
    const auto found = cgroup_of_container(container, tree_.path("cgroup"), tree_.path(""));
    return found ? *found : "error: " + found.error().what;
  }

  MadeUpTree tree_;
};

TEST_F(Containers, AreFoundByTheirNames) {
  EXPECT_EQ(group("web1"), "system.slice/docker-" + id_of('1') + ".scope");
  EXPECT_EQ(group("web2"), "docker/" + id_of('2'));
  EXPECT_EQ(group("db"), "machine.slice/libpod-" + id_of('3') + ".scope");
  EXPECT_EQ(group("shop-1"), "kubepods/pod7/cri-containerd-" + id_of('4') + ".scope");
  EXPECT_EQ(group("shop-2_prod_app"), "kubepods/pod8/crio-" + id_of('5') + ".scope");
}

TEST_F(Containers, AreFoundByTheBeginOfTheirIds) {
  EXPECT_EQ(group("22222222"), "docker/" + id_of('2'));
  EXPECT_EQ(group(id_of('5')), "kubepods/pod8/crio-" + id_of('5') + ".scope");
}

TEST_F(Containers, ThatDoNotRunOrAreSeveralAreErrors) {
  EXPECT_THAT(group("2222222"), testing::HasSubstr("no container '2222222' runs here (5 "));
  EXPECT_THAT(group("web9"), testing::HasSubstr("no container 'web9'"));  // it does not run
  EXPECT_THAT(group("old"), testing::HasSubstr("no container 'old'"));
  EXPECT_THAT(group("web"), testing::HasSubstr("no container 'web'"));
  EXPECT_THAT(group(""), testing::HasSubstr("no container ''"));
  EXPECT_THAT(group("prod"), testing::HasSubstr("'prod' is the name of 2 containers: "));
}

}  // namespace
}  // namespace tacho::TEST_FILE
