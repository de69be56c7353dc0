#include "core/fork_safe_lock.h"

#include <pthread.h>

namespace stringops {
namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void lock() {
  pthread_mutex_lock(&mutex);
}

void unlock() {
  pthread_mutex_unlock(&mutex);
}

// The thread that forks holds the lock meanwhile, in the parent and in the child.
[[maybe_unused]] const int registered = pthread_atfork(lock, unlock, unlock);

}  // namespace

ForkSafeLock::ForkSafeLock() {
  lock();
}

ForkSafeLock::~ForkSafeLock() {
  unlock();
}

}  // namespace stringops
