// An engine searches with a pattern on one thread at a time.
#pragma once

#include <optional>

#include "regex/automaton_search.h"
#include "regex/pattern.h"

namespace stringops {

struct Pattern::Engine {
  std::optional<AutomatonSearch> search;  // made by the first Searcher
  EnginePtr next;  // in the list of idle ones: keeping an engine needs no memory, so it cannot fail
};

}  // namespace stringops
