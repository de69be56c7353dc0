#include "subword/run/run.h"

#include "subword/run/bert_run.h"
#include "subword/run/blank_run.h"
#include "subword/run/mask_run.h"
#include "subword/run/spaced_run.h"

namespace stringops::kernels {
namespace {

using Use = std::function<void(SubwordRun*)>;

// On the stack, since allocating the 100 KB of a run takes a fifth of a call on one string. A function for each kind,
// as one function for all might make room for all of them.
template <class Run>
[[gnu::noinline]] void with(const subword::Table& table, int64_t num_bytes, const Use& use) {
  Run run(table, num_bytes);
  use(&run);
}

}  // namespace

void with_run(const subword::Table& table, int64_t num_bytes, const Use& use) {
  if (SubwordBertRun::serves(table)) return with<SubwordBertRun>(table, num_bytes, use);
  if (SubwordBlankRun::serves(table)) return with<SubwordBlankRun>(table, num_bytes, use);
  if (SubwordSpacedRun::serves(table)) return with<SubwordSpacedRun>(table, num_bytes, use);
  if (SubwordMaskRun::serves(table)) return with<SubwordMaskRun>(table, num_bytes, use);
  use(nullptr);
}

}  // namespace stringops::kernels
