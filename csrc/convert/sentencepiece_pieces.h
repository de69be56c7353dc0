// The pieces of a model of SentencePiece, which is a message of protocol buffers.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "convert/read_strings.h"
#include "core/string_span.h"

namespace stringops::convert {

// A message is malformed, or has a number of more than 64 bits.
struct MessageError {};

// A field of a message: a number, or the bytes of a string, message or fixed number.
struct MessageField {
  uint64_t key;
  bool is_number;
  uint64_t value;
  StringView bytes;

  uint64_t number() const { return key >> 3; }
};

// Reads the fields of a message one after the other.
class Message {
 public:
  explicit Message(StringView bytes) : at_(bytes.begin), end_(bytes.end) {}

  const uint8_t* at() const { return at_; }
  bool at_end() const { return at_ == end_; }

  MessageField next() {
    MessageField field{number(), false, 0, {at_, at_}};
    uint64_t size = 0;
    switch (field.key & 7) {
      case 0:
        field.is_number = true;
        field.value = number();
        return field;
      case 1:
        size = 8;
        break;
      case 2:
        size = number();
        break;
      case 5:
        size = 4;
        break;
      default:
        throw MessageError();
    }
    if (size > static_cast<uint64_t>(end_ - at_)) throw MessageError();
    field.bytes = {at_, at_ + size};
    at_ += size;
    return field;
  }

 private:
  // A number of seven bits a byte, the lowest first.
  uint64_t number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) throw MessageError();
      const uint64_t byte = *at_++;
      if (shift == 63 && byte > 1) throw MessageError();
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    throw MessageError();
  }

  const uint8_t* at_;
  const uint8_t* end_;
};

struct SentencePiecePieces {
  ReadStrings texts;
  std::vector<double> scores;
  std::vector<int32_t> kinds;
  std::string rest;  // the fields of the model that are not pieces

  // Reads a model of less than 2**31 bytes.
  explicit SentencePiecePieces(StringView model) : texts(static_cast<size_t>(model.size())) {
    texts.mark();
    for (Message message(model); !message.at_end();) {
      const uint8_t* const begin = message.at();
      const MessageField field = message.next();
      if (field.number() == 1) {
        add(bytes_of(field));
      } else {
        rest.append(reinterpret_cast<const char*>(begin), static_cast<size_t>(message.at() - begin));
      }
    }
  }

 private:
  static StringView bytes_of(const MessageField& field) {
    if (field.is_number) throw MessageError();
    return field.bytes;
  }

  // Appends a piece. Of a field that is repeated, the last one counts.
  void add(StringView piece) {
    StringView text{piece.begin, piece.begin};
    float score = 0;
    uint32_t kind = 1;
    for (Message message(piece); !message.at_end();) {
      const MessageField field = message.next();
      if (field.number() == 1) {
        text = bytes_of(field);
      } else if (field.number() == 2) {
        const StringView bits = bytes_of(field);
        if (bits.size() != sizeof(score)) throw MessageError();
        std::memcpy(&score, bits.begin, sizeof(score));
      } else if (field.number() == 3) {
        if (!field.is_number) throw MessageError();
        kind = static_cast<uint32_t>(field.value);
      }
    }
    texts.data.append(reinterpret_cast<const char*>(text.begin), static_cast<size_t>(text.size()));
    texts.mark();
    scores.push_back(static_cast<double>(score));
    kinds.push_back(static_cast<int32_t>(kind));
  }
};

}  // namespace stringops::convert
