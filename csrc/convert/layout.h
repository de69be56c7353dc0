// The layout of str, bytes, list and tuple objects in this interpreter.
//
// The limited API takes a function call per object, and caches a copy of a non-ASCII string's UTF-8 in the object. So
// the offsets of the storage are found once, at import, from objects of known content. Unless they match exactly, the
// API is used. This works for CPython with a GIL only; other interpreters never pass the probe.
#pragma once

#include <Python.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstring>

#include "convert/ref.h"

namespace stringops::convert {

// Offsets in bytes from the object's start; 0: unknown.
struct Layout {
  // str: `length` code points; the bits kind (3), compact (1), ascii (1) of the word `state` from `state_shift` up.
  int str_ascii = 0;    // storage of an ASCII string; other compact ones have their UTF-8 size here, then a pointer
  int str_compact = 0;  // storage of a compact string that is not ASCII
  int state_shift = 0;
  int bytes = 0;
  int list = 0;   // pointer to the items
  int tuple = 0;  // the items
  // CPython's PyUnicode_New(size, greatest code point) makes a str to be filled. It is public and unchanged since 3.3,
  // but not in the limited API, so it is looked up by name.
  PyObject* (*new_str)(Py_ssize_t, Py_UCS4) = nullptr;
};

constexpr int kStrLength = 16, kStrState = 32;
// The bits kind | compact | ascii of an ASCII string and of the three kinds of other strings.
constexpr uint32_t kAsciiBits = 1 | 8 | 16, kUcs1Bits = 1 | 8, kUcs2Bits = 2 | 8, kUcs4Bits = 4 | 8, kStateMask = 31;

template <class T>
inline T read_at(const void* object, int64_t offset) {
  T value;
  std::memcpy(static_cast<void*>(&value), static_cast<const char*>(object) + offset, sizeof value);
  return value;
}

// The storage of a string: UTF-8, code points of 1, 2 or 4 bytes, or a layout that only the API knows.
enum class Storage { kBytes, kUcs1, kUcs2, kUcs4, kOpaque };

struct Leaf {
  Storage storage;
  const void* at = nullptr;
  int64_t length = 0;  // in units of the storage
};

inline Leaf inspect(const Layout& layout, PyObject* o) {
  PyTypeObject* const type = Py_TYPE(o);
  const char* const base = reinterpret_cast<const char*>(o);
  if (type == &PyUnicode_Type && layout.str_ascii) {
    const uint32_t bits = (read_at<uint32_t>(o, kStrState) >> layout.state_shift) & kStateMask;
    const int64_t length = read_at<Py_ssize_t>(o, kStrLength);
    if (bits == kAsciiBits) return {Storage::kBytes, base + layout.str_ascii, length};
    const void* const units = base + layout.str_compact;
    if (bits == kUcs1Bits || bits == kUcs2Bits || bits == kUcs4Bits) {
      // The object may have a cached copy of its UTF-8.
      if (const void* utf8 = read_at<const void*>(o, layout.str_ascii + 8)) {
        return {Storage::kBytes, utf8, read_at<Py_ssize_t>(o, layout.str_ascii)};
      }
      return {bits == kUcs1Bits ? Storage::kUcs1 : bits == kUcs2Bits ? Storage::kUcs2 : Storage::kUcs4, units, length};
    }
  } else if (type == &PyBytes_Type && layout.bytes) {
    return {Storage::kBytes, base + layout.bytes, Py_SIZE(reinterpret_cast<PyVarObject*>(o))};
  }
  return {Storage::kOpaque};
}

namespace probe {

// A text, and what `inspect` returns of a str of it, but for the address: here, that of the same units.
struct Sample {
  const char* utf8;
  Leaf leaf;
  size_t num_bytes;  // of the units
  Py_UCS4 greatest;  // for PyUnicode_New
};

// The samples are so long that every candidate offset is within the object.
inline const Sample* samples() {
  static const char* const ascii = "sixteen ASCII bytes and some more";
  static const uint8_t ucs1[] = {'c', 'a', 'f', 0xE9, ' ', 0xFF, 0x80, 'x', 'y', 'z', '0', '1', '2', '3', '4', '5'};
  static const uint16_t ucs2[] = {0x20AC, 'a', 0xE9, 0x416, 0x800, 0x7FF, 0xFFFD, 'b', 'c', 'd', 'e', 'f'};
  static const uint32_t ucs4[] = {0x1F600, 'a', 0xE9, 0x416, 0x20AC, 0x10FFFF, 0x10000, 'b', 'c'};
  static const Sample all[] = {
      {ascii, {Storage::kBytes, ascii, 33}, 33, 0x7F},
      {"caf\xC3\xA9 \xC3\xBF\xC2\x80xyz012345", {Storage::kUcs1, ucs1, 16}, sizeof ucs1, 0xFF},
      {"\xE2\x82\xAC"
       "a\xC3\xA9\xD0\x96\xE0\xA0\x80\xDF\xBF\xEF\xBF\xBD"
       "bcdef",
       {Storage::kUcs2, ucs2, 12},
       sizeof ucs2,
       0xFFFF},
      {"\xF0\x9F\x98\x80"
       "a\xC3\xA9\xD0\x96\xE2\x82\xAC\xF4\x8F\xBF\xBF\xF0\x90\x80\x80"
       "bc",
       {Storage::kUcs4, ucs4, 9},
       sizeof ucs4,
       0x10FFFF},
  };
  return all;
}
constexpr int kSamples = 4;

// Returns the storage of a str of a sample's kind and length, or null if `inspect` finds another. Does not read it.
inline char* storage_of(const Layout& layout, PyObject* s, const Sample& sample) {
  char* const units =
      reinterpret_cast<char*>(s) + (sample.leaf.storage == Storage::kBytes ? layout.str_ascii : layout.str_compact);
  const Leaf leaf = inspect(layout, s);
  const bool same = leaf.storage == sample.leaf.storage && leaf.length == sample.leaf.length && leaf.at == units;
  return same ? units : nullptr;
}

// Whether `inspect` finds the storage of strings of all samples, and then their UTF-8, which they keep when it is asked
// for.
inline bool finds_samples(const Layout& layout) {
  for (const Sample* sample = samples(); sample < samples() + kSamples; ++sample) {
    const Ref made(PyUnicode_FromString(sample->utf8));
    const char* const units = made.get() ? storage_of(layout, made.get(), *sample) : nullptr;
    if (!units || std::memcmp(units, sample->leaf.at, sample->num_bytes) != 0) return false;
    Py_ssize_t size = 0;
    const char* const utf8 = PyUnicode_AsUTF8AndSize(made.get(), &size);
    const Leaf leaf = inspect(layout, made.get());
    if (!utf8 || leaf.storage != Storage::kBytes || leaf.at != utf8 || leaf.length != size) return false;
  }
  return true;
}

inline bool find_str(Layout& layout) {
  for (layout.state_shift = 1; layout.state_shift <= 24; ++layout.state_shift) {
    for (const int ascii : {40, 48}) {
      for (const int compact : {ascii + 16, ascii + 24}) {
        layout.str_ascii = ascii;
        layout.str_compact = compact;
        if (finds_samples(layout)) return true;
      }
    }
  }
  layout = {};
  return false;
}

// Checks that PyUnicode_New makes objects of the known layout, which are the expected strings once they are filled.
inline void find_new_str(Layout& layout) {
  const auto new_str = reinterpret_cast<decltype(layout.new_str)>(dlsym(RTLD_DEFAULT, "PyUnicode_New"));
  if (!new_str) return;
  for (const Sample* sample = samples(); sample < samples() + kSamples; ++sample) {
    const Ref made(new_str(sample->leaf.length, sample->greatest)), expected(PyUnicode_FromString(sample->utf8));
    PyObject* const s = made.get();
    if (!s || !expected.get() || Py_REFCNT(s) != 1) return;
    char* const units = storage_of(layout, s, *sample);
    if (!units) return;
    std::memcpy(units, sample->leaf.at, sample->num_bytes);
    if (PyUnicode_Compare(s, expected.get()) != 0) return;
  }
  layout.new_str = new_str;
}

inline void find_sequences(Layout& layout) {
  Ref bytes(PyBytes_FromStringAndSize("sixteen bytes, or more", 22));
  Ref list(PyList_New(0)), other(PyLong_FromLong(1 << 20));
  if (!bytes.get() || !list.get() || !other.get()) return;
  for (int i = 0; i < 9; ++i) {
    if (PyList_Append(list.get(), i % 2 ? bytes.get() : other.get()) != 0) return;
  }
  Ref tuple(PyList_AsTuple(list.get()));
  if (!tuple.get()) return;
  if (read_at<Py_ssize_t>(bytes.get(), 16) == 22 &&
      PyBytes_AsString(bytes.get()) == reinterpret_cast<char*>(bytes.get()) + 32) {
    layout.bytes = 32;
  }
  const auto are_items = [&](PyObject* const* items) {
    bool same = true;
    for (int i = 0; i < 9; ++i) same = same && items[i] == (i % 2 ? bytes.get() : other.get());
    return same;
  };
  if (read_at<Py_ssize_t>(tuple.get(), 16) == 9) {
    for (const int offset : {24, 32}) {
      // There are nine items, so that both candidates are within the object, except for the last word of the second.
      PyObject* const* items = reinterpret_cast<PyObject* const*>(reinterpret_cast<char*>(tuple.get()) + offset);
      if (items[0] == other.get() && items[1] == bytes.get() && are_items(items)) {
        layout.tuple = offset;
        break;
      }
    }
  }
  // The pointer must be plausible before it is dereferenced: it must be the first word after the size, and aligned.
  if (layout.tuple && read_at<Py_ssize_t>(list.get(), 16) == 9) {
    const auto* items = read_at<PyObject* const*>(list.get(), 24);
    if (items && reinterpret_cast<uintptr_t>(items) % alignof(void*) == 0 && are_items(items)) layout.list = 24;
  }
}

}  // namespace probe

// Finds as much of the layout as it can, and leaves no exception set.
inline Layout find_layout() {
  Layout layout;
  if (sizeof(void*) != 8) return layout;
  // Free-threaded interpreters ("t") have another layout, and locks.
  PyObject* flags = PySys_GetObject("abiflags");
  Ref t(PyUnicode_FromString("t"));
  const bool with_gil = t.get() && (!flags || PyUnicode_Find(flags, t.get(), 0, PY_SSIZE_T_MAX, 1) == -1);
  if (with_gil && probe::find_str(layout)) {
    probe::find_new_str(layout);
    probe::find_sequences(layout);
  }
  PyErr_Clear();
  return layout;
}

}  // namespace stringops::convert
