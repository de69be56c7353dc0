#include "subword/run/run.h"

#include <type_traits>

#include "core/stack.h"
#include "subword/run/bert_run.h"
#include "subword/run/blank_run.h"
#include "subword/run/split_run.h"

namespace stringops::kernels {
namespace {

constexpr int64_t kMinStack = 64 * 1024;  // of a run's calls

using Use = std::function<void(SubwordRun*)>;

// A run is on the stack if there is room, because allocating its 100 KB takes a fifth of a call on one string. There is
// a function for each kind, because one function for all might reserve stack for all of them.
template <class Run>
[[gnu::noinline]] void with(const subword::Table& table, int64_t num_bytes, const Use& use) {
  Run run(table, num_bytes);
  use(&run);
}

// Calls use with a null pointer to the kind of run that serves the table, or to a SubwordRun if none does.
template <class UseKind>
auto with_kind(const subword::Table& table, UseKind&& use) {
  if (SubwordBertRun::serves(table)) return use(static_cast<SubwordBertRun*>(nullptr));
  if (SubwordBlankRun::serves(table)) return use(static_cast<SubwordBlankRun*>(nullptr));
  if (SubwordSplitRun::serves(table)) return use(static_cast<SubwordSplitRun*>(nullptr));
  return use(static_cast<SubwordRun*>(nullptr));
}

template <class Run>
constexpr bool kIsNone = std::is_same_v<Run, SubwordRun>;

}  // namespace

void with_run(const subword::Table& table, int64_t num_bytes, const Use& use) {
  with_kind(table, [&](auto* kind) {
    using Run = std::remove_pointer_t<decltype(kind)>;
    if constexpr (kIsNone<Run>) {
      use(nullptr);
    } else if (stack_left() < static_cast<int64_t>(sizeof(Run)) + kMinStack) {
      const auto run = std::make_unique<Run>(table, num_bytes);
      use(run.get());
    } else {
      with<Run>(table, num_bytes, use);
    }
  });
}

std::unique_ptr<SubwordRun> new_run(const subword::Table& table, int64_t num_bytes) {
  return with_kind(table, [&](auto* kind) -> std::unique_ptr<SubwordRun> {
    using Run = std::remove_pointer_t<decltype(kind)>;
    if constexpr (kIsNone<Run>) {
      return nullptr;
    } else {
      return std::make_unique<Run>(table, num_bytes);
    }
  });
}

}  // namespace stringops::kernels
