#include "tests/support/alloc_guard.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

// Global because the replaced operators have no object to hold the count.
std::atomic<std::size_t> allocation_count{0};

void* counted(std::size_t size, std::size_t alignment) noexcept {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  if (size == 0) size = 1;
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return std::malloc(size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* counted_or_throw(std::size_t size, std::size_t alignment = 1) {
  if (void* memory = counted(size, alignment)) return memory;
  throw std::bad_alloc();
}

std::size_t number(std::align_val_t alignment) { return static_cast<std::size_t>(alignment); }

}  // namespace

namespace evenkeel::test {
AllocGuard::AllocGuard() : before_(allocation_count.load()) {}
std::size_t AllocGuard::allocations() const { return allocation_count.load() - before_; }
}  // namespace evenkeel::test

void* operator new(std::size_t size) { return counted_or_throw(size); }
void* operator new[](std::size_t size) { return counted_or_throw(size); }
void* operator new(std::size_t size, std::align_val_t a) { return counted_or_throw(size, number(a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return counted_or_throw(size, number(a)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted(size, 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
