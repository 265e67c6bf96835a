#include "extract/json_fields.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace flipsat::extract {
namespace {

using hlo::InputError;

constexpr double kLargest = 9e18;  // below INT64_MAX

std::string quoted(const std::string& name) { return "\"" + name + "\""; }

}  // namespace

JsonFields::JsonFields(const LocatedJson& object, std::string what)
    : object_(object), what_(std::move(what)) {
  if (object.kind != LocatedJson::Kind::kObject) {
    throw InputError(object.place, what_ + " must be an object");
  }
}

const LocatedJson* JsonFields::optional(const std::string& name) {
  known_.push_back(name);
  return object_.find(name);
}

const LocatedJson& JsonFields::required(const std::string& name) {
  const LocatedJson* value = optional(name);
  if (!value) throw InputError(object_.place, what_ + " lacks " + quoted(name));
  return *value;
}

std::string JsonFields::text(const std::string& name) {
  const LocatedJson& value = required(name);
  if (value.kind != LocatedJson::Kind::kString) {
    throw InputError(value.place, quoted(name) + " must be a string");
  }
  return value.string;
}

bool JsonFields::flag(const std::string& name, bool if_absent) {
  const LocatedJson* value = optional(name);
  if (!value) return if_absent;
  if (value->kind != LocatedJson::Kind::kBool) {
    throw InputError(value->place, quoted(name) + " must be true or false");
  }
  return value->boolean;
}

int64_t JsonFields::scaled(const std::string& name, double unit, int64_t least) {
  return scaled(required(name), quoted(name), unit, least);
}

int64_t JsonFields::scaled(const LocatedJson& value, const std::string& name, double unit,
                           int64_t least) {
  if (value.kind != LocatedJson::Kind::kNumber) {
    throw InputError(value.place, name + " must be a number");
  }
  const bool is_exact = unit == 1 && value.whole.has_value();
  const double result = value.number * unit;
  if (!is_exact && !(result < kLargest)) throw InputError(value.place, name + " is too large");
  if (result < 0) throw InputError(value.place, name + " must not be negative");
  const int64_t whole = is_exact ? *value.whole : std::llround(result);
  if (whole < least) throw InputError(value.place, name + " is too small");
  return whole;
}

void JsonFields::refuse_unknown() const {
  for (const LocatedJson& member : object_.items) {
    if (std::find(known_.begin(), known_.end(), member.name) != known_.end()) continue;
    throw InputError(member.place, what_ + " has no field " + quoted(member.name));
  }
}

bool is_json_path(const std::string& name) { return name.find_first_of("/.") != std::string::npos; }

std::string read_json_file(const std::string& path, const std::string& what) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in) throw InputError({path, 0, 0}, "cannot read the " + what + " file");
  return text.str();
}

}  // namespace flipsat::extract
