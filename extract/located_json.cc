#include "extract/located_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace flipsat::extract {
namespace {

constexpr size_t kDeepest = 64;

// Walks the text for the parser and so tells how far it has read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** progress) : at_(at), progress_(progress) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *progress_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** progress_;
};

hlo::Place place_at(const std::string& text, const std::string& file, size_t offset) {
  offset = std::min(offset, text.size());
  const auto begin = text.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(offset);
  const size_t line_start = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  const size_t column = line_start == std::string::npos ? offset : offset - line_start - 1;
  return {file, static_cast<int>(1 + std::count(begin, end, '\n')),
          static_cast<int>(std::max<size_t>(column, 1))};
}

class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  const char** progress() { return &progress_; }
  LocatedJson take() { return std::move(root_); }

  bool null() override { return add(LocatedJson::Kind::kNull) != nullptr; }
  bool boolean(bool value) override {
    add(LocatedJson::Kind::kBool)->boolean = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value), value);
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (!std::in_range<int64_t>(value)) return number(static_cast<double>(value));
    return number(static_cast<double>(value), static_cast<int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool string(string_t& value) override {
    add(LocatedJson::Kind::kString)->string = value;
    return true;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(LocatedJson::Kind::kObject); }
  bool start_array(std::size_t) override { return open(LocatedJson::Kind::kArray); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    if (open_.back()->find(value)) {
      throw hlo::InputError(here(), "\"" + value + "\" stands twice in one object");
    }
    key_ = value;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // The library's message begins with its own name for the fault and its place.
    std::string what = error.what();
    for (const char* before : {"] ", ": "}) {
      const size_t at = what.find(before);
      if (at != std::string::npos) what.erase(0, at + 2);
    }
    throw hlo::InputError(place_at(text_, file_, position), "not JSON: " + what);
  }

 private:
  hlo::Place here() const {
    const size_t read = progress_ ? static_cast<size_t>(progress_ - text_.data()) : 0;
    return place_at(text_, file_, read);
  }
  bool number(double value, std::optional<int64_t> whole = std::nullopt) {
    LocatedJson* added = add(LocatedJson::Kind::kNumber);
    added->number = value;
    added->whole = whole;
    return true;
  }
  LocatedJson* add(LocatedJson::Kind kind) {
    LocatedJson* slot = &root_;
    if (!open_.empty()) {
      slot = &open_.back()->items.emplace_back();
      if (open_.back()->kind == LocatedJson::Kind::kObject) slot->name = key_;
    }
    slot->kind = kind;
    slot->place = here();
    return slot;
  }
  // Pointers in `open_` stay valid: a container grows only while it is the last one open.
  bool open(LocatedJson::Kind kind) {
    if (open_.size() == kDeepest) throw hlo::InputError(here(), "nested too deeply");
    open_.push_back(add(kind));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const std::string& text_;
  const std::string& file_;
  const char* progress_ = nullptr;
  LocatedJson root_;
  std::vector<LocatedJson*> open_;
  std::string key_;
};

}  // namespace

const LocatedJson* LocatedJson::find(std::string_view key) const {
  if (kind != Kind::kObject) return nullptr;
  for (const LocatedJson& member : items) {
    if (member.name == key) return &member;
  }
  return nullptr;
}

LocatedJson read_located_json(const std::string& text, const std::string& file) {
  Builder builder(text, file);
  const char* begin = text.data();
  nlohmann::json::sax_parse(CountingIterator(begin, builder.progress()),
                            CountingIterator(begin + text.size(), builder.progress()), &builder);
  return builder.take();
}

}  // namespace flipsat::extract
