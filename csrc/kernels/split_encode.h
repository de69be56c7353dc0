// Strings to the numbers of their pieces in a vocabulary, without a tensor of pieces in between. No torch here.
#pragma once

#include <cstdint>

#include "core/string_span.h"
#include "kernels/piece_writer.h"
#include "kernels/splitter.h"
#include "kernels/tiles.h"
#include "kernels/vocab_encode.h"
#include "kernels/vocab_table.h"

namespace stringops::kernels {

// The number of each piece from `begin` to `end` to ids[share.pieces, share.pieces_end), and the pieces up to the end
// of each row to row_splits, whose first is the caller's. Shares and cuts are those of string_split.h's measure_split.
// False where the strings have changed since they were measured.
bool write_split_ids(const StringSpan& in, const Splitter& by, const VocabTable& table, const UnknownWords& unknown,
                     Place begin, Place end, const Share& share, int64_t* ids, int64_t* row_splits);

}  // namespace stringops::kernels
