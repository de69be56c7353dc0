// Memory for the results of operators, as drivers allocate it.
#pragma once

#include <cstdint>
#include <memory>

#include "driver/cut.h"

namespace stringops::instructions {

using kernels::PaddedOutput;
using kernels::RaggedOutput;

// Room for a result. Not cleared, as a new tensor is not.
template <class T>
std::unique_ptr<T[]> room(int64_t size) {
  return std::unique_ptr<T[]>(new T[static_cast<size_t>(size)]);
}

struct RaggedRoom {
  std::unique_ptr<uint8_t[]> data;
  std::unique_ptr<int32_t[]> offsets;
  std::unique_ptr<int64_t[]> row_splits;

  explicit RaggedRoom(int64_t rows) : row_splits(room<int64_t>(rows + 1)) {}
  explicit RaggedRoom(const StringSpan& in) : RaggedRoom(in.size()) {}
  RaggedOutput operator()(int64_t num_bytes, int64_t num_pieces) {
    data = room<uint8_t>(num_bytes);
    offsets = room<int32_t>(num_pieces + 1);
    return {data.get(), offsets.get(), row_splits.get()};
  }
};

struct PaddedRoom {
  int64_t rows;
  std::unique_ptr<uint8_t[]> data;
  std::unique_ptr<int32_t[]> offsets;

  PaddedOutput operator()(int64_t num_bytes, int64_t width) {
    data = room<uint8_t>(num_bytes);
    offsets = room<int32_t>(rows * (width + 1));
    return {data.get(), offsets.get(), width};
  }
};

}  // namespace stringops::instructions
