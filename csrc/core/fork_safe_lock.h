// The lock of the caches that threads share. fork() waits for it, so that a child finds the caches complete and the
// lock free, whatever the other threads of its parent were doing.
#pragma once

namespace stringops {

// Holds the lock. All caches share it, so it is held for a few steps only: large objects are made before the lock is
// taken and destroyed after it is released. A thread must not take it twice.
class ForkSafeLock {
 public:
  ForkSafeLock();
  ~ForkSafeLock();
  ForkSafeLock(const ForkSafeLock&) = delete;
  ForkSafeLock& operator=(const ForkSafeLock&) = delete;
};

}  // namespace stringops
