// Subword tokenizers on one text of Python at a time, by the operator library (core/single_tokenizer.h).
//
// A table is in the memory of a tensor, which an object of this module keeps alive. torch moves the memory of a tensor
// when it sends it to another process, so each call compares its address.
#pragma once

#include <Python.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "convert/arguments.h"
#include "convert/failure.h"
#include "convert/from_list.h"
#include "convert/items.h"
#include "convert/layout.h"
#include "convert/ref.h"
#include "core/single_tokenizer.h"

namespace stringops::convert {

constexpr const char* kTokenizerName = "torch_stringops.tokenizer";
constexpr const char* kStreamsName = "torch_stringops.streams";

class Tokenizer {
 public:
  Tokenizer(PyObject* table, const uint8_t* address, std::unique_ptr<SingleTokenizer> single)
      : table_(table),
        data_ptr_(or_throw(PyObject_GetAttrString(table, "data_ptr"))),
        address_(address),
        single_(std::move(single)) {}
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;
  ~Tokenizer() {
    delete spare_.load();  // before the tokenizer that it uses
  }

  const SingleTokenizer& single() const { return *single_; }

  // Whether it is of this table, whose memory has not been moved.
  bool is_of(PyObject* table) const {
    if (table != table_) return false;
    const Ref address(or_throw(PyObject_CallNoArgs(data_ptr_.get())));
    return PyLong_AsVoidPtr(address.get()) == address_;
  }

  std::unique_ptr<SingleEncoder> take_encoder() {
    SingleEncoder* const spare = spare_.exchange(nullptr);
    return spare ? std::unique_ptr<SingleEncoder>(spare) : single_->new_encoder();
  }
  void give_back(std::unique_ptr<SingleEncoder> encoder) { delete spare_.exchange(encoder.release()); }

 private:
  PyObject* const table_;
  const Ref data_ptr_;  // the method of the table, which owns it
  const uint8_t* const address_;
  const std::unique_ptr<SingleTokenizer> single_;
  std::atomic<SingleEncoder*> spare_{nullptr};  // of the last call; calls at the same time make others
};

// open_tokenizer(library, table, address, num_bytes) -> a capsule. `library` is the path of the operator library, which
// is loaded.
inline PyObject* open_tokenizer(PyObject* args) {
  const char* library;
  PyObject* table;
  Buffer bytes;
  parse(args, "sOKL", &library, &table, &bytes.address, &bytes.count);
  const uint8_t* const address = bytes.as<const uint8_t>("SubwordTokenizer", "table");
  void* const handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  const auto open = handle ? reinterpret_cast<OpenTokenizer*>(dlsym(handle, "stringops_open_tokenizer")) : nullptr;
  if (!open) fail(PyExc_RuntimeError, "SubwordTokenizer: the operator library is not loaded");
  std::unique_ptr<SingleTokenizer> single(open(address, bytes.count));
  dlclose(handle);
  if (!single) {
    fail(PyExc_ValueError, "SubwordTokenizer: expected a table as subword_build returns it, got " +
                               std::to_string(bytes.count) + " other bytes (rebuild it from the tokenizer)");
  }
  return new_capsule(std::make_unique<Tokenizer>(table, address, std::move(single)), kTokenizerName);
}

// The tokenizer of a capsule; null if the object is none, or of another table.
inline Tokenizer* tokenizer_of(PyObject* opened, PyObject* table) {
  auto* const tokenizer = static_cast<Tokenizer*>(
      PyCapsule_IsValid(opened, kTokenizerName) ? PyCapsule_GetPointer(opened, kTokenizerName) : nullptr);
  return tokenizer && tokenizer->is_of(table) ? tokenizer : nullptr;
}

// Texts of more bytes are encoded without the lock of the interpreter.
constexpr int64_t kLockedBytes = 4096;

// Writes the UTF-8 of a str or bytes to the memory of an encoder; returns its size.
inline int64_t write_text(const Layout& layout, const char* op, PyObject* text, SingleEncoder& encoder) {
  const Leaf leaf = inspect(layout, text);
  if (leaf.storage == Storage::kBytes) {
    copy_exact(encoder.reserve(leaf.length), leaf.at, leaf.length);
    return leaf.length;
  }
  if (!PyUnicode_Check(text) && !PyBytes_Check(text)) {
    fail(PyExc_TypeError, std::string(op) + ": expected str or bytes, got " + type_name(text));
  }
  Walk walk{op, layout};
  Measure measure{walk};
  const int64_t size = measure.size(text, 0);
  int32_t offsets[2];
  Write pass{walk, encoder.reserve(size), size, offsets};
  pass.row(Items::single(&text));
  return size;
}

inline PyObject* list_of(const Layout& layout, SingleEncoder::Ids ids) {
  Ref list(or_throw(PyList_New(ids.count)));
  PyObject** const items = layout.list ? read_at<PyObject**>(list.get(), layout.list) : nullptr;
  for (int64_t i = 0; i < ids.count; ++i) {
    PyObject* const id = or_throw(PyLong_FromUnsignedLong(ids.at[i]));
    if (items) {
      items[i] = id;
    } else if (PyList_SetItem(list.get(), i, id) != 0) {
      throw Failure{};
    }
  }
  return list.release();
}

// encode_text(opened, table, text) -> list of ids; None if `opened` is not that of the table.
inline PyObject* encode_text(const Layout& layout, PyObject* const* args) {
  constexpr const char* kOp = "SubwordTokenizer.encode_text";
  Tokenizer* const tokenizer = tokenizer_of(args[0], args[1]);
  if (!tokenizer) return new_none();
  auto encoder = tokenizer->take_encoder();
  const int64_t size = write_text(layout, kOp, args[2], *encoder);
  SingleEncoder::Ids ids;
  {
    const ReleaseLock release(size > kLockedBytes);
    ids = encoder->encode(size);
  }
  PyObject* const list = list_of(layout, ids);
  tokenizer->give_back(std::move(encoder));
  return list;
}

// decode_ids(opened, table, ids, skip_special) -> str; None if `opened` is not that of the table; False if `ids` is not
// a list or tuple of ints.
inline PyObject* decode_ids(const Layout& layout, PyObject* const* args) {
  const Tokenizer* const tokenizer = tokenizer_of(args[0], args[1]);
  if (!tokenizer) return new_none();
  if (!is_list(args[2])) return or_throw(PyBool_FromLong(0));
  const int skip_special = PyObject_IsTrue(args[3]);  // may run Python code, so it comes first
  if (skip_special < 0) throw Failure{};
  const Items items = Items::of(args[2], layout);
  const int64_t num_ids = tokenizer->single().num_ids();
  std::vector<int64_t> ids(static_cast<size_t>(items.size()));
  for (int64_t i = 0; i < items.size(); ++i) {
    if (!PyLong_CheckExact(items[i])) return or_throw(PyBool_FromLong(0));
    int overflow = 0;
    const int64_t id = PyLong_AsLongLongAndOverflow(items[i], &overflow);
    if (overflow != 0) return or_throw(PyBool_FromLong(0));
    if (id < 0 || id >= num_ids) {
      fail(PyExc_ValueError, "SubwordTokenizer.decode_ids: expected `ids` within [0, " + std::to_string(num_ids) +
                                 "), got " + std::to_string(id) + " at position " + std::to_string(i));
    }
    ids[static_cast<size_t>(i)] = id;
  }
  std::string text;
  tokenizer->single().decode(ids.data(), static_cast<int64_t>(ids.size()), skip_special, text);
  return or_throw(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr));
}

struct Streams {
  std::vector<TokenStream> of_rows;
  bool skip_special, skip_unknown;

  void check(const Tokenizer& tokenizer, int64_t id, int64_t least, const std::string& where) const {
    const int64_t num_ids = tokenizer.single().num_ids();
    if (id >= least && (skip_unknown || id < num_ids)) return;
    fail(PyExc_ValueError, "DecodeStream.step: expected ids " +
                               (skip_unknown ? ">= 0" : "within [0, " + std::to_string(num_ids) + ")") + ", got " +
                               std::to_string(id) + where);
  }
};

// new_streams(count, skip_special, skip_unknown) -> a capsule
inline PyObject* new_streams(PyObject* args) {
  long long count;
  int skip_special, skip_unknown;
  parse(args, "Lpp", &count, &skip_special, &skip_unknown);
  auto streams = std::make_unique<Streams>();
  streams->of_rows.resize(static_cast<size_t>(count));
  streams->skip_special = skip_special != 0;
  streams->skip_unknown = skip_unknown != 0;
  return new_capsule(std::move(streams), kStreamsName);
}

// The value of an int, or of an object that stands for one; one beyond int64 is INT64_MAX.
inline int64_t read_id(PyObject* object) {
  const Ref index(PyNumber_Index(object));
  if (!index.get()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw Failure{};
    PyErr_Clear();
    fail(PyExc_TypeError, "DecodeStream.step: expected an int, got " + type_name(object));
  }
  int overflow = 0;
  const int64_t id = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
  return overflow == 0 ? id : INT64_MAX;
}

// stream_step(streams, opened, table, id) -> str, of the first stream; None if `opened` is not that of the table.
inline PyObject* stream_step(const Layout&, PyObject* const* args) {
  auto& streams = from_capsule<Streams>(args[0], kStreamsName, "DecodeStream.step", "streams as");
  const int64_t id = read_id(args[3]);  // may run Python code, so it comes first
  const Tokenizer* const tokenizer = tokenizer_of(args[1], args[2]);
  if (!tokenizer) return new_none();
  streams.check(*tokenizer, id, 0, "");
  const std::string& text = tokenizer->single().step(streams.of_rows.at(0), id, streams.skip_special);
  return or_throw(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr));
}

// stream_steps(streams, opened, table, ids, count) -> (data, offsets) as bytearrays, of all streams; None if `opened`
// is not that of the table. An id of -1 is none.
inline PyObject* stream_steps(PyObject* args) {
  constexpr const char* kOp = "DecodeStream.step";
  PyObject *capsule, *opened, *table;
  Buffer buffer;
  parse(args, "OOOKL", &capsule, &opened, &table, &buffer.address, &buffer.count);
  auto& streams = from_capsule<Streams>(capsule, kStreamsName, kOp, "streams as");
  const Tokenizer* const tokenizer = tokenizer_of(opened, table);
  if (!tokenizer) return new_none();
  const auto* const from = buffer.as<const int64_t>(kOp, "ids");
  const std::vector<int64_t> ids(from, from + buffer.count);
  if (ids.size() != streams.of_rows.size()) fail(PyExc_ValueError, std::string(kOp) + ": expected an id for each row");
  for (size_t row = 0; row < ids.size(); ++row) {
    streams.check(*tokenizer, ids[row], -1, " at position " + std::to_string(row));
  }
  std::string data;
  Ref offsets(or_throw(PyByteArray_FromStringAndSize(nullptr, (buffer.count + 1) * int64_t{sizeof(int32_t)})));
  char* end = PyByteArray_AsString(offsets.get());
  const auto add_offset = [&] {
    if (static_cast<int64_t>(data.size()) > kMaxBytes) fail_too_large(kOp, data.size());
    const auto offset = static_cast<int32_t>(data.size());
    std::memcpy(end, &offset, sizeof offset);
    end += sizeof offset;
  };
  add_offset();
  for (size_t row = 0; row < ids.size(); ++row) {
    if (ids[row] >= 0) data += tokenizer->single().step(streams.of_rows[row], ids[row], streams.skip_special);
    add_offset();
  }
  Ref bytes(or_throw(PyByteArray_FromStringAndSize(data.data(), static_cast<Py_ssize_t>(data.size()))));
  return or_throw(Py_BuildValue("OO", bytes.get(), offsets.get()));
}

// reset_stream(streams, row, ids, count): the stream begins anew, after these ids.
inline PyObject* reset_stream(PyObject* args) {
  constexpr const char* kOp = "DecodeStream.reset";
  PyObject* capsule;
  long long row;
  Buffer buffer;
  parse(args, "OLKL", &capsule, &row, &buffer.address, &buffer.count);
  auto& streams = from_capsule<Streams>(capsule, kStreamsName, kOp, "streams as");
  const auto* const from = buffer.as<const int64_t>(kOp, "ids");
  TokenStream stream;
  stream.ids.assign(from, from + buffer.count);
  stream.num_prompt = stream.ids.size();
  streams.of_rows.at(static_cast<size_t>(row)) = std::move(stream);
  return new_none();
}

}  // namespace stringops::convert
