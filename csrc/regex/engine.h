// An engine searches with a pattern on one thread at a time.
#pragma once

#include <re2/re2.h>

#include <optional>

#include "regex/automaton_search.h"
#include "regex/pattern.h"

namespace stringops {

struct Pattern::Engine {
  std::optional<re2::RE2> re2;  // made when it is needed
  std::optional<AutomatonSearch> search;
  EnginePtr next;  // in the list of idle ones: keeping an engine needs no memory, so it cannot fail
};

}  // namespace stringops
