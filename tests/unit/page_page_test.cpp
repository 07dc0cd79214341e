// The text of a page: its data, and what keeps names of others from being markup or script.
#include "page/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "page/base64.hpp"
#include "page/web_files.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Base64, HasTheExamplesOfRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string("\xfb\xff\xfe\0", 4)), "+//+AA==");
}

class Pages : public testing::Test {
 protected:
  void SetUp() override {
    if (web_files() == nullptr) GTEST_SKIP() << "this build has no pages: esbuild or d3 is missing";
  }
};

TEST_F(Pages, ATitleIsNoMarkup) {
  const std::string html = html_page({.kind = "stat",
                                      .title = "</title><script>alert(1)</script>\"&",
                                      .how = "</script><b>",
                                      .facts = {{"host", "<i>"}},
                                      .warnings = {"<img>"},
                                      .document = R"({"name":"</script>"})",
                                      .more = {}});
  EXPECT_THAT(html,
              HasSubstr("<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;"
                        "</title>"));
  for (const char* text : {"alert(1)</script>", "</script><b>", "<i>", "<img>", "\"</script>"})
    EXPECT_THAT(html, Not(HasSubstr(text)));
}

TEST_F(Pages, NothingIsLoadedAndOneScriptRuns) {
  const std::string html = html_page({.kind = "stat",
                                      .title = "a",
                                      .how = {},
                                      .facts = {},
                                      .warnings = {},
                                      .document = "{}",
                                      .more = {}});
  EXPECT_THAT(html, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(html, Not(HasSubstr("src=\"")));
  EXPECT_THAT(html, Not(HasSubstr("@SCRIPT@")));
}

}  // namespace
}  // namespace tacho::TEST_FILE
