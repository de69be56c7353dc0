// Files of subword tokenizers: their vocabularies, merges and ranks as tensors, without a Python object for each token.
//
// `text` is a bytes object, and results are bytearrays. Functions of JSON and of messages return None if the text,
// or the part of it, is not as described.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "convert/arguments.h"
#include "convert/base64.h"
#include "convert/failure.h"
#include "convert/json_number.h"
#include "convert/json_values.h"
#include "convert/ref.h"
#include "convert/sentencepiece_pieces.h"
#include "core/utf8.h"

namespace stringops::convert {

inline PyObject* new_bytearray(const void* data, size_t num_bytes) {
  return or_throw(PyByteArray_FromStringAndSize(static_cast<const char*>(data), static_cast<Py_ssize_t>(num_bytes)));
}

template <class T>
PyObject* new_bytearray(const std::vector<T>& values) {
  return new_bytearray(values.data(), values.size() * sizeof(T));
}

inline PyObject* new_bytearray(const std::string& data) {
  return new_bytearray(data.data(), data.size());
}

// The bytes [begin, end) of a bytes object, with which the format "O!LL" fills `object`, `begin` and `end`.
struct TextRange {
  PyObject* object = nullptr;
  long long begin = 0, end = 0;

  StringView text(const char* op) const {
    const int64_t size = PyBytes_Size(object);
    if (size > kMaxBytes) fail(PyExc_ValueError, std::string(op) + ": expected a file of less than 2**31 bytes");
    if (begin < 0 || begin > end || end > size) {
      fail(PyExc_ValueError, std::string(op) + ": expected a range of the file");
    }
    const auto* const bytes = reinterpret_cast<const uint8_t*>(PyBytes_AsString(object));
    return {bytes + begin, bytes + end};
  }
};

// Returns read(text), or None if that throws JsonError.
template <class Read>
PyObject* read_json(StringView text, Read&& read) {
  try {
    return read(text);
  } catch (const JsonError&) {
    return new_none();
  }
}

// json_cut(text) -> (the rest of a document, begins and ends of values) as in JsonCut, of a text in UTF-8
inline PyObject* json_cut(PyObject* args) {
  TextRange range;
  parse(args, "O!", &PyBytes_Type, &range.object);
  range.end = PyBytes_Size(range.object);
  return read_json(range.text("json_cut"), [](StringView text) {
    if (find_invalid_utf8(text.begin, text.end)) throw JsonError();
    const JsonCut cut(text);
    std::vector<int64_t> places;
    for (const StringView& value : cut.values)
      places.insert(places.end(), {value.begin - text.begin, value.end - text.begin});
    const Ref rest(new_bytearray(cut.rest)), ranges(new_bytearray(places));
    return or_throw(PyTuple_Pack(2, rest.get(), ranges.get()));
  });
}

// json_vocabulary(text, begin, end) -> (data, offsets, ids) of an object of token -> id
inline PyObject* json_vocabulary(PyObject* args) {
  TextRange range;
  parse(args, "O!LL", &PyBytes_Type, &range.object, &range.begin, &range.end);
  return read_json(range.text("json_vocabulary"), [](StringView text) {
    const JsonVocabulary found(text);
    const Ref data(new_bytearray(found.tokens.data)), offsets(new_bytearray(found.tokens.offsets));
    const Ref ids(new_bytearray(found.ids));
    return or_throw(PyTuple_Pack(3, data.get(), offsets.get(), ids.get()));
  });
}

// json_pieces(text, begin, end) -> (data, offsets, data of scores, offsets of scores, imprecise scores) of a list of
// [piece, score]; the strings of scores are their digits
inline PyObject* json_pieces(PyObject* args) {
  TextRange range;
  parse(args, "O!LL", &PyBytes_Type, &range.object, &range.begin, &range.end);
  return read_json(range.text("json_pieces"), [](StringView text) {
    const JsonPieces found(text);
    const Ref data(new_bytearray(found.pieces.data)), offsets(new_bytearray(found.pieces.offsets));
    const Ref digits(new_bytearray(found.scores.data)), digit_offsets(new_bytearray(found.scores.offsets));
    const Ref scores(new_bytearray(found.imprecise_scores));
    return or_throw(PyTuple_Pack(5, data.get(), offsets.get(), digits.get(), digit_offsets.get(), scores.get()));
  });
}

// json_merges(text, begin, end) -> (data, offsets as in JsonMerges, the first item that is no merge, or nothing)
inline PyObject* json_merges(PyObject* args) {
  TextRange range;
  parse(args, "O!LL", &PyBytes_Type, &range.object, &range.begin, &range.end);
  return read_json(range.text("json_merges"), [](StringView text) {
    const JsonMerges found(text);
    const Ref data(new_bytearray(found.tokens.data)), offsets(new_bytearray(found.tokens.offsets));
    const Ref bad(new_bytearray(found.bad.begin, static_cast<size_t>(found.bad.size())));
    return or_throw(PyTuple_Pack(3, data.get(), offsets.get(), bad.get()));
  });
}

// json_tokens(text, begin, end, count) -> (data, offsets, number of items) as in JsonTokens
inline PyObject* json_tokens(PyObject* args) {
  TextRange range;
  long long count;
  parse(args, "O!LLL", &PyBytes_Type, &range.object, &range.begin, &range.end, &count);
  return read_json(range.text("json_tokens"), [count](StringView text) {
    const JsonTokens found(text, count);
    const Ref data(new_bytearray(found.tokens.data)), offsets(new_bytearray(found.tokens.offsets));
    return or_throw(Py_BuildValue("OOL", data.get(), offsets.get(), static_cast<long long>(found.size)));
  });
}

// rank_lines(text) -> (data, offsets, ranks, bad line) as in RankLines
inline PyObject* rank_lines(PyObject* args) {
  TextRange range;
  parse(args, "O!", &PyBytes_Type, &range.object);
  range.end = PyBytes_Size(range.object);
  const StringView text = range.text("rank_lines");
  const RankLines found({reinterpret_cast<const char*>(text.begin), static_cast<size_t>(text.size())});
  const Ref data(new_bytearray(found.tokens.data)), offsets(new_bytearray(found.tokens.offsets));
  const Ref ranks(new_bytearray(found.ranks));
  return or_throw(
      Py_BuildValue("OOOL", data.get(), offsets.get(), ranks.get(), static_cast<long long>(found.bad_line)));
}

// sentencepiece_pieces(text) -> (data, offsets, scores, kinds, rest) as in SentencePiecePieces
inline PyObject* sentencepiece_pieces(PyObject* args) {
  TextRange range;
  parse(args, "O!", &PyBytes_Type, &range.object);
  range.end = PyBytes_Size(range.object);
  try {
    const SentencePiecePieces found(range.text("sentencepiece_pieces"));
    const Ref data(new_bytearray(found.texts.data)), offsets(new_bytearray(found.texts.offsets));
    const Ref scores(new_bytearray(found.scores)), kinds(new_bytearray(found.kinds)), rest(new_bytearray(found.rest));
    return or_throw(PyTuple_Pack(5, data.get(), offsets.get(), scores.get(), kinds.get(), rest.get()));
  } catch (const MessageError&) {
    return new_none();
  }
}

}  // namespace stringops::convert
