// Functions of the module that check and reshape offsets. Those in a tensor of any strides are read in place: an
// expanded tensor has few of them, whatever its shape.
#pragma once

#include <Python.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "convert/arguments.h"
#include "convert/failure.h"
#include "core/fail.h"
#include "core/offsets.h"
#include "core/string_span.h"

namespace stringops::convert {

// Offsets [..., n + 1]. The strides are in elements; that of an expanded dimension is 0.
struct StridedOffsets {
  const int32_t* first;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;

  int64_t cols() const { return sizes.back() - 1; }

  // Returns one copy of the offsets that expanded dimensions repeat.
  StridedOffsets distinct() const {
    StridedOffsets result = *this;
    for (size_t d = 0; d + 1 < sizes.size(); ++d) {
      if (strides[d] == 0 && sizes[d] > 1) result.sizes[d] = 1;
    }
    return result;
  }

  // Calls f(row of offsets, index) for each row, in row-major order, until it returns false. `index` has a number for
  // each leading dimension.
  template <class F>
  void for_each_row(F&& f) const {
    const size_t rank = sizes.size() - 1;
    for (size_t d = 0; d < rank; ++d) {
      if (sizes[d] == 0) return;
    }
    std::vector<int64_t> index(rank, 0);
    const int32_t* row = first;
    while (f(row, index)) {
      size_t d = rank;
      for (; d > 0 && ++index[d - 1] == sizes[d - 1]; --d) {
        row -= (sizes[d - 1] - 1) * strides[d - 1];
        index[d - 1] = 0;
      }
      if (d == 0) return;
      row += strides[d - 1];
    }
  }
};

// Returns the first offset, in row-major order, that is negative, smaller than the previous one, or beyond num_bytes.
inline std::optional<BadOffset> find_bad_offset(const StridedOffsets& offsets, int64_t num_bytes) {
  const int64_t cols = offsets.cols(), stride = offsets.strides.back();
  std::optional<BadOffset> bad;
  offsets.distinct().for_each_row([&](const int32_t* row, const std::vector<int64_t>& index) {
    if (stride == 1 && is_valid_row(row, cols, num_bytes)) return true;
    int64_t previous = 0;
    for (int64_t c = 0; !bad && c <= (stride == 0 ? 0 : cols); ++c) {
      const int64_t value = row[c * stride];
      if (value < previous || value > num_bytes) bad = BadOffset{0, c, value, previous};
      previous = value;
    }
    if (!bad) return true;
    for (size_t d = 0; d < index.size(); ++d) bad->row = bad->row * offsets.sizes[d] + index[d];
    return false;
  });
  return bad;
}

// Whether the strings are adjacent in `data`, in row-major order, and no other bytes are in it.
inline bool is_compact(const StridedOffsets& offsets, int64_t num_bytes) {
  const int64_t last = offsets.cols() * offsets.strides.back();
  const StridedOffsets distinct = offsets.distinct();
  if (distinct.sizes != offsets.sizes) {
    // A row that is repeated begins where it ends, and the first one begins at 0.
    bool empty = num_bytes == 0;
    distinct.for_each_row([&](const int32_t* row, const std::vector<int64_t>&) {
      empty = empty && row[0] == 0 && row[last] == 0;
      return empty;
    });
    return empty;
  }
  int64_t end = 0;
  bool adjacent = true;
  offsets.for_each_row([&](const int32_t* row, const std::vector<int64_t>&) {
    adjacent = row[0] == end;
    end = row[last];
    return adjacent;
  });
  return adjacent && end == num_bytes;
}

// Returns rows of which only the offsets are read, in rows of cols + 1.
inline StringRows offsets_rows(const std::string& op, const Buffer& offsets, long long cols) {
  if (cols < 0 || cols > kMaxOffsets || offsets.count < 0 || offsets.count % (cols + 1) != 0) {
    fail(PyExc_ValueError, op + ": expected offsets for every string");
  }
  return {nullptr, 0, offsets.as<const int32_t>(op, "offsets"), offsets.count / (cols + 1), cols, cols + 1};
}

// The offsets of a tensor. They are read in place.
struct TensorOffsets {
  std::string op;
  long long num_bytes;
  StridedOffsets offsets;

  // Returns the rows if the tensor is contiguous.
  std::optional<StringRows> rows() const {
    int64_t count = 1;
    for (size_t d = offsets.sizes.size(); d-- > 0;) {
      if (offsets.sizes[d] > 1 && offsets.strides[d] != count) return std::nullopt;
      count *= offsets.sizes[d];
    }
    const int64_t cols = offsets.cols();
    return StringRows{nullptr, num_bytes, offsets.first, count / (cols + 1), cols, cols + 1};
  }
};

// Reads the arguments (num_bytes, offsets, shape, strides, op). The strides are in elements, and the storage contains
// all elements that they address.
inline TensorOffsets read_offsets(PyObject* args) {
  TensorOffsets read;
  unsigned long long address;
  PyObject *shape, *strides;
  const char* op;
  parse(args, "LKO!O!s", &read.num_bytes, &address, &PyTuple_Type, &shape, &PyTuple_Type, &strides, &op);
  read.op = op;
  const auto numbers = [&](PyObject* tuple) {
    std::vector<int64_t> values;
    for (Py_ssize_t d = 0; d < PyTuple_Size(tuple); ++d) {
      values.push_back(PyLong_AsSsize_t(PyTuple_GetItem(tuple, d)));
      if (values.back() == -1 && PyErr_Occurred()) throw Failure{};
    }
    return values;
  };
  StridedOffsets& offsets = read.offsets;
  offsets.sizes = numbers(shape);
  offsets.strides = numbers(strides);
  const bool has_rows = !offsets.sizes.empty() && offsets.sizes.size() == offsets.strides.size() &&
                        offsets.sizes.back() > 0 && count_extent(offsets.sizes) <= kMaxOffsets &&
                        *std::min_element(offsets.sizes.begin(), offsets.sizes.end()) >= 0 &&
                        *std::min_element(offsets.strides.begin(), offsets.strides.end()) >= 0;
  if (read.num_bytes < 0 || !has_rows) fail(PyExc_ValueError, read.op + ": expected offsets for every string");
  offsets.first = read_address<const int32_t>(read.op, address, count_elements(offsets.sizes), "offsets");
  return read;
}

// validate(num_bytes, offsets, shape, strides, op): throws unless the offsets are valid.
inline PyObject* validate_offsets(PyObject* args) {
  const TensorOffsets read = read_offsets(args);
  const auto rows = read.rows();
  const auto bad = rows ? find_bad_offset(*rows) : find_bad_offset(read.offsets, read.num_bytes);
  if (bad) fail(PyExc_ValueError, read.op + ": " + describe(*bad, "offsets", read.num_bytes));
  return new_none();
}

// is_compact(num_bytes, offsets, shape, strides, op) -> whether the strings are adjacent, and no other bytes are in
// their data.
inline PyObject* is_compact_tensor(PyObject* args) {
  const TensorOffsets read = read_offsets(args);
  const auto rows = read.rows();
  return or_throw(PyBool_FromLong(rows ? is_compact(*rows) : is_compact(read.offsets, read.num_bytes)));
}

// reshape_offsets(offsets, num_offsets, cols, out, num_out, out_cols) -> whether the strings can be in rows of out_cols
// without a copy of their bytes. `out` is then their offsets.
inline PyObject* reshape_tensor_offsets(PyObject* args) {
  const std::string op = "reshape";
  long long cols, out_cols;
  Buffer offsets, out;
  parse(args, "KLLKLL", &offsets.address, &offsets.count, &cols, &out.address, &out.count, &out_cols);
  const StringRows in = offsets_rows(op, offsets, cols), result = offsets_rows(op, out, out_cols);
  if (in.size() != result.size()) fail(PyExc_ValueError, op + ": expected offsets of as many strings");
  auto* const first = out.output<int32_t>(op, "out");
  bool joined = false;
  {
    const ReleaseLock release(true);
    joined = reshape_offsets(in, first, out_cols);
  }
  return or_throw(PyBool_FromLong(joined));
}

}  // namespace stringops::convert
