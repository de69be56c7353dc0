// The texts that ids decode to.
#pragma once

#include "subword/build/sections.h"
#include "subword/spec/spec.h"

namespace stringops::kernels {

// Returns the charsmap of the settings.
subword::Charsmap charsmap_of(const subword::Spec& spec);

void add_token_texts(Sections& sections, const TokenIds& tokens, const subword::Spec& spec);

}  // namespace stringops::kernels
