// Malformed texts that every parser must reject as absent instead of returning a number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evenkeel::test {

inline std::vector<std::string> malformed_texts() {
  return {
      "",
      "\n",
      "\n\n\n",
      " ",
      std::string("\0\0\0\0", 4),
      "\xff\xfe\x80 binary \x01\x02\n",
      "max",
      "-1",
      "-9223372036854775808",
      "99999999999999999999999999999999",
      "0x10",
      "1e9",
      "nan",
      "cpu",
      "cpu ",
      "some",
      "some ",
      "=",
      ": : :",
      std::string(100'000, '7'),
      std::string(100'000, '\n'),
      std::string(100'000, ' '),
  };
}

/// Every prefix of a good text, as from a read that was cut off.
inline std::vector<std::string_view> truncations(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t size = 0; size + 1 < text.size(); ++size) out.push_back(text.substr(0, size));
  return out;
}

}  // namespace evenkeel::test
