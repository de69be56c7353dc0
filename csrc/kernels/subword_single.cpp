#include "kernels/subword_single.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "core/fail.h"
#include "core/narrow.h"
#include "core/poll.h"
#include "core/testing.h"
#include "core/utf8.h"
#include "kernels/encoding.h"
#include "kernels/subword.h"
#include "kernels/subword_decode.h"
#include "subword/run/run.h"
#include "subword/run/text.h"

namespace stringops::kernels {

using namespace subword;

namespace {

// Bytes after a text that keys of words may read.
constexpr int64_t kTextPadding = 64;
// Text for which the cache of an encoder has room. It is cleared once, and stays for the next texts.
constexpr int64_t kCachedWordBytes = block_size(128 * 1024, 256);
// Shorter texts take less time than a look at signals.
constexpr int64_t kShortText = 4096;
// A part of a text that is a task of its own has about so many bytes at least.
constexpr int64_t kMinPart = block_size(8 * 1024, 4);
// Ids that wait for their text to be complete. A character has four bytes at most.
constexpr size_t kMaxWaiting = block_size(256, 8);
constexpr std::string_view kReplacementText = "\xEF\xBF\xBD";

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

class Encoder final : public SingleEncoder {
 public:
  Encoder(const Table& table, const Runner& runner) : table_(table), runner_(runner), text_(table, ids_, nullptr) {
    if (SubwordRun::serves(table)) add_run();
  }

  uint8_t* reserve(int64_t num_bytes) override {
    check_result_bytes("SubwordTokenizer.encode_text", num_bytes);
    const auto size = static_cast<size_t>(num_bytes + kTextPadding);
    if (bytes_.size() < size) bytes_.resize(std::max(size, 2 * bytes_.size()));
    return bytes_.data();
  }

  Ids encode(int64_t num_bytes) override {
    try {
      return encode_any(num_bytes);
    } catch (const MissingPiece& missing) {
      fail("SubwordTokenizer.encode_text: ", missing.what());
    }
  }

 private:
  Ids encode_any(int64_t num_bytes) {
    const uint8_t* const begin = bytes_.data();
    std::optional<PollCall> call;
    if (num_bytes > kShortText) call.emplace();
    const StringView text{begin, begin + num_bytes};
    if (!runs_.empty() && text_.is_plain(text)) {
      cut(text);
      if (cuts_.size() > 2) return encode_parts(begin);
      return encode_part(begin, 0);
    }
    ids_.clear();
    text_.encode(text);
    return {ids_.data(), static_cast<int64_t>(ids_.size())};
  }

  void add_run() { runs_.push_back(std::make_unique<SubwordRun>(table_, kCachedWordBytes)); }

  // Sets `cuts_` to the begins of the parts of the text, and its end.
  void cut(StringView text) {
    cuts_.assign(1, 0);
    const int64_t size = text.size();
    const int64_t parts =
        runs_[0]->cuts_at_spaces() && size >= 2 * kMinPart
            ? std::min(runner_.choose_tasks(kSubwordCost.ns_per_byte * static_cast<double>(size)), size / kMinPart)
            : 1;
    for (int64_t part = 1; part < parts; ++part) {
      const uint8_t* p = text.begin + std::max<int64_t>(size / parts * part, cuts_.back() + 1);
      while (p < text.end && !(*p == ' ' && is_ascii_letter(p[-1]))) ++p;
      if (p >= text.end) break;
      cuts_.push_back(narrow<int32_t>(p - text.begin));
    }
    cuts_.push_back(narrow<int32_t>(size));
  }

  Ids encode_part(const uint8_t* text, size_t part) {
    SubwordRun& run = *runs_[part];
    const int32_t begins[] = {0, cuts_[part + 1] - cuts_[part]};
    run.encode(text + cuts_[part], bytes_.data() + bytes_.size(), begins, 1);
    return {run.ids(), run.first_ids().back()};
  }

  Ids encode_parts(const uint8_t* text) {
    const size_t parts = cuts_.size() - 1;
    while (runs_.size() < parts) add_run();
    std::vector<Ids> found(parts);
    runner_.run(static_cast<int64_t>(parts), [&](int64_t i) {
      const auto part = static_cast<size_t>(i);
      found[part] = encode_part(text, part);
    });
    ids_.clear();
    for (const Ids& ids : found) ids_.insert(ids_.end(), ids.at, ids.at + ids.count);
    return {ids_.data(), static_cast<int64_t>(ids_.size())};
  }

  const Table& table_;
  const Runner& runner_;
  std::vector<uint8_t> bytes_;
  std::vector<uint32_t> ids_;
  SubwordText text_;
  std::vector<std::unique_ptr<SubwordRun>> runs_;  // of each part; none if texts are encoded without a run
  std::vector<int32_t> cuts_;
};

// Replaces what is not UTF-8.
void repair(std::string& text) {
  const auto* const begin = reinterpret_cast<const uint8_t*>(text.data());
  if (!find_invalid_utf8(begin, begin + text.size())) return;
  const StringView in{begin, begin + text.size()};
  const Repair replace{true};
  std::string repaired(static_cast<size_t>(replace.size(in)), '\0');
  check_result_bytes("SubwordTokenizer.decode_ids", static_cast<int64_t>(repaired.size()));
  auto* const out = reinterpret_cast<uint8_t*>(repaired.data());
  replace.write(in, out, out + repaired.size());
  text.swap(repaired);
}

}  // namespace

std::unique_ptr<SingleEncoder> SubwordSingle::new_encoder() const {
  return std::make_unique<Encoder>(table_, runner_);
}

void SubwordSingle::decode(const int64_t* ids, int64_t count, bool skip_special, std::string& text) const {
  text.clear();
  const int64_t splits[] = {0, count};
  const SubwordDecode in{ids, {splits, 1, count}, table_, skip_special};
  RowDecoder decoder(in);
  decoder.decode({0, count}, [&](StringView part, const uint8_t*) {
    text.append(reinterpret_cast<const char*>(part.begin), static_cast<size_t>(part.size()));
    check_result_bytes("SubwordTokenizer.decode_ids", static_cast<int64_t>(text.size()));
  });
  repair(text);
}

const std::string& SubwordSingle::step(TokenStream& stream, int64_t id, bool skip_special) const {
  if (!try_step(stream, id, skip_special)) {
    stream = {};
    try_step(stream, id, skip_special);
  }
  return stream.text;
}

// Sets the text of the stream to what is complete. Returns false if the stream has to begin anew.
bool SubwordSingle::try_step(TokenStream& stream, int64_t id, bool skip_special) const {
  const auto decode_all = [&] {
    decode(stream.ids.data(), static_cast<int64_t>(stream.ids.size()), skip_special, stream.text);
  };
  const auto keep_text = [&] {
    stream.given.swap(stream.text);
    stream.num_given = stream.ids.size();
  };
  if (id >= num_ids() || (skip_special && table_.has_flag(id, kIsSpecial))) {
    stream.text.clear();
    return true;
  }
  if (stream.given.empty() && !stream.ids.empty()) {
    decode_all();
    if (!ends_with(stream.text, kReplacementText)) keep_text();
  }
  stream.ids.push_back(id);
  decode_all();
  const bool is_full = stream.ids.size() - std::max(stream.num_given, stream.num_prompt) >= kMaxWaiting;
  const bool is_complete = stream.text.size() > stream.given.size() && !ends_with(stream.text, kReplacementText);
  if (!is_complete && !is_full) {
    stream.text.clear();
    return true;
  }
  if (stream.text.compare(0, stream.given.size(), stream.given) != 0) return false;
  std::string added = stream.text.substr(stream.given.size());
  stream.ids.erase(stream.ids.begin(), stream.ids.begin() + static_cast<int64_t>(stream.num_given));
  stream.num_prompt = 0;
  decode_all();
  keep_text();
  stream.text.swap(added);
  return true;
}

}  // namespace stringops::kernels
