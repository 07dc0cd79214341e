// The files that a program's name means, in the order that a shell and execvp(3) use.
#include "base/program_files.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>

namespace TEST_FILE {
namespace {

using tacho::program_files;
using testing::ElementsAre;

class ProgramFiles : public testing::Test {
 protected:
  ProgramFiles() {
    if (const char* path = std::getenv("PATH")) before_ = path;
  }
  ~ProgramFiles() override {
    if (before_) ::setenv("PATH", before_->c_str(), 1);
  }

 private:
  std::optional<std::string> before_;
};

TEST_F(ProgramFiles, AreOneInEachDirectoryOfPath) {
  ::setenv("PATH", "/a:relative::/b", 1);
  EXPECT_THAT(program_files("x"), ElementsAre("/a/x", "relative/x", "/b/x"))
      << "an empty element is not the working directory";
}

TEST_F(ProgramFiles, IsTheNameItselfWhereItHasASlash) {
  ::setenv("PATH", "/a", 1);
  EXPECT_THAT(program_files("./x"), ElementsAre("./x"));
}

TEST_F(ProgramFiles, OfAnotherWorkingDirectoryAreBelowItIfTheyAreRelative) {
  ::setenv("PATH", "/a:relative", 1);
  EXPECT_THAT(program_files("./x", "/work"), ElementsAre("/work/./x"));
  EXPECT_THAT(program_files("/x", "/work"), ElementsAre("/x"));
  EXPECT_THAT(program_files("x", "/work"), ElementsAre("/a/x", "/work/relative/x"));
}

TEST_F(ProgramFiles, AreWhereExecvpLooksWithoutPath) {
  ::unsetenv("PATH");
  EXPECT_THAT(program_files("x"), ElementsAre("/bin/x", "/usr/bin/x"));
}

}  // namespace
}  // namespace TEST_FILE
