// Reads the attributes of a node.
#pragma once

#include <optional>

#include "host/schema.h"
#include "ort/abi.h"

namespace stringops::ort {

using host::Argument;
using host::Constant;
using host::Kind;

// Returns the value of the attribute of an argument: its default if the node does not have it, empty for None. Throws
// if the attribute has another type, or is missing and has no default. `op` is the name in errors.
std::optional<Constant> read_attribute(Table api, const KernelInfo* info, const char* op, const Argument& argument);

}  // namespace stringops::ort
