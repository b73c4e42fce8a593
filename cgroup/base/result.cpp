#include "cgroup/base/result.h"

#include <cstring>

namespace evenkeel {

const char* name(Op op) {
  switch (op) {
    case Op::open:
      return "open";
    case Op::read:
      return "read";
    case Op::write:
      return "write";
    case Op::parse:
      return "parse";
    case Op::watch:
      return "watch";
    case Op::list:
      return "list";
    case Op::map:
      return "map";
    case Op::other:
      return "other";
  }
  return "other";
}

const char* errno_name(int code) {
  const char* known = ::strerrorname_np(code);
  return known && code != 0 ? known : "E?";
}

}  // namespace evenkeel
