// Counts calls of operator new, so that a test can prove that a steady tick makes none. Using the class is
// enough: it links the replaced operators into the test program.
//
//   AllocGuard guard;
//   tick();
//   EXPECT_EQ(guard.allocations(), 0u);
#pragma once

#include <cstddef>

namespace evenkeel::test {

class AllocGuard {
 public:
  AllocGuard();
  /// Calls of operator new in any thread since the guard was created. malloc() calls by C libraries are not
  /// counted.
  [[nodiscard]] std::size_t allocations() const;

 private:
  std::size_t before_ = 0;
};

}  // namespace evenkeel::test
