#include "process/own_limits.hpp"

#include <sys/resource.h>

#include <csignal>
#include <optional>

namespace tacho {
namespace {

bool adjusted = false;               // adjust_own_limits() was called
std::optional<rlimit> files_before;  // the limit of open files, if it was raised
bool ignores_limit = false;          // SIGXFSZ is ignored now and was not before

}  // namespace

void adjust_own_limits() {
  adjusted = true;
  ignores_limit = ::signal(SIGXFSZ, SIG_IGN) != SIG_IGN;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max) return;
  const rlimit raised{files.rlim_max, files.rlim_max};
  if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) files_before = files;
}

void restore_own_limits() {
  if (files_before) ::setrlimit(RLIMIT_NOFILE, &*files_before);
  if (ignores_limit) ::signal(SIGXFSZ, SIG_DFL);
}

RestoredLimits::RestoredLimits() {
  restore_own_limits();
}

RestoredLimits::~RestoredLimits() {
  if (adjusted) adjust_own_limits();
}

}  // namespace tacho
