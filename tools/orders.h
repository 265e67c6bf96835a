// What `flipsat orders` has found, as JSON, CSV and text. orders_page.h makes a page of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "laboratory/learning.h"
#include "laboratory/study.h"
#include "laboratory/swaps.h"
#include "tools/json_text.h"

namespace flipsat::tools {

struct OrdersRecord {
  std::string path;
  std::string relative;  // below its folder
  std::optional<laboratory::Study> study;
  std::string error;  // where there is no study
};

struct Orders {
  laboratory::StudyOptions options;
  std::vector<OrdersRecord> records;
  bool is_one = false;  // one module named on its own
  // Over all studies.
  laboratory::Learning learning;
  std::vector<laboratory::Swap> swaps;

  extract::Objective objective() const { return options.optimizer.cost.objective; }
  std::vector<const OrdersRecord*> studied() const;
};

Orders learn_from(std::vector<OrdersRecord> records, const laboratory::StudyOptions& options,
                  bool is_one);

std::string to_string(laboratory::Mode mode);
std::string to_string(passes::Sweeps sweeps);

// "1 2 3 4 5 6": an order by the places of its passes in the list, from 1.
std::string order_digits(const passes::Order& order);
// In the objective's unit, for people.
std::string readable_cost(int64_t cost, extract::Objective objective);
// A share in percent: "0 %", "0.4 %", "12 %".
std::string readable_share(double share);

// docs/orders.md has the fields. One module alone is an object of its own, several are `records`.
Json orders_report(const Orders& orders);
// Name of a file, and its table: programs, orders, swaps.
std::map<std::string, std::string> orders_tables(const Orders& orders);
std::string orders_text(const Orders& orders, bool verbose);

}  // namespace flipsat::tools
