// Calls of an Arrow stream, which another library implements: any member may be NULL, any call may fail, its text may
// be of any length and no UTF-8.
#pragma once

#include <Python.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "convert/c_interfaces.h"
#include "convert/failure.h"

namespace stringops::convert {

template <class Struct>
void release_if_held(Struct* held) {
  if (held->release) held->release(held);
}

// The structure in a capsule, if nobody has taken it yet.
template <class Struct>
Struct& take(PyObject* capsule, const char* name, const std::string& op, const char* from) {
  auto& held = from_capsule<Struct>(capsule, name, op, from);
  if (!held.release) fail(PyExc_ValueError, op + ": expected an Arrow structure that nobody has taken yet");
  return held;
}

// The format of a schema, or as much of it as shows that it is none of strings.
inline std::string read_format(const ArrowSchema& schema) {
  return schema.format ? std::string(schema.format, strnlen(schema.format, kMaxQuoted + 1)) : std::string();
}

// Runs a call of the producer, which may be slow and may be Python, without our GIL; throws if it failed.
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

// The schema is the caller's to release.
inline void get_schema(const std::string& op, ArrowArrayStream& stream, ArrowSchema& schema) {
  if (!stream.get_schema || !stream.get_next) {
    fail(PyExc_ValueError, op + ": expected an Arrow stream with `get_schema` and `get_next`, got NULL for `" +
                               (stream.get_schema ? "get_next`" : "get_schema`"));
  }
  call_stream(op, stream, [&] { return stream.get_schema(&stream, &schema); });
  if (!schema.release) fail(PyExc_ValueError, op + ": expected an Arrow stream with a schema, got none");
}

// The next chunk is the caller's to release; after the last one it has no `release`.
inline void get_next(const std::string& op, ArrowArrayStream& stream, ArrowArray& array) {
  call_stream(op, stream, [&] { return stream.get_next(&stream, &array); });
}

}  // namespace stringops::convert
