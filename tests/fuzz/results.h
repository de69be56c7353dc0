// The results of drivers, in buffers of exactly their size; changes between measuring and writing; and calls that may
// end in an error of the operator.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>

#include "core/fail.h"
#include "fuzz.h"
#include "kernels/driver/cut.h"
#include "kernels/driver/testing.h"

namespace stringops::fuzz {

// Called when a driver allocates, between measuring and writing. May change the arguments.
using Interference = std::function<void()>;

inline void check_room(int64_t bytes, int64_t max_bytes = 1 << 20) {
  // Offsets that were changed before measuring may need any size.
  if (bytes > max_bytes) throw std::length_error("more than a test allocates");
}

struct RaggedBuffers {
  Exact<int64_t> row_splits;
  Interference interfere;
  int64_t max_bytes = 1 << 20;
  Bytes data{};
  Exact<int32_t> offsets{};

  kernels::RaggedOutput operator()(int64_t num_bytes, int64_t num_pieces) {
    check_room(num_bytes, max_bytes);
    data = Bytes(num_bytes);
    offsets = Exact<int32_t>(num_pieces + 1);
    if (interfere) interfere();
    return {data.data(), offsets.data(), row_splits.data()};
  }
};

struct PaddedBuffers {
  int64_t rows;
  Interference interfere;
  Bytes data{};
  Exact<int32_t> offsets{};
  int64_t width = 0;

  kernels::PaddedOutput operator()(int64_t num_bytes, int64_t row_width) {
    check_room(num_bytes);
    check_room(rows * (row_width + 1));
    width = row_width;
    data = Bytes(num_bytes);
    offsets = Exact<int32_t>(rows * (width + 1));
    if (interfere) interfere();
    return {data.data(), offsets.data(), width};
  }
};

// Whether the call gave a result. Changed arguments may be rejected with any error; other errors pass through.
template <class Call>
bool gives_result(bool changes_arguments, Call&& call) {
  try {
    call();
    return true;
  } catch (const std::invalid_argument&) {
    if (!changes_arguments) throw;
  } catch (const std::length_error&) {
  }
  return false;
}

}  // namespace stringops::fuzz
