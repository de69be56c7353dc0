#include "kernels/subword_normalizer.h"

namespace stringops::kernels {

using namespace subword;

SubwordNormalizer::SubwordNormalizer(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    const auto has = [&](Step::Bert flag) { return (step.bert & flag) != 0; };
    if (step.kind == Step::kNfc) nfc_.emplace();
    if (step.kind == Step::kBert) {
      bert_.emplace(
          BertSteps{has(Step::kClean), has(Step::kSplitChinese), has(Step::kStripAccents), has(Step::kLower)});
    }
  }
}

bool SubwordNormalizer::normalize(StringView text, const uint8_t* origin, std::vector<uint8_t>& out,
                                  std::vector<PackedRange>* map) {
  if (bert_) {
    bert_->normalize(text, origin, out, map);
    return true;
  }
  return nfc_ && nfc_->normalize(text, origin, out, map);
}

std::string SubwordNormalizer::content_of(const AddedToken& added) {
  if ((added.flags & kNormalized) == 0) return added.content;
  const auto* const begin = reinterpret_cast<const uint8_t*>(added.content.data());
  std::vector<uint8_t> normalized;
  if (!normalize({begin, begin + added.content.size()}, begin, normalized, nullptr)) return added.content;
  return {normalized.begin(), normalized.end()};
}

}  // namespace stringops::kernels
