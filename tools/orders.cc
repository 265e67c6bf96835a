#include "tools/orders.h"

#include <fmt/format.h>

#include <utility>

#include "tools/units.h"

namespace flipsat::tools {

std::vector<const OrdersRecord*> Orders::studied() const {
  std::vector<const OrdersRecord*> found;
  for (const OrdersRecord& record : records) {
    if (record.study) found.push_back(&record);
  }
  return found;
}

Orders learn_from(std::vector<OrdersRecord> records, const laboratory::StudyOptions& options,
                  bool is_one) {
  Orders orders;
  orders.options = options;
  orders.records = std::move(records);
  orders.is_one = is_one;
  std::vector<const laboratory::Study*> studies;
  for (const OrdersRecord* record : orders.studied()) studies.push_back(&*record->study);
  orders.learning = laboratory::learn(studies, orders.objective());
  orders.swaps = laboratory::swaps(studies, orders.objective());
  return orders;
}

std::string to_string(laboratory::Mode mode) {
  switch (mode) {
    case laboratory::Mode::kLiteral:
      return "literal";
    case laboratory::Mode::kSound:
      return "sound";
    case laboratory::Mode::kExtended:
      return "extended";
  }
  return "";
}

std::string to_string(passes::Sweeps sweeps) {
  return sweeps == passes::Sweeps::kOnce ? "once" : "fix-point";
}

std::string order_digits(const passes::Order& order) {
  std::string digits;
  for (uint32_t pass : order) digits += fmt::format("{}{}", digits.empty() ? "" : " ", pass + 1);
  return digits;
}

std::string readable_cost(int64_t cost, extract::Objective objective) {
  switch (objective) {
    case extract::Objective::kTime:
      return readable_time(cost);
    case extract::Objective::kBytes:
      return readable_bytes(cost);
    case extract::Objective::kLaunches:
      return counted(cost, "launch", "launches");
  }
  return "";
}

std::string readable_share(double share) {
  const double percent = 100 * share;
  if (percent == 0) return "0 %";
  if (percent > 0 && percent < 0.01) return "<0.01 %";
  return fmt::format("{:.{}f} %", percent, percent < 10 ? 2 : percent < 100 ? 1 : 0);
}

}  // namespace flipsat::tools
