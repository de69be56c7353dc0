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

namespace probe {

// A sample: its UTF-8, its code points in the width of its kind, and the state bits that it must have.
struct Sample {
  const char* utf8;
  const void* units;
  int64_t length;
  int unit;
  uint32_t bits;
};

// The samples are so long that every candidate offset is within the object.
inline const Sample* samples(int* count) {
  static const char* const ascii = "sixteen ASCII bytes and some more";
  static const uint8_t ucs1[] = {'c', 'a', 'f', 0xE9, ' ', 0xFF, 0x80, 'x', 'y', 'z', '0', '1', '2', '3', '4', '5'};
  static const uint16_t ucs2[] = {0x20AC, 'a', 0xE9, 0x416, 0x800, 0x7FF, 0xFFFD, 'b', 'c', 'd', 'e', 'f'};
  static const uint32_t ucs4[] = {0x1F600, 'a', 0xE9, 0x416, 0x20AC, 0x10FFFF, 0x10000, 'b', 'c'};
  static const Sample all[] = {
      {ascii, ascii, 33, 1, kAsciiBits},
      {"caf\xC3\xA9 \xC3\xBF\xC2\x80xyz012345", ucs1, 16, 1, kUcs1Bits},
      {"\xE2\x82\xAC"
       "a\xC3\xA9\xD0\x96\xE0\xA0\x80\xDF\xBF\xEF\xBF\xBD"
       "bcdef",
       ucs2, 12, 2, kUcs2Bits},
      {"\xF0\x9F\x98\x80"
       "a\xC3\xA9\xD0\x96\xE2\x82\xAC\xF4\x8F\xBF\xBF\xF0\x90\x80\x80"
       "bc",
       ucs4, 9, 4, kUcs4Bits},
  };
  *count = 4;
  return all;
}

inline bool holds(PyObject* s, const Sample& sample, int offset) {
  return std::memcmp(reinterpret_cast<char*>(s) + offset, sample.units, sample.length * sample.unit) == 0;
}

inline bool state_fits(PyObject* s, const Sample& sample, int shift) {
  return ((read_at<uint32_t>(s, kStrState) >> shift) & kStateMask) == sample.bits;
}

inline bool find_str(Layout& layout) {
  int count = 0;
  const Sample* all = samples(&count);
  // The samples as str, and as instances of a subclass, which are not compact.
  PyObject* made[4] = {};
  PyObject* derived[4] = {};
  Ref type(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O){}", "_Probe", &PyUnicode_Type));
  Ref owner(PyList_New(0));
  bool ok = type.get() && owner.get();
  for (int i = 0; ok && i < count; ++i) {
    Ref s(PyUnicode_FromString(all[i].utf8));
    Ref d(s.get() ? PyObject_CallFunctionObjArgs(type.get(), s.get(), nullptr) : nullptr);
    made[i] = s.get();
    derived[i] = d.get();
    ok = s.get() && d.get() && PyList_Append(owner.get(), s.get()) == 0 && PyList_Append(owner.get(), d.get()) == 0;
  }
  if (!ok) return false;
  for (int i = 0; i < count; ++i) {
    if (read_at<Py_ssize_t>(made[i], kStrLength) != all[i].length) return false;
  }
  int shift = 1;
  for (; shift <= 24; ++shift) {
    bool fits = true;
    for (int i = 0; i < count; ++i) {
      fits &= state_fits(made[i], all[i], shift) && !state_fits(derived[i], all[i], shift);
    }
    if (fits) break;
  }
  if (shift > 24) return false;
  for (const int ascii : {40, 48}) {
    for (const int compact : {ascii + 16, ascii + 24}) {
      bool fits = holds(made[0], all[0], ascii);
      for (int i = 1; i < count; ++i) {
        fits = fits && holds(made[i], all[i], compact) && read_at<void*>(made[i], ascii + 8) == nullptr;
      }
      if (!fits) continue;
      // The cached UTF-8, once it exists, must be at the offset that was empty.
      for (int i = 0; i < count; ++i) {
        Py_ssize_t size = 0;
        const char* utf8 = PyUnicode_AsUTF8AndSize(made[i], &size);
        if (!utf8 || static_cast<size_t>(size) != std::strlen(all[i].utf8)) return false;
        fits = fits && (i == 0 ? utf8 == reinterpret_cast<char*>(made[i]) + ascii
                               : read_at<const char*>(made[i], ascii + 8) == utf8 &&
                                     read_at<Py_ssize_t>(made[i], ascii) == size);
      }
      if (!fits) return false;
      layout.str_ascii = ascii;
      layout.str_compact = compact;
      layout.state_shift = shift;
      return true;
    }
  }
  return false;
}

// Checks that `new_str` makes objects of the known layout, which are the expected strings once they are filled.
inline void find_new_str(Layout& layout) {
  int count = 0;
  const Sample* all = samples(&count);
  const auto new_str = reinterpret_cast<decltype(layout.new_str)>(dlsym(RTLD_DEFAULT, "PyUnicode_New"));
  if (!new_str) return;
  for (int i = 0; i < count; ++i) {
    constexpr Py_UCS4 greatest[] = {0x7F, 0xFF, 0xFFFF, 0x10FFFF};
    Ref made(new_str(all[i].length, greatest[i])), expected(PyUnicode_FromString(all[i].utf8));
    PyObject* s = made.get();
    if (!s || !expected.get() || Py_TYPE(s) != &PyUnicode_Type || Py_REFCNT(s) != 1) return;
    if (read_at<Py_ssize_t>(s, kStrLength) != all[i].length || !state_fits(s, all[i], layout.state_shift)) return;
    const int storage = i == 0 ? layout.str_ascii : layout.str_compact;
    std::memcpy(reinterpret_cast<char*>(s) + storage, all[i].units, all[i].length * all[i].unit);
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
