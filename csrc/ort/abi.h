// onnxruntime's C ABI, as far as this library uses it. It declares what onnxruntime 1.18 (API 18) and all later
// versions have in common: the table of functions only grows at its end, and the record of an operator has a version.
//
// With STRINGOPS_ORT_HEADER (built with ORT_INCLUDE_DIR), the user's onnxruntime_c_api.h is the source of the positions
// in the table, and the record is compared with it.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef STRINGOPS_ORT_HEADER
#include <onnxruntime_c_api.h>
#define STRINGOPS_ORT_POSITION(number, name) (offsetof(OrtApi, name) / sizeof(void*))
#else
#define STRINGOPS_ORT_POSITION(number, name) (number)
#endif

namespace stringops::ort {

constexpr uint32_t kApiVersion = 18;

// Objects of the runtime, which are only pointed to.
struct Status;
struct Value;
struct TypeAndShape;
struct Allocator;
struct SessionOptions;
struct Domain;
struct KernelInfo;
struct KernelContext;
struct ShapeInferContext;

using Table = const void* const*;

struct ApiBase {
  Table (*get_api)(uint32_t version);  // returns null if the runtime is older
  const char* (*runtime_version)();
};

enum class ErrorCode : int { kFail = 1, kInvalidArgument = 2 };

// Element types by their ONNX numbers (host/tensor.h). kAny stands for all of them in the record of an operator.
enum class ElementType : int { kAny = 0, kUint8 = 2, kInt32 = 6, kInt64 = 7, kString = 8, kDouble = 11 };

template <size_t position, class Signature>
struct Function;

template <size_t position, class Result, class... Arguments>
struct Function<position, Result(Arguments...)> {
  Result operator()(Table table, Arguments... arguments) const {
    return reinterpret_cast<Result (*)(Arguments...)>(const_cast<void*>(table[position]))(arguments...);
  }
};

#define STRINGOPS_ORT_FUNCTION(number, name, ...) \
  inline constexpr Function<STRINGOPS_ORT_POSITION(number, name), __VA_ARGS__> name {}

// A null Status* means success.
STRINGOPS_ORT_FUNCTION(0, CreateStatus, Status*(ErrorCode, const char*));
STRINGOPS_ORT_FUNCTION(2, GetErrorMessage, const char*(const Status*));
STRINGOPS_ORT_FUNCTION(26, CreateCustomOpDomain, Status*(const char*, Domain**));
STRINGOPS_ORT_FUNCTION(27, CustomOpDomain_Add, Status*(Domain*, const void*));
STRINGOPS_ORT_FUNCTION(28, AddCustomOpDomain, Status*(SessionOptions*, Domain*));
STRINGOPS_ORT_FUNCTION(51, GetTensorMutableData, Status*(Value*, void**));
STRINGOPS_ORT_FUNCTION(53, GetStringTensorDataLength, Status*(const Value*, size_t*));
STRINGOPS_ORT_FUNCTION(54, GetStringTensorContent, Status*(const Value*, void*, size_t, size_t*, size_t));
STRINGOPS_ORT_FUNCTION(60, GetTensorElementType, Status*(const TypeAndShape*, ElementType*));
STRINGOPS_ORT_FUNCTION(61, GetDimensionsCount, Status*(const TypeAndShape*, size_t*));
STRINGOPS_ORT_FUNCTION(62, GetDimensions, Status*(const TypeAndShape*, int64_t*, size_t));
STRINGOPS_ORT_FUNCTION(65, GetTensorTypeAndShape, Status*(const Value*, TypeAndShape**));
STRINGOPS_ORT_FUNCTION(78, GetAllocatorWithDefaultOptions, Status*(Allocator**));
STRINGOPS_ORT_FUNCTION(85, KernelInfoGetAttribute_float, Status*(const KernelInfo*, const char*, float*));
STRINGOPS_ORT_FUNCTION(86, KernelInfoGetAttribute_int64, Status*(const KernelInfo*, const char*, int64_t*));
STRINGOPS_ORT_FUNCTION(87, KernelInfoGetAttribute_string, Status*(const KernelInfo*, const char*, char*, size_t*));
STRINGOPS_ORT_FUNCTION(88, KernelContext_GetInputCount, Status*(const KernelContext*, size_t*));
STRINGOPS_ORT_FUNCTION(89, KernelContext_GetOutputCount, Status*(const KernelContext*, size_t*));
STRINGOPS_ORT_FUNCTION(90, KernelContext_GetInput, Status*(const KernelContext*, size_t, const Value**));
STRINGOPS_ORT_FUNCTION(91, KernelContext_GetOutput, Status*(KernelContext*, size_t, const int64_t*, size_t, Value**));
STRINGOPS_ORT_FUNCTION(93, ReleaseStatus, void(Status*));
STRINGOPS_ORT_FUNCTION(96, ReleaseValue, void(Value*));
STRINGOPS_ORT_FUNCTION(99, ReleaseTensorTypeAndShapeInfo, void(TypeAndShape*));
STRINGOPS_ORT_FUNCTION(162, KernelInfoGetAttributeArray_float,
                       Status*(const KernelInfo*, const char*, float*, size_t*));
STRINGOPS_ORT_FUNCTION(163, KernelInfoGetAttributeArray_int64,
                       Status*(const KernelInfo*, const char*, int64_t*, size_t*));
STRINGOPS_ORT_FUNCTION(236, KernelInfoGetAttribute_tensor,
                       Status*(const KernelInfo*, const char*, Allocator*, Value**));
STRINGOPS_ORT_FUNCTION(252, GetResizedStringTensorElementBuffer, Status*(Value*, size_t, size_t, char**));
STRINGOPS_ORT_FUNCTION(274, KernelContext_ParallelFor,
                       Status*(const KernelContext*, void (*)(void*, size_t), size_t, size_t, void*));

#undef STRINGOPS_ORT_FUNCTION

// How many inputs or outputs of a node a parameter of its operator takes. Only the last one may be variadic.
enum class Arity : int { kRequired = 0, kOptional = 1, kVariadic = 2 };

// Describes an operator to the runtime, by functions that get the record itself.
struct Record {
  uint32_t version;
  void* (*create_kernel)(const Record*, Table, const KernelInfo*);
  const char* (*name)(const Record*);
  const char* (*execution_provider)(const Record*);  // null stands for the CPU
  ElementType (*input_type)(const Record*, size_t);
  size_t (*num_inputs)(const Record*);
  ElementType (*output_type)(const Record*, size_t);
  size_t (*num_outputs)(const Record*);
  void (*compute)(void*, KernelContext*);
  void (*destroy_kernel)(void*);
  Arity (*input_arity)(const Record*, size_t);
  Arity (*output_arity)(const Record*, size_t);
  int (*input_memory)(const Record*, size_t);
  int (*min_variadic_inputs)(const Record*);
  int (*variadic_inputs_are_alike)(const Record*);
  int (*min_variadic_outputs)(const Record*);
  int (*variadic_outputs_are_alike)(const Record*);
  Status* (*create_kernel_v2)(const Record*, Table, const KernelInfo*, void**);
  Status* (*compute_v2)(void*, KernelContext*);
  Status* (*infer_shapes)(const Record*, ShapeInferContext*);
  int (*first_version)(const Record*);
  int (*last_version)(const Record*);
  void* in_place_and_aliases[4];
};
static_assert(sizeof(Record) == 26 * sizeof(void*), "the record ends with the fields of API 18");

#ifdef STRINGOPS_ORT_HEADER
static_assert(offsetof(Record, compute_v2) == offsetof(OrtCustomOp, KernelComputeV2) &&
                  offsetof(Record, infer_shapes) == offsetof(OrtCustomOp, InferOutputShapeFn) &&
                  offsetof(Record, last_version) == offsetof(OrtCustomOp, GetEndVersion) &&
                  offsetof(Record, in_place_and_aliases) == offsetof(OrtCustomOp, GetMayInplace),
              "the record has the fields of the header");
#endif

}  // namespace stringops::ort
