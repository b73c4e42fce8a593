// Which texts are URLs, and how a text is made part of one.
#include "agent/http/url.h"

#include <gtest/gtest.h>

#include <vector>

namespace evenkeel::test {
namespace {

TEST(HttpUrl, IsParsedAndFormatted) {
  for (const auto& [text, whole] : std::vector<std::pair<std::string, std::string>>{
           {"https://10.0.0.1", "https://10.0.0.1:443"},
           {"http://a.b:8080/x?y=z", "http://a.b:8080/x?y=z"},
           {"https://[::1]:10250/pods", "https://[::1]:10250/pods"},
           {"https://[0:0:0:0:0:0:0:1]?%41#", "https://[::1]:443?%41#"},
           {"http://127.1:080/a/../b", "http://127.0.0.1:80/a/../b"}}) {
    const auto url = http::parse_url(text);
    ASSERT_TRUE(url) << text;
    EXPECT_EQ(url->text(), whole);
  }
  for (const char* bad : {"", "https://", "ftp://a", "127.0.0.1:10250", "https://a:0", "https://a:70000",
                          "https://a:b", "https://[::1", "https://u:p@host", "https://a b", "https://a/ b",
                          "https://[::1]x", "https:///x", "https://a/\n", "http://:80"})
    EXPECT_FALSE(http::parse_url(bad)) << bad;
  for (const char* guess :
       {"https:/a", "https:a", "HTTPS://a", "https://%61", "https://[fe80::1%25eth0]", "https://[::1%1]",
        "https://[a]", "https://a:00", "https://@a", "https://a\\b", "https://?", "https://#"})
    EXPECT_FALSE(http::parse_url(guess)) << guess << ": nothing is guessed";
  EXPECT_FALSE(http::parse_url(std::string_view("https://a\0/b", 12))) << "a zero";
}

TEST(HttpUrl, IsEscapedInsideOfAQuery) {
  EXPECT_EQ(http::escaped("spec.nodeName=a b&c/d%"), "spec.nodeName%3Da%20b%26c%2Fd%25");
  EXPECT_EQ(http::escaped("AZaz09-._~"), "AZaz09-._~");
  EXPECT_EQ(http::escaped(std::string("a\0\x80", 3)), "a%00%80");
  EXPECT_EQ(http::escaped(""), "");
}

}  // namespace
}  // namespace evenkeel::test
