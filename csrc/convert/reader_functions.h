// Files of subword tokenizers: their vocabularies and merges as tensors, without a Python object for each token.
//
// `text` is a bytes object, and results are bytearrays. Functions of JSON and of messages return None if the text,
// or the part of it, is not as described.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <vector>

#include "convert/arguments.h"
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
PyObject* new_item(const std::vector<T>& values) {
  return new_bytearray(values.data(), values.size() * sizeof(T));
}
inline PyObject* new_item(const std::string& data) {
  return new_bytearray(data.data(), data.size());
}
inline PyObject* new_item(StringView data) {
  return new_bytearray(data.begin, static_cast<size_t>(data.size()));
}
inline PyObject* new_item(int64_t number) {
  return or_throw(PyLong_FromLongLong(number));
}

// Returns a tuple of numbers, and of bytearrays of the others.
template <class... Items>
PyObject* new_tuple(const Items&... items) {
  Ref tuple(or_throw(PyTuple_New(sizeof...(items))));
  Py_ssize_t at = 0;
  (PyTuple_SetItem(tuple.get(), at++, new_item(items)), ...);
  return tuple.release();
}

// The bytes [begin, end) of a bytes object.
struct TextRange {
  PyObject* object = nullptr;
  long long begin = 0, end = 0;

  // The only argument, a bytes object.
  static TextRange whole(PyObject* args) {
    TextRange range;
    parse(args, "O!", &PyBytes_Type, &range.object);
    range.end = PyBytes_Size(range.object);
    return range;
  }

  // The arguments: a bytes object, begin and end.
  static TextRange part(PyObject* args) {
    TextRange range;
    parse(args, "O!LL", &PyBytes_Type, &range.object, &range.begin, &range.end);
    return range;
  }

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

// Returns read(), or None if that throws `Error`.
template <class Error, class Read>
PyObject* read_or_none(Read&& read) {
  try {
    return read();
  } catch (const Error&) {
    return new_none();
  }
}

// json_cut(text) -> (the rest of a document, begins and ends of values) as in JsonCut, of a text in UTF-8
inline PyObject* json_cut(PyObject* args) {
  const StringView text = TextRange::whole(args).text("json_cut");
  return read_or_none<JsonError>([&] {
    if (find_invalid_utf8(text.begin, text.end)) throw JsonError();
    const JsonCut cut(text);
    std::vector<int64_t> places;
    for (const StringView& value : cut.values)
      places.insert(places.end(), {value.begin - text.begin, value.end - text.begin});
    return new_tuple(cut.rest, places);
  });
}

// json_vocabulary(text, begin, end) -> (data, offsets, ids) of an object of token -> id
inline PyObject* json_vocabulary(PyObject* args) {
  const StringView text = TextRange::part(args).text("json_vocabulary");
  return read_or_none<JsonError>([&] {
    const JsonVocabulary found(text);
    return new_tuple(found.tokens.data, found.tokens.offsets, found.ids);
  });
}

// json_pieces(text, begin, end) -> (data, offsets, data of scores, offsets of scores, imprecise scores) of a list of
// [piece, score]; the strings of scores are their digits
inline PyObject* json_pieces(PyObject* args) {
  const StringView text = TextRange::part(args).text("json_pieces");
  return read_or_none<JsonError>([&] {
    const JsonPieces found(text);
    return new_tuple(found.pieces.data, found.pieces.offsets, found.scores.data, found.scores.offsets,
                     found.imprecise_scores);
  });
}

// json_merges(text, begin, end) -> (data, offsets, the first item that is not a merge, or b"") as in JsonMerges
inline PyObject* json_merges(PyObject* args) {
  const StringView text = TextRange::part(args).text("json_merges");
  return read_or_none<JsonError>([&] {
    const JsonMerges found(text);
    return new_tuple(found.tokens.data, found.tokens.offsets, found.bad);
  });
}

// json_tokens(text, begin, end, count) -> (data, offsets, number of items) as in JsonTokens
inline PyObject* json_tokens(PyObject* args) {
  TextRange range;
  long long count;
  parse(args, "O!LLL", &PyBytes_Type, &range.object, &range.begin, &range.end, &count);
  const StringView text = range.text("json_tokens");
  return read_or_none<JsonError>([&] {
    const JsonTokens found(text, count);
    return new_tuple(found.tokens.data, found.tokens.offsets, found.size);
  });
}

// sentencepiece_pieces(text) -> (data, offsets, scores, kinds, rest) as in SentencePiecePieces
inline PyObject* sentencepiece_pieces(PyObject* args) {
  const StringView text = TextRange::whole(args).text("sentencepiece_pieces");
  return read_or_none<MessageError>([&] {
    const SentencePiecePieces found(text);
    return new_tuple(found.texts.data, found.texts.offsets, found.scores, found.kinds, found.rest);
  });
}

}  // namespace stringops::convert
