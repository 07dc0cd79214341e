// Names that users shorten, and the functions that they mean.
#include "symbols/name_fit.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tacho::symbols::TEST_FILE {
namespace {

constexpr const char* kSwap =
    "std::enable_if<std::__and_<std::is_move_constructible<int> >::value, void>::type "
    "std::swap<int>(int&, int&)";

TEST(NameFit, TheNameThatAReportPrintsIsWhole) {
  EXPECT_EQ(name_fit(kSwap, kSwap), NameFit::whole);
  EXPECT_EQ(name_fit(kSwap, "std::swap<int>"), NameFit::whole);
  EXPECT_EQ(name_fit("main", "main"), NameFit::whole);
  EXPECT_EQ(name_fit("jit one(int, char)", "jit one(int, char)"), NameFit::whole);
}

TEST(NameFit, ScopesArgumentsAndParametersCanBeLeftOut) {
  for (const char* asked : {"swap", "std::swap", "swap<int>", "swap(int&, int&)",
                            "swap<int>(int&, int&)", "std::swap(int&, int&)", " std::swap "})
    EXPECT_EQ(name_fit(kSwap, asked), NameFit::part) << asked;
  const std::string inserted =
      "std::__cxx11::basic_string<char, std::char_traits<char> >::_M_append[abi:cxx11](char "
      "const*)";
  for (const char* asked : {"_M_append", "std::basic_string::_M_append", "basic_string::_M_append",
                            "std::__cxx11::basic_string::_M_append"})
    EXPECT_EQ(name_fit(inserted, asked), NameFit::part) << asked;
  EXPECT_EQ(name_fit("(anonymous namespace)::multiply(float const*)", "multiply"), NameFit::part);
  EXPECT_EQ(name_fit("app::(anonymous namespace)::multiply(int)", "app::multiply"), NameFit::part);
  EXPECT_EQ(name_fit("main.(*Server).handle", "handle"), NameFit::part);
  EXPECT_EQ(name_fit("work.constprop.0", "work"), NameFit::part);
  EXPECT_EQ(name_fit("app::work(int) [clone .cold]", "app::work"), NameFit::part);
  EXPECT_EQ(name_fit("pthread_mutex_lock@@GLIBC_2.2.5", "pthread_mutex_lock"), NameFit::part);
}

TEST(NameFit, OtherNamesDoNotFit) {
  for (const char* asked : {"wap", "swa", "std", "int", "swap<long>", "swap(long&, long&)",
                            "a::swap", "std::swap::x", "", "value"})
    EXPECT_EQ(name_fit(kSwap, asked), NameFit::none) << asked;
  EXPECT_EQ(name_fit("multiply_and_print(int)", "multiply"), NameFit::none);
  EXPECT_EQ(name_fit("memcpy@plt", "memcpy"), NameFit::none);
  EXPECT_EQ(name_fit("main.(*Server).handle", "main."), NameFit::none);
}

TEST(NameFit, ANameThatAReportCutStandsForTheWhole) {
  const std::string name = "void std::__introsort_loop<int*, long>(int*, int*, long)";
  for (const char* asked :
       {"std::__introsort_loop<in…", "std::__introsort_loop<…>", "std::…<int*, long>",
        "void std::__intro…", "std::__introsort_loop<int*…long>"})
    EXPECT_EQ(name_fit(name, asked), NameFit::part) << asked;
  for (const char* asked : {"std::sort<…", "…loop", "std::__introsort_loop<long…"})
    EXPECT_EQ(name_fit(name, asked), NameFit::none) << asked;
}

TEST(NameFit, TheSymbolsOfOperatorsAreNoBrackets) {
  EXPECT_EQ(name_fit("bool app::operator< <int>(app::V<int> const&)", "operator<"), NameFit::part);
  EXPECT_EQ(name_fit("app::V<int>::operator->() const", "V::operator->"), NameFit::part);
  EXPECT_EQ(name_fit("main::{lambda(int)#1}::operator()(int) const", "operator()"), NameFit::part);
  EXPECT_EQ(name_fit("app::cooperator<int>::run()", "cooperator::run"), NameFit::part);
}

TEST(NameFit, TheOwnNameHasNoScopesAndNoArguments) {
  EXPECT_EQ(own_name(kSwap), "swap");
  EXPECT_EQ(own_name("app::work(int) [clone .cold]"), "work");
  EXPECT_EQ(own_name("bool app::operator< <int>(app::V<int> const&)"), "operator<");
}

}  // namespace
}  // namespace tacho::symbols::TEST_FILE
