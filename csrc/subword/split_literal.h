// Divides a text at a text that it contains.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/string_span.h"
#include "subword/spec.h"

namespace stringops::subword {

// A part of a text, by its bytes.
struct PieceRange {
  int64_t begin;
  int64_t end;
};

// Sets `pieces`, none of which is empty. `step` has the behavior, and whether the texts between are taken for matches.
void split_literal(StringView text, std::string_view literal, const Step& step, std::vector<PieceRange>& pieces);

}  // namespace stringops::subword
