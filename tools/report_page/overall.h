// The sums over the modules of a batch, as a record that a page shows like that of a module.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "tools/json_text.h"

namespace flipsat::tools {

class Overall {
 public:
  // A record of a report, whole.
  void add(const Json& record);

  // Fields as those of a shown record, and `modules`: how many there are of which kind. Of keys and
  // refusals those that count most.
  Json shown(const std::string& objective) const;

 private:
  struct Figures {
    int64_t time = 0;  // picoseconds
    int64_t collectives = 0, launches = 0, gathered_bytes = 0, reduced_bytes = 0, wire_bytes = 0;

    void add(const Json& program);
    Json record() const;
    int64_t value(const std::string& objective) const;
  };
  struct KeyFigures {
    int64_t count = 0, launches = 0, bytes = 0;
  };
  struct RuleFigures {
    int64_t applied = 0, gain = 0;
  };
  struct Looser {
    int64_t modules = 0;
    int64_t time = 0, launches = 0, wire_bytes = 0;  // less than the output's, by so much
  };

  void add_figures(const Json& record);
  void add_keys(const Json& keys);
  void add_rules(const Json& rules);
  void add_headroom(const Json& record);
  std::string headline(const std::string& objective) const;
  double gap(const std::string& objective) const;
  Json bound_record(const std::string& objective) const;
  Json key_records() const;
  Json refused_records() const;

  std::array<Figures, 3> programs_;  // input, greedy, output
  double bound_ = 0;                 // in the objective's unit
  std::map<std::array<std::string, 4>, std::array<KeyFigures, 3>> keys_;
  std::map<std::string, RuleFigures> rules_;
  std::map<std::pair<std::string, std::string>, int64_t> refused_;  // by rule and reason
  std::map<std::string, Looser> headroom_;
  int64_t modules_ = 0, failed_ = 0, improved_ = 0, proved_ = 0, unbounded_ = 0;
  int64_t changes_ = 0, order_open_ = 0, values_ = 0, elements_ = 0, not_checked_ = 0;
};

}  // namespace flipsat::tools
