#include "collectors/bpf_ring.h"

#include <bpf/libbpf.h>

#include <cerrno>
#include <utility>

namespace evenkeel {

struct BpfRing::Impl {
  Take take{};
  ring_buffer* ring = nullptr;

  explicit Impl(Take with) : take(std::move(with)) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { ring_buffer__free(ring); }
};

namespace {

int take_one(void* take, void* record, std::size_t size) {
  (*static_cast<BpfRing::Take*>(take))({static_cast<const std::byte*>(record), size});
  return 0;
}

}  // namespace

BpfRing::BpfRing(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BpfRing::BpfRing(BpfRing&&) noexcept = default;
BpfRing& BpfRing::operator=(BpfRing&&) noexcept = default;
BpfRing::~BpfRing() = default;

Result<BpfRing> BpfRing::open(int table, Take take) {
  auto impl = std::make_unique<Impl>(std::move(take));
  impl->ring = ring_buffer__new(table, take_one, &impl->take, nullptr);
  if (impl->ring == nullptr) return fail(errno, Op::map, "ring buffer");
  return BpfRing(std::move(impl));
}

int BpfRing::fd() const { return ring_buffer__epoll_fd(impl_->ring); }

void BpfRing::read() { ring_buffer__consume(impl_->ring); }

}  // namespace evenkeel
