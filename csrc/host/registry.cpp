// The part of torch's stable ABI that is about libraries, which have definitions of operators and their kernels, and
// about lists and strings, by which attributes reach an operator.
#include "host/call.h"

#include <torch/csrc/stable/c/shim.h>

#include <cstring>
#include <memory>
#include <new>
#include <string_view>

// torch's name for the type behind a library's handle. Each has at most one definition and one kernel (ops/register.h).
struct TorchLibraryOpaque {
  const char* schema = nullptr;
  const char* name = nullptr;
  stringops::host::BoxedKernel kernel = nullptr;
  TorchLibraryOpaque* next = nullptr;
};

namespace stringops::host {
namespace {

// All libraries. The list is initialized by the compiler, hence before any file registers operators.
TorchLibraryOpaque* first = nullptr;

AOTITorchError new_library(TorchLibraryHandle* result) {
  auto* const library = new (std::nothrow) TorchLibraryOpaque();
  if (!library) return AOTI_TORCH_FAILURE;
  library->next = first;
  *result = first = library;
  return AOTI_TORCH_SUCCESS;
}

BoxedKernel find_kernel(std::string_view name) {
  for (const TorchLibraryOpaque* library = first; library; library = library->next) {
    if (library->name && library->name == name) return library->kernel;
  }
  return nullptr;
}

}  // namespace

void for_each_operator(void (*visit)(const char* schema, BoxedKernel kernel, void* context), void* context) {
  for (const TorchLibraryOpaque* library = first; library; library = library->next) {
    if (!library->schema) continue;
    const std::string_view schema = library->schema;
    visit(library->schema, find_kernel(schema.substr(0, schema.find('('))), context);
  }
}

}  // namespace stringops::host

using namespace stringops::host;

AOTITorchError aoti_torch_library_init_impl(const char*, const char*, const char*, uint32_t,
                                            TorchLibraryHandle* result) {
  return new_library(result);
}

AOTITorchError aoti_torch_library_init_def(const char*, const char*, uint32_t, TorchLibraryHandle* result) {
  return new_library(result);
}

AOTITorchError aoti_torch_library_init_fragment(const char*, const char*, uint32_t, TorchLibraryHandle* result) {
  return new_library(result);
}

// The texts are literals of the source.
AOTITorchError aoti_torch_library_def(TorchLibraryHandle library, const char* schema) {
  library->schema = schema;
  return AOTI_TORCH_SUCCESS;
}

AOTITorchError torch_library_impl(TorchLibraryHandle library, const char* name, BoxedKernel kernel, uint64_t) {
  library->name = name;
  library->kernel = kernel;
  return AOTI_TORCH_SUCCESS;
}

AOTITorchError aoti_torch_delete_library_object(TorchLibraryHandle library) {
  for (TorchLibraryOpaque** link = &first; *link; link = &(*link)->next) {
    if (*link != library) continue;
    *link = library->next;
    delete library;
    return AOTI_TORCH_SUCCESS;
  }
  return AOTI_TORCH_FAILURE;
}

AOTITorchError torch_new_list_reserve_size(size_t size, StableListHandle* result) {
  try {
    auto list = std::make_unique<StableListOpaque>();
    list->items.reserve(size);
    *result = list.release();
    return AOTI_TORCH_SUCCESS;
  } catch (...) {
    return AOTI_TORCH_FAILURE;
  }
}

AOTITorchError torch_list_size(StableListHandle list, size_t* result) {
  *result = list->items.size();
  return AOTI_TORCH_SUCCESS;
}

AOTITorchError torch_list_get_item(StableListHandle list, size_t index, StableIValue* result) {
  if (index >= list->items.size()) return AOTI_TORCH_FAILURE;
  *result = list->items[index];
  return AOTI_TORCH_SUCCESS;
}

AOTITorchError torch_list_push_back(StableListHandle list, StableIValue item) {
  try {
    list->items.push_back(item);
    return AOTI_TORCH_SUCCESS;
  } catch (...) {
    return AOTI_TORCH_FAILURE;
  }
}

AOTITorchError torch_delete_list(StableListHandle list) {
  if (!list->is_shared) delete list;
  return AOTI_TORCH_SUCCESS;
}

AOTITorchError torch_string_length(StringHandle string, size_t* result) {
  *result = string->text.size();
  return AOTI_TORCH_SUCCESS;
}

AOTITorchError torch_string_c_str(StringHandle string, const char** result) {
  *result = string->text.c_str();
  return AOTI_TORCH_SUCCESS;
}

AOTITorchError torch_delete_string(StringHandle) {
  return AOTI_TORCH_SUCCESS;
}
