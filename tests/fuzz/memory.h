// All memory that `new` returns, tensors of the host included: limited, and by choice in front of unreadable pages, or
// failing.
//
// STRINGOPS_FUZZ_GUARD=1 puts each tensor, and each block that an operator allocates, in front of a page that cannot be
// read: an access beyond the block, or to a freed one, is a SIGSEGV even if the instruction is one that sanitizers do
// not check, such as a masked load. The last byte of a tensor is the last one of a page. Other blocks are aligned to 16
// bytes, as the compiler expects, so up to 15 bytes after them can be read; that they were not written is checked when
// the block is freed.
#pragma once

#include <cstddef>
#include <functional>

namespace stringops::fuzz::memory {

// More is refused: draws may ask for any size.
constexpr size_t kMaxBytes = size_t{1} << 26, kMaxTensorBytes = size_t{1} << 20;

// What happens when a thread allocates.
struct Plan {
  long fail_from = 0;               // the number of the first allocation that fails, from 1; 0: none
  bool fail_on = false;             // whether all later ones fail, too
  std::function<void()> on_tensor;  // called before each allocation of a tensor, if it is set

  long count = 0, failures = 0;
};

// While it exists, this thread runs an operator, and its allocations go by the plan, which may be null.
class Planned {
 public:
  explicit Planned(Plan* plan);
  ~Planned();
  Planned(const Planned&) = delete;
  Planned& operator=(const Planned&) = delete;

 private:
  Plan* const outer_;
  const bool outside_;
};

// The number of blocks of the process.
long live_blocks();

}  // namespace stringops::fuzz::memory
