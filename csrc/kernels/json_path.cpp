#include "kernels/json.h"

#include "core/fail.h"
#include "core/parse_number.h"
#include "core/utf8.h"
#include "kernels/json_text.h"

namespace stringops::kernels {
namespace {

constexpr int64_t kMaxIndex = INT32_MAX;

constexpr bool is_name(uint8_t byte) {
  return is_ascii_letter(byte) || is_ascii_digit(byte) || byte == '_' || byte == '-' || byte >= 0x80;
}

// Reads a path from left to right.
class PathReader {
 public:
  PathReader(const char* op, std::string_view path)
      : op_(op), begin_(reinterpret_cast<const uint8_t*>(path.data())), at_(begin_), end_(begin_ + path.size()) {
    if (!take('$')) fail_here();
  }

  bool is_done() const { return at_ == end_; }

  // Whether the next step is an index, which `index` is set to, or a key.
  bool step(std::string& key, int64_t& index) {
    if (take('.')) {
      const uint8_t* const begin = at_;
      while (at_ < end_ && is_name(*at_)) ++at_;
      if (at_ == begin) fail_here();
      key.assign(begin, at_);
      return false;
    }
    if (!take('[')) fail_here();
    const bool is_index = at_ < end_ && is_ascii_digit(*at_);
    if (is_index) {
      index = read_index();
    } else {
      read_key(key);
    }
    if (!take(']')) fail_here();
    return is_index;
  }

 private:
  bool take(char c) {
    if (at_ == end_ || *at_ != static_cast<uint8_t>(c)) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void fail_here() const {
    fail(op_, ": expected a path such as $.a[0][\"b\"], of keys and indices after `$`, got another one at byte ",
         at_ - begin_);
  }

  int64_t read_index() {
    int64_t index = 0;
    const uint8_t* const begin = at_;
    for (; at_ < end_ && is_ascii_digit(*at_); ++at_) {
      index = index * 10 + (*at_ - '0');
      if (index > kMaxIndex || (at_ > begin && *begin == '0')) fail_here();
    }
    return index;
  }

  // A key in quotes of either kind, with the escapes of JSON, and \' between single quotes.
  void read_key(std::string& key) {
    const uint8_t quote = at_ < end_ ? *at_ : 0;
    if (quote != '"' && quote != '\'') fail_here();
    // The key in double quotes.
    std::string text;
    const uint8_t* p = at_ + 1;
    for (; p < end_ && *p != quote; ++p) {
      if (*p == '\\' && p + 1 < end_) {
        if (*++p != '\'' || quote != '\'') text += '\\';
      } else if (*p == '"') {
        text += '\\';
      }
      text += static_cast<char>(*p);
    }
    text += '"';
    const auto* const characters = reinterpret_cast<const uint8_t*>(text.data());
    const uint8_t* const end = characters + text.size();
    bool has_escapes;
    const uint8_t* fault;
    JsonStops stops(JsonStops::kStrings, end);
    if (p == end_ || end_of_json_string(characters, end, stops, has_escapes, fault) != end) fail_here();
    key = json_string({characters, end - 1});
    at_ = p + 1;
  }

  const char* const op_;
  const uint8_t* const begin_;
  const uint8_t* at_;
  const uint8_t* const end_;
};

}  // namespace

JsonPaths::JsonPaths(const char* op, const std::vector<std::string>& paths) {
  new_node();
  for (size_t i = 0; i < paths.size(); ++i) {
    nodes_[static_cast<size_t>(add_path(op, paths[i]))].paths.push_back(static_cast<int32_t>(i));
  }
  number(root());
}

int32_t JsonPaths::new_node() {
  nodes_.emplace_back();
  return static_cast<int32_t>(nodes_.size()) - 1;
}

int32_t JsonPaths::add_path(const char* op, std::string_view path) {
  PathReader reader(op, path);
  int32_t node = root();
  std::string key;
  int64_t index = 0;
  while (!reader.is_done()) {
    if (reader.step(key, index)) {
      const int32_t found = item(node, index);
      node = found != kNone ? found : add_item(node, index);
    } else {
      const int32_t found = member(node, key);
      node = found != kNone ? found : add_member(node, key);
    }
  }
  return node;
}

int32_t JsonPaths::add_member(int32_t node, std::string key) {
  const int32_t added = new_node();
  nodes_[static_cast<size_t>(node)].members.emplace_back(std::move(key), added);
  return added;
}

int32_t JsonPaths::add_item(int32_t node, int64_t index) {
  const int32_t added = new_node();
  nodes_[static_cast<size_t>(node)].items.emplace_back(index, added);
  return added;
}

// Numbers the paths of the nodes from top to bottom. A path may be as long as memory holds, so that there is no
// recursion.
void JsonPaths::number(int32_t top) {
  struct Visit {
    int32_t node;
    bool is_left;
  };
  std::vector<Visit> stack{{top, false}};
  while (!stack.empty()) {
    const Visit visit = stack.back();
    stack.pop_back();
    Node& node = nodes_[static_cast<size_t>(visit.node)];
    const auto count = static_cast<int32_t>(order_.size());
    if (visit.is_left) {
      node.end = count;
      continue;
    }
    node.begin = count;
    order_.insert(order_.end(), node.paths.begin(), node.paths.end());
    node.own_end = static_cast<int32_t>(order_.size());
    stack.push_back({visit.node, true});
    for (const auto& below : node.members) stack.push_back({below.second, false});
    for (const auto& below : node.items) stack.push_back({below.second, false});
  }
}

int32_t JsonPaths::member(int32_t node, std::string_view key) const {
  for (const auto& member : nodes_[static_cast<size_t>(node)].members) {
    if (member.first == key) return member.second;
  }
  return kNone;
}

int32_t JsonPaths::item(int32_t node, int64_t index) const {
  for (const auto& item : nodes_[static_cast<size_t>(node)].items) {
    if (item.first == index) return item.second;
  }
  return kNone;
}

}  // namespace stringops::kernels
