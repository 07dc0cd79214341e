// Directories that killed simulations left: which of them the next one removes.
#include "simulation/abandoned_runs.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "events_made_up_tree.hpp"
#include "simulation/simulator_launch.hpp"

namespace tacho::TEST_FILE {
namespace {

namespace fs = std::filesystem;

struct AbandonedRuns : testing::Test {
  MadeUpTree tree;

  std::string make(const std::string& name, mode_t mode = 0700) {
    const std::string path = tree.path(name);
    fs::create_directories(path);
    ::chmod(path.c_str(), mode);
    return path;
  }
  // The directory of a run that has ended without removing it.
  std::string abandon(const std::string& name, mode_t mode = 0700) {
    const std::string path = make(name, mode);
    const auto mark = mark_run(path);
    EXPECT_TRUE(mark);
    for (const char* file : {"/model", "/records", "/sampling", "/log.42", "/records.limited"})
      tree.write(name + file, "x");
    return path;
  }
  void sweep() { remove_abandoned_runs(tree.path("")); }
};

TEST_F(AbandonedRuns, AreRemovedWithTheirFiles) {
  const std::string killed = abandon("tacho-aaaaaa");
  const std::string early = make("tacho-bbbbbb");  // killed when it had only its mark
  ASSERT_TRUE(mark_run(early));
  sweep();
  EXPECT_FALSE(fs::exists(killed));
  EXPECT_FALSE(fs::exists(early));
}

TEST_F(AbandonedRuns, ARunThatGoesOnStays) {
  const std::string running = make("tacho-aaaaaa");
  auto mark = mark_run(running);
  ASSERT_TRUE(mark);
  sweep();
  EXPECT_TRUE(fs::exists(running + "/running"));
  mark->reset();
  sweep();
  EXPECT_FALSE(fs::exists(running));
}

TEST_F(AbandonedRuns, WhatMayBeSomebodysStays) {
  const std::string no_mark = make("tacho-aaaaaa");
  tree.write("tacho-aaaaaa/records", "mine");
  const std::string other_file = abandon("tacho-bbbbbb");
  tree.write("tacho-bbbbbb/notes.txt", "mine");
  const std::string shared = abandon("tacho-cccccc", 0750);
  const std::string other_name = abandon("tacho-longer-name");
  const std::string target = abandon("target");
  fs::create_directory_symlink(target, tree.path("tacho-dddddd"));
  sweep();
  for (const std::string& path : {no_mark, other_file, shared, other_name, target})
    EXPECT_TRUE(fs::exists(path + "/records")) << path;
}

TEST_F(AbandonedRuns, ANewRunRemovesThem) {
  const std::string killed = abandon("tacho-aaaaaa");
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TMPDIR", tree.path("").c_str(), 1);
  {
    const auto run = RunDirectory::make();
    ASSERT_TRUE(run);
    EXPECT_FALSE(fs::exists(killed));
    EXPECT_TRUE(fs::exists(run->path()));
    const auto other = RunDirectory::make();
    EXPECT_TRUE(fs::exists(run->path())) << "it goes on";
  }
  EXPECT_TRUE(fs::is_empty(tree.path("")));
  before != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace tacho::TEST_FILE
