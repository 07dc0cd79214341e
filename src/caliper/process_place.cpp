// The environment variables of launchers, and the placeholders of file names.
#include "caliper/process_place.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace tacho::caliper {
namespace {

constexpr std::array kRankVariables = {
    "OMPI_COMM_WORLD_RANK",  // Open MPI
    "PMIX_RANK",             // launchers that speak PMIx
    "PMI_RANK",              // MPICH, Intel MPI
    "MV2_COMM_WORLD_RANK",   // MVAPICH2
    "SLURM_PROCID",          // srun
};

bool is_number(std::string_view text) {
  constexpr std::size_t kMostDigits = 9;
  return !text.empty() && text.size() <= kMostDigits &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string rank_of_process() {
  for (const char* const name : kRankVariables)
    if (const char* const rank = ::secure_getenv(name); rank != nullptr && is_number(rank))
      return rank;
  return {};
}

std::string host_name() {
  std::array<char, 256> name{};  // POSIX allows 255 bytes
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

ProcessPlace place_of_process() {
  return {.host = host_name(), .rank = rank_of_process()};
}

std::string fill_in(std::string_view file_name) {
  std::string filled;
  for (std::size_t i = 0; i < file_name.size(); ++i) {
    const char kind = file_name[i] == '%' && i + 1 < file_name.size() ? file_name[i + 1] : 0;
    const std::string rank = kind == 'r' ? rank_of_process() : "";
    switch (kind) {
      case 'p':
        filled += std::to_string(::getpid());
        break;
      case 'r':
        filled += rank.empty() ? "none" : rank;
        break;
      case 'h':
        filled += host_name();
        break;
      case '%':
        filled += '%';
        break;
      default:
        filled += file_name[i];
        continue;
    }
    ++i;
  }
  return filled;
}

}  // namespace tacho::caliper
