// Checks the arguments of a lookup: the table, and the ids of unknown words.
#pragma once

#include "kernels/vocabulary.h"
#include "ops/check.h"
#include "ops/stable_abi.h"

namespace stringops {

inline kernels::VocabLookup check_vocab(const char* op, const Tensor& table, int64_t unknown_id,
                                        int64_t num_oov_buckets) {
  check_cpu(op, "table", table);
  check_dtype(op, "table", table, ScalarType::Byte);
  check_rank(op, "table", table, 1);
  STRINGOPS_CHECK(table.is_contiguous(), op, ": expected `table` to be contiguous, got stride ", table.stride(0),
                  " (use .contiguous())");
  const auto opened = kernels::open_vocab_table(const_ptr<uint8_t>(table), table.numel());
  STRINGOPS_CHECK(opened, op, ": expected `table` as vocab_build returns it, got ", table.numel(),
                  " other bytes (rebuild it from the words)");
  constexpr int64_t kMaxBuckets = int64_t{1} << 62;  // so that no id overflows
  STRINGOPS_CHECK(0 <= num_oov_buckets && num_oov_buckets <= kMaxBuckets, op,
                  ": expected `num_oov_buckets` within [0, 2**62], got ", num_oov_buckets);
  return {*opened, {unknown_id, num_oov_buckets}};
}

}  // namespace stringops
