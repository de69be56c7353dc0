// Texts of which every match has at least one, for a prefilter: `^(?:class|def)\s+\w+`.
#pragma once

#include <string>
#include <vector>

#include "regex/syntax.h"

namespace stringops {

// None if there are too many, or if they are so short that most strings have one.
std::vector<std::string> required_texts(const Node& root);

}  // namespace stringops
