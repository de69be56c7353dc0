// The sections of a subword table for steps, and for models whose first symbols are characters.
#pragma once

#include "subword/build/sections.h"
#include "subword/spec/spec.h"

namespace stringops::kernels {

void add_steps(Sections& sections, const subword::Spec& spec);

// Adds the sections kCharacters, kSymbols, kFallbackIds and kByteIds.
void add_characters(const char* op, Sections& sections, const TokenIds& tokens, const subword::Spec& spec);

}  // namespace stringops::kernels
