// String tensors in C++ programs that link libtorch: strings to the two tensors `data` and `offsets`, and back.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace torch_stringops {

// String i is data[offsets[i] : offsets[i + 1]].
struct Strings {
  at::Tensor data;     // uint8 [num_bytes]
  at::Tensor offsets;  // int32 [n + 1]
};

// Copies strings, a container of std::string, std::string_view or const char*, to a string tensor of rank 1. Throws
// std::length_error if they have 2**31 bytes or more.
template <class Container>
Strings pack(const Container& strings) {
  int64_t count = 0, size = 0;
  for (const std::string_view text : strings) {
    ++count;
    size += static_cast<int64_t>(text.size());
  }
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (size > kMax || count >= kMax) {
    throw std::length_error("pack: expected at most 2147483647 bytes and offsets, got " + std::to_string(size) +
                            " bytes of " + std::to_string(count) + " strings (split the batch)");
  }
  Strings result{at::empty({size}, at::kByte), at::empty({count + 1}, at::kInt)};
  auto* data = static_cast<uint8_t*>(result.data.mutable_data_ptr());
  auto* offsets = static_cast<int32_t*>(result.offsets.mutable_data_ptr());
  int32_t at = 0;
  *offsets++ = at;
  for (const std::string_view text : strings) {
    if (!text.empty()) std::memcpy(data + at, text.data(), text.size());
    *offsets++ = at += static_cast<int32_t>(text.size());
  }
  return result;
}

// Copies a string tensor of any rank to strings, in row-major order. Its shape is that of `offsets`, with one less in
// the last dimension. Throws std::invalid_argument if the tensors are not those of a string tensor on the CPU.
inline std::vector<std::string> unpack(const at::Tensor& data, const at::Tensor& offsets) {
  const bool are_strings = data.defined() && offsets.defined() && data.is_cpu() && offsets.is_cpu() &&
                           data.scalar_type() == at::kByte && offsets.scalar_type() == at::kInt && data.dim() == 1 &&
                           offsets.dim() >= 1 && offsets.size(-1) >= 1;
  if (!are_strings) throw std::invalid_argument("unpack: expected uint8 `data` and int32 `offsets` on the CPU");
  const at::Tensor bytes = data.contiguous(), ends = offsets.contiguous();
  const auto* text = static_cast<const char*>(bytes.const_data_ptr());
  const auto* at = static_cast<const int32_t*>(ends.const_data_ptr());
  const int64_t columns = offsets.size(-1) - 1, rows = offsets.numel() / (columns + 1);
  std::vector<std::string> result;
  result.reserve(static_cast<size_t>(rows * columns));
  for (int64_t row = 0; row < rows; ++row, ++at) {
    for (int64_t column = 0; column < columns; ++column, ++at) {
      if (at[0] < 0 || at[0] > at[1] || at[1] > bytes.numel()) {
        throw std::invalid_argument("unpack: expected `offsets` in order within `data`, got " + std::to_string(at[0]) +
                                    " and " + std::to_string(at[1]) + " at string " + std::to_string(result.size()));
      }
      result.emplace_back(text + at[0], static_cast<size_t>(at[1] - at[0]));
    }
  }
  return result;
}

}  // namespace torch_stringops
