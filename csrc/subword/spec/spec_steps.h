// Reads the lines of the settings that are about steps: normalizers, splits and decoders.
#pragma once

#include "subword/spec/spec.h"
#include "subword/spec/spec_line.h"

namespace stringops::subword {

// Each adds the steps of a line.
void parse_normalizer(const Line& line, Spec& spec);
void parse_split(const Line& line, Spec& spec);
void parse_decoder(const Line& line, Spec& spec);

}  // namespace stringops::subword
