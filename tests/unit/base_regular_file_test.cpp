#include "base/regular_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "events_made_up_tree.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;

std::string why_not(const std::string& path, Links links = Links::safe) {
  const auto file = open_regular_file(path, "/", links);
  return file ? "opened" : file.error().what;
}

TEST(BaseRegularFile, OtherKindsOfFilesAreRefusedByTheirKind) {
  const MadeUpTree tree;
  ASSERT_EQ(::mkfifo(tree.path("fifo").c_str(), 0600), 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  tree.path("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_THAT(why_not(tree.path("fifo")), HasSubstr("is not a regular file but a FIFO"));
  EXPECT_THAT(why_not(tree.path("socket")), HasSubstr("is not a regular file but a socket"));
  EXPECT_THAT(why_not(tree.path()), HasSubstr("is not a regular file but a directory"));
  EXPECT_THAT(why_not("/dev/zero"), HasSubstr("is not a regular file but a device"));
  EXPECT_THAT(why_not("/proc/kallsyms"), HasSubstr("the kernel makes it up"));
  EXPECT_THAT(why_not("/sys/kernel/notes"), HasSubstr("the kernel makes it up"));
}

// A writer that waits for a reader of a FIFO must not go on because tacho looked at it.
TEST(BaseRegularFile, LookingAtAFifoDoesNotOpenIt) {
  const MadeUpTree tree;
  ASSERT_EQ(::mkfifo(tree.path("fifo").c_str(), 0600), 0);
  EXPECT_NE(why_not(tree.path("fifo")), "opened");
  EXPECT_EQ(::open(tree.path("fifo").c_str(), O_WRONLY | O_NONBLOCK), -1) << "no reader came";
}

TEST(BaseRegularFile, ReadsAFileThroughLinksOfOnesOwn) {
  const MadeUpTree tree;
  tree.write("real/file", "text");
  std::filesystem::create_directory_symlink("real", tree.path("relative"));
  std::filesystem::create_directory_symlink(tree.path("relative"), tree.path("absolute"));
  std::filesystem::create_symlink("../absolute/file", tree.path("real/link"));
  std::filesystem::create_symlink("loop", tree.path("loop"));
  EXPECT_EQ(read_regular_file(tree.path("absolute/link")), "text");
  EXPECT_EQ(why_not(tree.path("absolute/file"), Links::none_at_end), "opened");
  EXPECT_THAT(why_not(tree.path("real/link"), Links::none_at_end), HasSubstr("symbolic link"));
  EXPECT_THAT(why_not(tree.path("loop")), HasSubstr("ELOOP"));
  EXPECT_THAT(why_not(tree.path("relative/gone")), HasSubstr("ENOENT"));
  EXPECT_THAT(why_not(tree.path("real/file/below")), HasSubstr("ENOTDIR"));
}

TEST(BaseRegularFile, ALinkOfTheKernelIsFollowedToAFile) {
  EXPECT_EQ(why_not("/proc/self/exe", Links::all), "opened");
  EXPECT_EQ(why_not("/proc/self/exe"), "opened");
  EXPECT_THAT(why_not("/proc/self/root"), HasSubstr("a directory"));
}

TEST(BaseRegularFile, ALinkOfAnotherUserWhereEveryoneMayWriteIsNotFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a link to another user";
  constexpr uid_t kOther = 65534;
  const MadeUpTree tree;
  tree.write("file", "text");
  tree.write("directory/file", "text");
  std::filesystem::create_directory(tree.path("shared"));
  std::filesystem::create_symlink("../file", tree.path("shared/link"));
  std::filesystem::create_directory_symlink("../directory", tree.path("shared/up"));
  const auto own = [&](const char* link, uid_t user) {
    ASSERT_EQ(::lchown(tree.path(link).c_str(), user, user), 0);
  };
  ASSERT_EQ(::chmod(tree.path("shared").c_str(), 01777), 0);
  EXPECT_EQ(why_not(tree.path("shared/link")), "opened") << "of this user";
  own("shared/link", kOther);
  own("shared/up", kOther);
  EXPECT_THAT(why_not(tree.path("shared/link")), HasSubstr("symbolic link of another user"));
  EXPECT_THAT(why_not(tree.path("shared/up/file")), HasSubstr("(user ID 65534)"));
  ASSERT_EQ(::chmod(tree.path("shared").c_str(), 0755), 0);
  EXPECT_EQ(why_not(tree.path("shared/link")), "opened") << "nobody else could put it there";
}

TEST(BaseRegularFile, ATextThatIsTooLongIsRefused) {
  const MadeUpTree tree;
  tree.write("file", "12345");
  EXPECT_EQ(read_regular_file(tree.path("file"), 5), "12345");
  const auto longer = read_regular_file(tree.path("file"), 4);
  ASSERT_FALSE(longer);
  EXPECT_THAT(longer.error().what, HasSubstr("more than 4 bytes"));
}

}  // namespace
}  // namespace tacho::TEST_FILE
