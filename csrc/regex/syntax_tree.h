// Makes nodes of syntax trees, each in its simplest form.
#pragma once

#include <vector>

#include "regex/syntax.h"

namespace stringops {

struct Repetition {
  int32_t min = 1, max = 1;  // max < 0: without limit
  bool greedy = true, possessive = false;
};

Node make_set(CodepointSet set);
Node make_concat(std::vector<Node> items);
Node make_alternate(std::vector<Node> alternatives);
Node make_repeat(Node item, Repetition repeat);
Node make_group(Node item, int32_t index);

}  // namespace stringops
