// A cache of what is made of bytes, such as an automaton of the patterns of an argument, by these bytes. It keeps the
// most recently used values up to a limit of their memory.
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/fork_safe_lock.h"

namespace stringops {

// A Value has `int64_t num_bytes() const`, its memory.
template <class Value>
class ContentCache {
 public:
  explicit ContentCache(int64_t max_bytes) : max_bytes_(max_bytes) {}

  // Returns the value of the key, by make() -> Value unless it is in the cache. Thread-safe.
  template <class Make>
  std::shared_ptr<const Value> get(std::string key, Make&& make) {
    const size_t hash = std::hash<std::string>()(key);
    const std::shared_ptr<const Entry> found = find(hash);
    if (found && found->key == key) return {found, &found->value};
    const auto fresh = std::make_shared<const Entry>(Entry{hash, std::move(key), make()});
    Entries added, dropped;  // destroyed without the lock
    added.push_front(fresh);
    const ForkSafeLock lock;
    const auto place = by_hash_.try_emplace(hash, added.begin()).first;  // the last step that may throw
    if (place->second != added.begin()) {                                // of another key, or another thread's
      drop(place->second, dropped);
      place->second = added.begin();
    }
    recent_.splice(recent_.begin(), added);
    num_bytes_ += bytes_of(*fresh);
    while (num_bytes_ > max_bytes_) {
      const auto last = std::prev(recent_.end());
      by_hash_.erase((*last)->hash);
      drop(last, dropped);
    }
    return {fresh, &fresh->value};
  }

 private:
  struct Entry {
    size_t hash;
    std::string key;
    Value value;
  };
  using Entries = std::list<std::shared_ptr<const Entry>>;

  static int64_t bytes_of(const Entry& entry) {
    return static_cast<int64_t>(entry.key.size()) + entry.value.num_bytes();
  }

  // Returns the entry of a hash. Its key is compared without the lock, as it may be long.
  std::shared_ptr<const Entry> find(size_t hash) {
    const ForkSafeLock lock;
    const auto found = by_hash_.find(hash);
    if (found == by_hash_.end()) return nullptr;
    recent_.splice(recent_.begin(), recent_, found->second);
    return *found->second;
  }

  void drop(typename Entries::iterator entry, Entries& dropped) {
    num_bytes_ -= bytes_of(**entry);
    dropped.splice(dropped.begin(), recent_, entry);
  }

  const int64_t max_bytes_;
  Entries recent_;  // most recently used first
  std::unordered_map<size_t, typename Entries::iterator> by_hash_;
  int64_t num_bytes_ = 0;
};

}  // namespace stringops
