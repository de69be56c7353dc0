// Calls an Arrow stream, which another library implements: any member may be NULL, any call may fail, and its error
// text may have any length and need not be UTF-8.
#pragma once

#include <Python.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "convert/c_interfaces.h"
#include "convert/failure.h"

namespace stringops::convert {

// Returns the structure in a capsule, unless a consumer has moved it out.
template <class Struct>
Struct& take(PyObject* capsule, const char* name, const std::string& op, const char* from) {
  auto& held = from_capsule<Struct>(capsule, name, op, from);
  if (!held.release) fail(PyExc_ValueError, op + ": expected an Arrow structure that no consumer has moved out");
  return held;
}

// Returns the format of a schema, truncated if it is longer than any format of strings.
inline std::string read_format(const ArrowSchema& schema) {
  return schema.format ? std::string(schema.format, strnlen(schema.format, kMaxQuoted + 1)) : std::string();
}

// Runs a call of the producer without the GIL, because it may be slow or take the GIL itself; throws if it fails.
template <class Call>
void call_stream(const std::string& op, ArrowArrayStream& stream, Call&& call) {
  PyThreadState* const state = PyEval_SaveThread();
  const int error = call();
  PyEval_RestoreThread(state);
  if (error == 0) return;
  if (error == ENOMEM) throw std::bad_alloc();
  const char* given = stream.get_last_error ? stream.get_last_error(&stream) : nullptr;
  if (!given) given = std::strerror(error);
  constexpr size_t kMaxShown = 200;
  std::string text(given, strnlen(given, kMaxShown + 1));
  if (text.size() > kMaxShown) text.replace(kMaxShown, 1, "...");
  fail(PyExc_RuntimeError, op + ": the Arrow stream failed: " + text);
}

// Gets the schema, which the caller releases.
inline void get_schema(const std::string& op, ArrowArrayStream& stream, ArrowSchema& schema) {
  if (!stream.get_schema || !stream.get_next) {
    fail(PyExc_ValueError, op + ": expected an Arrow stream with `get_schema` and `get_next`, got NULL for `" +
                               (stream.get_schema ? "get_next`" : "get_schema`"));
  }
  call_stream(op, stream, [&] { return stream.get_schema(&stream, &schema); });
  if (!schema.release) fail(PyExc_ValueError, op + ": expected an Arrow stream with a schema, got none");
}

// Gets the next chunk, which the caller releases. After the last one, the chunk has no `release`.
inline void get_next(const std::string& op, ArrowArrayStream& stream, ArrowArray& array) {
  call_stream(op, stream, [&] { return stream.get_next(&stream, &array); });
}

}  // namespace stringops::convert
