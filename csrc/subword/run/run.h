// Encodes runs of adjacent strings together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "subword/table.h"

namespace stringops::kernels {

class SubwordRun {
 public:
  virtual ~SubwordRun() = default;

  // Whether it normalizes texts itself; otherwise they are in normal form.
  virtual bool normalizes() const { return false; }

  // Whether the ids of a text are those of its parts, one after the other, if it is cut between a letter and a space.
  virtual bool cuts_at_spaces() const { return false; }

  // Encodes strings without added tokens: string k begins at text + begins[k], begins[0] is 0, begins[count] the size
  // of the text, which may be read up to readable_end. The ids of all of them are ids(), and those of string k begin at
  // first_ids()[k]; first_ids()[count] is their number.
  virtual void encode(const uint8_t* text, const uint8_t* readable_end, const int32_t* begins, int64_t count) = 0;
  virtual const uint32_t* ids() const = 0;
  virtual const std::vector<uint32_t>& first_ids() const = 0;
};

// Calls use(run) once, with null if the strings of this table are encoded one by one. `num_bytes` is about the size of
// the text that will come.
void with_run(const subword::Table& table, int64_t num_bytes, const std::function<void(SubwordRun*)>& use);

// Returns such a run as an object that many calls use.
std::unique_ptr<SubwordRun> new_run(const subword::Table& table, int64_t num_bytes);

}  // namespace stringops::kernels
