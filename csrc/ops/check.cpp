#include "ops/check.h"

#include <algorithm>
#include <utility>

#include "core/offsets.h"
#include "driver/flatten.h"
#include "ops/parallel.h"
#include "simd/primitives.h"

namespace stringops {

std::string shape_text(const Tensor& t) {
  return shape_text(shape_of(t));
}

std::string position_text(Sizes shape, int64_t index) {
  for (size_t d = shape.size(); d-- > 0;) {
    const int64_t size = shape[d];
    shape[d] = index % size;
    index /= size;
  }
  return shape_text(shape);
}

const char* dtype_text(ScalarType dtype) {
  static constexpr std::pair<ScalarType, const char*> kNames[] = {
      {ScalarType::Byte, "uint8"},
      {ScalarType::Char, "int8"},
      {ScalarType::Short, "int16"},
      {ScalarType::Int, "int32"},
      {ScalarType::Long, "int64"},
      {ScalarType::Half, "float16"},
      {ScalarType::BFloat16, "bfloat16"},
      {ScalarType::Float, "float32"},
      {ScalarType::Double, "float64"},
      {ScalarType::ComplexFloat, "complex64"},
      {ScalarType::ComplexDouble, "complex128"},
      {ScalarType::Bool, "bool"},
      {ScalarType::UInt16, "uint16"},
      {ScalarType::UInt32, "uint32"},
      {ScalarType::UInt64, "uint64"},
  };
  for (const auto& [of, name] : kNames) {
    if (of == dtype) return name;
  }
  return torch::headeronly::toString(dtype);
}

void check_dtype(const char* op, const char* name, const Tensor& t, ScalarType expected) {
  const ScalarType got = t.scalar_type();
  STRINGOPS_CHECK(got == expected, op, ": expected `", name, "` to be ", dtype_text(expected), ", got ",
                  dtype_text(got), " (convert with .to(torch.", dtype_text(expected), "))");
}

void check_storage(const char* op, const char* name, const Tensor& t) {
  const int64_t count = t.numel();
  if (count == 0) {
    // torch gives a tensor of rank 0 negative sizes in `expand(0, -1)`.
    const auto sizes = t.sizes();
    STRINGOPS_CHECK(std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size >= 0; }), op, ": expected `",
                    name, "` of sizes of at least 0, got shape ", shape_text(t));
    return;
  }
  const int64_t bytes = t.storage_bytes();
  int64_t last = t.storage_offset();
  if (t.is_contiguous()) {
    last += count - 1;
  } else {
    for (int64_t d = 0; d < t.dim(); ++d) last += (t.size(d) - 1) * t.stride(d);
  }
  const int64_t need = (last + 1) * static_cast<int64_t>(t.element_size());
  STRINGOPS_CHECK(need <= bytes, op, ": expected `", name, "` with a storage of at least ", need, " bytes, got ", bytes,
                  " (the storage was resized)");
}

void check_cpu(const char* op, const char* name, const Tensor& t) {
  STRINGOPS_CHECK(t.is_cpu(), op, ": expected `", name, "` on the CPU (move it with .cpu())");
  check_storage(op, name, t);
}

void check_rank(const char* op, const char* name, const Tensor& t, int64_t expected) {
  STRINGOPS_CHECK(t.dim() == expected, op, ": expected `", name, "` of rank ", expected, ", got shape ", shape_text(t));
}

bool check_choice(const char* op, const char* name, const std::string& value, const char* first, const char* second) {
  const bool is_second = value == second;
  if (is_second || value == first) return is_second;
  fail_choice(op, name, ("'" + std::string(first) + "' or '" + second + "'").c_str(), value);
}

void check_count(const char* op, const char* name, const Tensor& t) {
  const int64_t count = t.numel();
  STRINGOPS_CHECK(count <= kMaxOffsets, op, ": expected `", name, "` of at most ", kMaxOffsets, " elements, got ",
                  count, " (split the batch)");
  if (count > 0) return;
  STRINGOPS_CHECK(count_extent(shape_of(t)) <= kMaxOffsets, op, ": expected `", name,
                  "` of sizes whose product, without those of 0, is at most ", kMaxOffsets, ", got shape ",
                  shape_text(t), " (split the batch)");
}

// Whether a contiguous tensor of this type is on the CPU, and within its storage.
static bool is_readable(const Tensor& t, ScalarType dtype, int64_t item_size, int64_t count) {
  return t.is_cpu() && t.has_dtype(dtype) && t.is_contiguous() &&
         (count == 0 || (t.storage_offset() + count) * item_size <= t.storage_bytes());
}

std::optional<StringRows> readable_rows(const Tensor& data, const Tensor& offsets) {
  const int64_t num_bytes = data.numel(), count = offsets.numel(), rank = offsets.dim();
  if (data.dim() != 1 || num_bytes > kMaxBytes || rank < 1 || count == 0 || count > kMaxOffsets ||
      !is_readable(data, ScalarType::Byte, 1, num_bytes) || !is_readable(offsets, ScalarType::Int, 4, count)) {
    return std::nullopt;
  }
  const int64_t cols = offsets.size(rank - 1) - 1;
  if (cols < 0) return std::nullopt;
  return StringRows{const_ptr<uint8_t>(data), num_bytes, const_ptr<int32_t>(offsets),
                    count / (cols + 1),       cols,      cols + 1};
}

// Finds the rows of offsets [..., cols + 1] whose leading dimensions are one dimension of any stride. Returns false if
// they are not, or if the offsets of a row are not adjacent.
static bool find_rows(const Tensor& offsets, StringRows& s) {
  const int64_t last = offsets.dim() - 1;
  s.cols = offsets.size(last) - 1;
  s.rows = 1;
  s.stride = s.cols + 1;
  if (s.cols > 0 && offsets.stride(last) != 1) return false;
  for (int64_t d = last; d-- > 0;) {
    const int64_t size = offsets.size(d), stride = offsets.stride(d);
    if (size == 1) continue;
    if (s.rows == 1) {
      s.stride = stride;
    } else if (stride != s.stride * s.rows) {
      return false;
    }
    s.rows *= size;
  }
  return true;
}

UncheckedStrings check_strings_metadata(const char* op, const Tensor& data, const Tensor& offsets,
                                        const char* data_name, const char* offsets_name) {
  if (const auto rows = readable_rows(data, offsets)) return {*rows, data.borrow(), offsets.borrow()};
  check_cpu(op, data_name, data);
  check_cpu(op, offsets_name, offsets);
  check_dtype(op, data_name, data, ScalarType::Byte);
  check_rank(op, data_name, data, 1);
  STRINGOPS_CHECK(data.is_contiguous(), op, ": expected `", data_name, "` to be contiguous, got stride ",
                  data.stride(0), " (use .contiguous())");
  const int64_t num_bytes = data.numel();
  STRINGOPS_CHECK(num_bytes <= kMaxBytes, op, ": expected `", data_name, "` of at most ", kMaxBytes, " bytes, got ",
                  num_bytes, " (pass fewer or shorter strings)");
  check_dtype(op, offsets_name, offsets, ScalarType::Int);
  STRINGOPS_CHECK(offsets.dim() >= 1 && offsets.size(offsets.dim() - 1) >= 1, op, ": expected `", offsets_name,
                  "` of shape [..., n + 1] with n >= 0, got shape ", shape_text(offsets));
  check_count(op, offsets_name, offsets);

  UncheckedStrings s{{}, data.borrow(), offsets.borrow()};
  if (offsets.numel() == 0) {
    s.rows.cols = offsets.size(offsets.dim() - 1) - 1;
  } else if (!find_rows(offsets, s.rows)) {
    s.offsets = as_contiguous(offsets);
    find_rows(s.offsets, s.rows);
  }
  s.rows.data = const_ptr<uint8_t>(data);
  s.rows.num_bytes = num_bytes;
  s.rows.offsets = const_ptr<int32_t>(s.offsets);
  return s;
}

void check_offsets(const char* op, const StringRows& rows, const char* offsets_name) {
  if (const auto bad = find_bad_offset(rows)) fail(op, ": ", describe(*bad, offsets_name, rows.num_bytes));
}

// Whether the offsets of a row are in order within the data.
static bool is_in_order(const StringRows& row) {
  return row.offsets[0] >= 0 && row.offsets[row.cols] <= row.num_bytes &&
         simd::primitives().ascend(row.offsets, row.cols + 1);
}

Strings check_strings(const char* op, const Tensor& data, const Tensor& offsets, const char* data_name,
                      const char* offsets_name) {
  UncheckedStrings in = check_strings_metadata(op, data, offsets, data_name, offsets_name);
  const StringRows& rows = in.rows;
  Strings s{{rows.data, rows.num_bytes, rows.offsets, rows.cols},
            rows.cols,
            std::move(in.data),
            std::move(in.offsets),
            {},
            {}};
  if (rows.rows == 1) {
    if (!is_in_order(rows)) check_offsets(op, rows, offsets_name);
    return s;
  }
  s.flat_offsets = new_tensor({rows.size() + 1}, ScalarType::Int);
  const auto flat = kernels::flatten(op, offsets_name, TorchRunner(), rows, mutable_ptr<int32_t>(s.flat_offsets),
                                     [&](int64_t num_bytes) {
                                       s.flat_data = new_tensor({num_bytes}, ScalarType::Byte);
                                       return mutable_ptr<uint8_t>(s.flat_data);
                                     });
  if (!flat) {
    check_offsets(op, rows, offsets_name);
    fail_changed(op);
  }
  s.span = *flat;
  return s;
}

Strings own_strings(const char* op, std::tuple<Tensor, Tensor> tensors) {
  auto& [data, offsets] = tensors;
  Strings s = check_strings(op, data, offsets);
  for (Tensor* const t : {&s.data, &s.offsets}) t->own();
  return s;
}

}  // namespace stringops
