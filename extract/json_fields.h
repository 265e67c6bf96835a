// Fields of the objects in files that users write (machines, combiners): each is asked for by name
// and kind, a wrong one is an hlo::InputError with its place, and what nobody asked for is unknown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "extract/located_json.h"

namespace flipsat::extract {

class JsonFields {
 public:
  // `what` names the object in messages: "a machine". The object must outlive this.
  JsonFields(const LocatedJson& object, std::string what);

  const LocatedJson* optional(const std::string& name);  // null if absent
  const LocatedJson& required(const std::string& name);

  std::string text(const std::string& name);
  bool flag(const std::string& name, bool if_absent);
  // A number of at least `least`: times `unit` and rounded; exact where it is written as a whole
  // number and stands for itself.
  int64_t scaled(const std::string& name, double unit, int64_t least);
  int64_t count(const std::string& name, int64_t least) { return scaled(name, 1, least); }
  // The same of any value; `name` is for messages.
  static int64_t scaled(const LocatedJson& value, const std::string& name, double unit,
                        int64_t least);

  void refuse_unknown() const;

 private:
  const LocatedJson& object_;
  std::string what_;
  std::vector<std::string> known_;
};

// Where a preset or a file can be named: does this name a file?
bool is_json_path(const std::string& name);
// The text of a file; `what` is for the message of the hlo::InputError where there is none.
std::string read_json_file(const std::string& path, const std::string& what);

}  // namespace flipsat::extract
