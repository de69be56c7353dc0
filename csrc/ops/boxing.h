// Converts between torch's stack and an operator's arguments and results: STRINGOPS_BOX, which replaces TORCH_BOX.
//
// TODO_STABLE_ABI: TORCH_BOX (2.10 to 2.13) leaks a copy of every string. If a conversion runs out of memory, it also
// leaks the arguments after it, and the results before it. Here everything on the stack has an owner before anything
// can fail.
#pragma once

#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/fail.h"
#include "core/poll.h"
#include "ops/stable_abi.h"

namespace stringops::boxing {

// Owns a value of the stack, and converts it to an argument.
template <class T>
struct Owned {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>, "an argument of this type has no owner yet");
  StableIValue value;

  explicit Owned(StableIValue v) noexcept : value(v) {}
  T take() { return torch::stable::detail::to<T>(value); }
};

template <class Handle, AOTITorchError (*free)(Handle)>
class OwnedHandle {
 public:
  explicit OwnedHandle(Handle handle) noexcept : handle_(handle) {}
  OwnedHandle(const OwnedHandle&) = delete;
  OwnedHandle& operator=(const OwnedHandle&) = delete;
  ~OwnedHandle() {
    if (handle_) free(handle_);
  }
  Handle get() const { return handle_; }
  Handle release() { return std::exchange(handle_, nullptr); }

 private:
  Handle handle_;
};

template <class Handle>
Handle as_handle(StableIValue value) {
  return torch::stable::detail::to<Handle>(value);
}

template <>
struct Owned<Tensor> {
  Tensor tensor;

  explicit Owned(StableIValue value) noexcept : tensor(as_handle<AtenTensorHandle>(value)) {}
  Tensor take() { return std::move(tensor); }
};

template <>
struct Owned<std::string> {
  OwnedHandle<StringHandle, torch_delete_string> handle;

  explicit Owned(StableIValue value) noexcept : handle(as_handle<StringHandle>(value)) {}
  std::string take() {
    size_t length = 0;
    const char* text = nullptr;
    STABLE_TORCH_ERROR_CODE_CHECK(torch_string_length(handle.get(), &length));
    STABLE_TORCH_ERROR_CODE_CHECK(torch_string_c_str(handle.get(), &text));
    return {text, length};
  }
};

template <class T>
struct Owned<std::optional<T>> {
  StableIValue* const box;
  Owned<T> value;  // made of 0, which owns nothing, if the optional is empty

  explicit Owned(StableIValue boxed) noexcept
      : box(torch::stable::detail::to<StableIValue*>(boxed)), value(box ? *box : 0) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { delete box; }
  std::optional<T> take() { return box ? std::optional<T>(value.take()) : std::nullopt; }
};

// A list does not own its elements.
template <class T>
class Owned<std::vector<T>> {
 public:
  explicit Owned(StableIValue value) noexcept : handle_(as_handle<StableListHandle>(value)) {
    if (handle_.get()) torch_list_size(handle_.get(), &size_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    while (handle_.get() && taken_ < size_) take_next();
  }

  std::vector<T> take() {
    std::vector<T> result;
    result.reserve(size_);
    while (taken_ < size_) result.push_back(take_next().take());
    return result;
  }

  // Appends an element. There must be at most as many calls as the list has reserved elements.
  void push(T element) {
    if (torch_list_push_back(handle_.get(), torch::stable::detail::from(element.get())) != AOTI_TORCH_SUCCESS) {
      throw std::bad_alloc();
    }
    element.release();
    ++size_;
  }
  StableIValue release() { return torch::stable::detail::from(handle_.release()); }

 private:
  Owned<T> take_next() {
    StableIValue element = 0;
    torch_list_get_item(handle_.get(), taken_++, &element);  // cannot fail, as the index is valid
    return Owned<T>(element);
  }

  OwnedHandle<StableListHandle, torch_delete_list> handle_;
  size_t size_ = 0;
  size_t taken_ = 0;
};

inline void put_results(StableIValue* stack, Tensor result) {
  result.own();
  stack[0] = torch::stable::detail::from(result.release());
}

inline void put_results(StableIValue* stack, std::vector<Tensor> results) {
  StableListHandle handle = nullptr;
  if (torch_new_list_reserve_size(results.size(), &handle) != AOTI_TORCH_SUCCESS) throw std::bad_alloc();
  Owned<std::vector<Tensor>> list(torch::stable::detail::from(handle));
  for (Tensor& result : results) {
    result.own();
    list.push(std::move(result));
  }
  stack[0] = list.release();
}

template <class... Tensors>
void put_results(StableIValue* stack, std::tuple<Tensors...> results) {
  std::apply(
      [&](auto&... result) {
        (result.own(), ...);  // this may fail, so it precedes the first push to the stack
        ((*stack++ = torch::stable::detail::from(result.release())), ...);
      },
      results);
}

template <class>
inline constexpr uint64_t kNumResults = 1;
template <class... Tensors>
inline constexpr uint64_t kNumResults<std::tuple<Tensors...>> = sizeof...(Tensors);

// Returns the name of an argument in a schema, such as "name.overload(Tensor data, Tensor offsets) -> Tensor".
inline std::string_view argument_name(std::string_view schema, size_t position) {
  size_t at = schema.find('(');
  while (position-- > 0) at = schema.find(", ", at + 1);
  const size_t end = schema.find_first_of("=,)", schema.find(' ', at + 2));
  const std::string_view argument = schema.substr(at, end - at);
  return argument.substr(argument.rfind(' ') + 1);
}

// torch passes None for a tensor as an undefined tensor.
template <class T>
void check_defined(const char* schema, size_t position, const Owned<T>& argument) {
  if constexpr (std::is_same_v<T, Tensor>) {
    if (argument.tensor.is_defined()) return;
    const std::string_view text(schema);
    fail(text.substr(0, text.find_first_of(".(")), ": expected `", argument_name(text, position),
         "` to be a Tensor, got None");
  }
}

template <auto function>
struct Boxed;

template <class Result, class... Arguments, Result (*function)(Arguments...)>
struct Boxed<function> {
  static void call(const char* schema, StableIValue* stack, uint64_t num_arguments, uint64_t num_results) {
    STD_TORCH_CHECK(num_arguments == sizeof...(Arguments) && num_results == kNumResults<Result>,
                    "the schema and the function of an operator differ in their number of arguments or results");
    const PollCall call;
    call_with(schema, stack, std::index_sequence_for<Arguments...>());
  }

 private:
  template <size_t... I>
  static void call_with(const char* schema, StableIValue* stack, std::index_sequence<I...>) {
    std::tuple<Owned<std::decay_t<Arguments>>...> owned(stack[I]...);
    (check_defined(schema, I, std::get<I>(owned)), ...);
    put_results(stack, function(std::get<I>(owned).take()...));
  }
};

}  // namespace stringops::boxing

#define STRINGOPS_BOX(function, schema)                                                      \
  [](StableIValue* stack, uint64_t num_arguments, uint64_t num_results) {                    \
    ::stringops::boxing::Boxed<(function)>::call(schema, stack, num_arguments, num_results); \
  }
