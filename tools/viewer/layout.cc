#include "tools/viewer/layout.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace flipsat::tools {
namespace {

constexpr double kGapAcross = 34;
constexpr double kGapDown = 54;
constexpr double kMargin = 14;
constexpr int kSweeps = 6;

// What the input and the output have says where a value stands; of what rules made, the first form.
std::set<size_t> operands_that_place(const ViewClass& cls) {
  std::set<size_t> operands;
  bool any = false;
  for (const ViewForm& form : cls.forms) {
    if (form.written.empty() && !form.is_output) continue;
    operands.insert(form.operands.begin(), form.operands.end());
    any = true;
  }
  if (!any && !cls.forms.empty()) {
    operands.insert(cls.forms.front().operands.begin(), cls.forms.front().operands.end());
  }
  return operands;
}

class Layers {
 public:
  Layers(const ViewSite& site, std::vector<Box> boxes)
      : site_(site), boxes_(std::move(boxes)), above_(boxes_.size()), below_(boxes_.size()) {
    // Classes come with operands before users; what goes against that is part of a circle.
    for (size_t user = 0; user < boxes_.size(); ++user) {
      for (size_t operand : operands_that_place(site.classes[user])) {
        if (operand >= user) continue;
        above_[user].push_back(operand);
        below_[operand].push_back(user);
      }
    }
  }

  Layout run() {
    choose_layers();
    order_within_layers();
    return placed();
  }

 private:
  void choose_layers() {
    for (size_t i = 0; i < boxes_.size(); ++i) {
      for (size_t operand : above_[i]) {
        boxes_[i].layer = std::max(boxes_[i].layer, boxes_[operand].layer + 1);
      }
    }
    // What only gives stands right above its first reader.
    for (size_t i = boxes_.size(); i-- > 0;) {
      if (!above_[i].empty() || below_[i].empty()) continue;
      size_t nearest = boxes_[below_[i].front()].layer;
      for (size_t user : below_[i]) nearest = std::min(nearest, boxes_[user].layer);
      boxes_[i].layer = nearest - 1;
    }
    size_t last = 0;
    for (const Box& box : boxes_) last = std::max(last, box.layer);
    layers_.resize(boxes_.empty() ? 0 : last + 1);
    for (size_t i = 0; i < boxes_.size(); ++i) layers_[boxes_[i].layer].push_back(i);
  }

  double centre(size_t i) const { return boxes_[i].x + boxes_[i].width / 2; }

  double wanted(size_t i, const std::vector<std::vector<size_t>>& neighbours) const {
    if (neighbours[i].empty()) return centre(i);
    double sum = 0;
    for (size_t other : neighbours[i]) sum += centre(other);
    return sum / static_cast<double>(neighbours[i].size());
  }

  // In order, each as near to where it wants to be as the one before it allows; then the layer is
  // moved as a whole to where its boxes want to be on the average.
  void spread(std::vector<size_t>& layer, const std::vector<std::vector<size_t>>& neighbours) {
    std::vector<double> wants(boxes_.size(), 0);
    for (size_t i : layer) wants[i] = wanted(i, neighbours);
    std::ranges::stable_sort(layer, {}, [&](size_t i) { return wants[i]; });
    double free = -1e9;
    double off = 0;
    for (size_t i : layer) {
      boxes_[i].x = std::max(free, wants[i] - boxes_[i].width / 2);
      free = boxes_[i].x + boxes_[i].width + kGapAcross;
      off += centre(i) - wants[i];
    }
    const double shift = off / static_cast<double>(layer.size());
    for (size_t i : layer) boxes_[i].x -= shift;
  }

  void order_within_layers() {
    for (std::vector<size_t>& layer : layers_) {
      double x = 0;
      for (size_t i : layer) {
        boxes_[i].x = x;
        x += boxes_[i].width + kGapAcross;
      }
    }
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (std::vector<size_t>& layer : layers_) spread(layer, above_);
      for (size_t i = layers_.size(); i-- > 0;) spread(layers_[i], below_);
    }
  }

  Layout placed() {
    Layout layout;
    double left = 1e9;
    for (const Box& box : boxes_) left = std::min(left, box.x);
    double y = kMargin;
    for (const std::vector<size_t>& layer : layers_) {
      double height = 0;
      for (size_t i : layer) {
        boxes_[i].x += kMargin - left;
        boxes_[i].y = y;
        height = std::max(height, boxes_[i].height);
        layout.width = std::max(layout.width, boxes_[i].x + boxes_[i].width + kMargin);
      }
      y += height + kGapDown;
    }
    layout.height = y - kGapDown + kMargin;
    layout.boxes = std::move(boxes_);
    return layout;
  }

  const ViewSite& site_;
  std::vector<Box> boxes_;
  std::vector<std::vector<size_t>> above_, below_;
  std::vector<std::vector<size_t>> layers_;
};

}  // namespace

Layout lay_out(const ViewSite& site, std::vector<Box> sizes) {
  return Layers(site, std::move(sizes)).run();
}

}  // namespace flipsat::tools
