// The threads on which the loops of operators run.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stringops::host {

class Threads {
 public:
  virtual ~Threads() = default;

  virtual uint32_t count() const = 0;

  // Calls part(context, i) once for each i below `count`, on any of the threads. Returns whether it could.
  virtual bool run(size_t count, void (*part)(void*, size_t), void* context) const = 0;
};

// While it exists, the operators that this thread calls use `threads`, otherwise only the thread itself.
class UsedThreads {
 public:
  explicit UsedThreads(const Threads* threads);
  ~UsedThreads();
  UsedThreads(const UsedThreads&) = delete;
  UsedThreads& operator=(const UsedThreads&) = delete;
};

}  // namespace stringops::host
