// The results of drivers, in buffers of exactly their size; changes between measuring and writing; and calls that may
// end in an error of the operator.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>

#include "core/fail.h"
#include "driver/cut.h"
#include "driver/testing.h"
#include "fuzz.h"
#include "oracle.h"

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

  // The result, which is valid even if the arguments have changed.
  Pieces checked_pieces() const {
    const int64_t pieces = offsets.size() - 1, rows = row_splits.size() - 1;
    REQUIRE(is_compact(offsets, 1, pieces, data.size()));
    REQUIRE(row_splits[rows] == pieces);
    for (int64_t r = 0; r < rows; ++r) REQUIRE(row_splits[r] <= row_splits[r + 1]);
    return {text_of(data.data(), data.size()), offsets.copy(), row_splits.copy()};
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

  // Valid offsets, and compact ones if the arguments have not changed.
  void check() const {
    REQUIRE(!find_bad_offset({data.data(), data.size(), offsets.data(), rows, width, width + 1}));
    REQUIRE(interfere || rows == 0 || is_compact(offsets, rows, width, data.size()));
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
