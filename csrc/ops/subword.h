// Checks the table argument of operators on subword tokens.
#pragma once

#include "ops/check.h"
#include "ops/stable_abi.h"
#include "subword/table.h"

namespace stringops {

inline subword::Table check_subword_table(const char* op, const Tensor& table) {
  check_cpu(op, "table", table);
  check_dtype(op, "table", table, ScalarType::Byte);
  check_rank(op, "table", table, 1);
  STRINGOPS_CHECK(table.is_contiguous(), op, ": expected `table` to be contiguous, got stride ", table.stride(0),
                  " (use .contiguous())");
  auto opened = subword::open_table(const_ptr<uint8_t>(table), table.numel());
  STRINGOPS_CHECK(opened, op, ": expected `table` as subword_build returns it, got ", table.numel(),
                  " other bytes (rebuild it from the tokenizer)");
  return *std::move(opened);
}

}  // namespace stringops
