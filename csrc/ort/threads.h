// The threads of the session that is running.
#pragma once

#include "ort/abi.h"

namespace stringops::ort {

// Exists while a thread runs a node: the node's operator may use the threads of the session.
class RunningNode {
 public:
  RunningNode(Table api, const KernelContext* context);
  ~RunningNode();
  RunningNode(const RunningNode&) = delete;
  RunningNode& operator=(const RunningNode&) = delete;
};

}  // namespace stringops::ort
