// The part of torch's stable ABI that is about lists and strings.
#include "host/values.h"

#include <memory>

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
