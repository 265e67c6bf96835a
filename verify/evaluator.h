// The SPMD interpreter: one element of one value on one device, on demand.
//
// An element is asked for by its place. Data movement (slices, transposes, gathers between devices,
// tuples, calls) only changes the place; what is left is an operation on other elements, which are
// asked for in turn and remembered. Places wait on an explicit stack: an operation whose operands
// are not there yet puts them on top and is tried again, so chains of any depth are safe.
//
// Loops and calls are frames: an instruction in a frame has its own elements. Frame 0 is the region
// that is looked at; iteration k of a loop is a frame whose parameter is the root of iteration k-1.
// In frame 0 some instructions are leaves, whose elements are given (domain.h).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "hlo/devices.h"
#include "hlo/module.h"
#include "verify/domain.h"
#include "verify/plan.h"

namespace flipsat::verify {

// One element. `part` is the position among a tuple's leaves (0 for arrays).
struct Place {
  hlo::InstructionId instruction = hlo::kNoId;
  uint32_t frame = 0;
  uint32_t part = 0;
  uint32_t device = 0;
  int64_t index = 0;
  bool operator==(const Place&) const = default;
};

// In place of a part: all that an opaque operation reads for one repetition of it, as one term.
inline constexpr uint32_t kDigest = 0xffffffff;

// Work is counted in elements looked at. Thrown also where too many would have to be remembered.
struct OutOfWork {};

class WorkMeter {
 public:
  explicit WorkMeter(int64_t limit) : limit_(limit) {}
  void spend(int64_t amount) {
    spent_ += amount;
    if (spent_ > limit_) throw OutOfWork{};
  }
  // Throws where so much could not be spent.
  void require(int64_t amount) const {
    if (spent_ + amount > limit_) throw OutOfWork{};
  }
  int64_t spent() const { return spent_; }
  void set_limit(int64_t limit) { limit_ = limit; }
  int64_t limit() const { return limit_; }

 private:
  int64_t spent_ = 0;
  int64_t limit_;
};

// Which instructions of the region are leaves.
class LeafSource {
 public:
  virtual ~LeafSource() = default;
  // Null where the instruction is to be computed.
  virtual const Leaf* leaf(hlo::InstructionId instruction, uint32_t part) = 0;
};

class Evaluator {
 public:
  Evaluator(const hlo::Module& module, const hlo::DeviceCounts& counts, Domain& domain,
            LeafSource& leaves, WorkMeter& work);

  // The element at a place in frame 0. `open`: the instruction itself is computed even if it is a
  // leaf. Throws Unmodelled (`unmodelled_at` then says where) or OutOfWork.
  Term value(const Place& place, bool open);

  // The instruction that the last Unmodelled came from.
  hlo::InstructionId unmodelled_at() const { return unmodelled_at_; }

  // An operation known only by name that was computed since the last `forget_opaque`: terms that
  // differ then prove nothing. kNoId: none.
  hlo::InstructionId opaque_met() const { return opaque_met_; }
  void forget_opaque() { opaque_met_ = hlo::kNoId; }

  // Where an element comes from, followed through data movement as far as it is known by now.
  Place origin(Place place, bool open);

  // The windows of dynamic updates met since the last `forget`: a sample must also look inside.
  struct Window {
    hlo::InstructionId instruction;
    hlo::Dims whole, from, size;
  };
  const std::vector<Window>& windows() const { return windows_; }

  // Sum-collectives that may stand for narrower ones; null: none.
  void set_wider_sites(const std::unordered_set<std::string>* sites, bool everywhere);

  // May rows of leaves be multiplied without a look at each element? Products of the same rows are
  // then the same, but those of the same elements in other rows are not.
  void take_rows(bool allowed) {
    may_take_rows_ = allowed;
    took_rows_ = false;
  }
  bool took_rows() const { return took_rows_; }  // since the last `take_rows`

  // Drops all elements (the decoding of instructions stays).
  void forget();
  size_t remembered() const { return known_.size(); }

 private:
  enum class Step : uint8_t { kMoved, kTerm, kOperation, kWaiting };
  enum class Role : uint8_t { kCall, kBranch, kCondition, kBody, kMap };
  struct Frame {
    uint32_t parent = 0;
    hlo::InstructionId site = hlo::kNoId;
    Role role = Role::kCall;
    int64_t number = 0;  // of the branch or iteration; kMap: the element's index
    hlo::ComputationId computation = hlo::kNoId;
  };
  struct PlaceHash {
    size_t operator()(const Place& place) const;
  };
  struct Trip {
    int64_t iterations = 0;
    bool done = false;
  };

  // evaluator.cc
  const Plan& plan(hlo::InstructionId id);
  Term computed(const Place& place, bool open);
  std::optional<Term> want(Place place, bool open = false);
  Step follow(Place& place, Term& term);
  std::optional<Term> compute(const Place& place);
  std::optional<Term> operand_scalar(const Place& place, size_t operand);
  Place at_operand(const Place& place, size_t operand, int64_t index) const;
  const hlo::Shape& shape_of(const Place& place) const;

  // movement.cc
  Step move(Place& place, Term& term);
  Step move_affine(Place& place);
  Step move_bitcast(Place& place);
  Step move_concatenate(Place& place);
  Step move_pad(Place& place);
  Step move_tuple(Place& place);
  Step move_tuple_element(Place& place);
  Step read_constant(Place& place, Term& term);
  Step read_iota(const Place& place, Term& term);

  // indexing.cc
  bool starts(const Place& place, size_t first, const hlo::Dims& room, std::vector<int64_t>& out);
  Step move_dynamic_slice(Place& place);
  Step move_dynamic_update_slice(Place& place);
  void note_window(hlo::InstructionId update, const std::vector<int64_t>& from);
  Step move_gather(Place& place);

  // collectives.cc
  Step move_all_gather(Place& place);
  Step move_all_to_all(Place& place);
  Step move_from_source(Place& place, Term& term);
  std::optional<Term> compute_sum_collective(const Place& place);

  // asynchronous.cc
  Step move_start(Place& place, Term& term);
  Step move_done(Place& place);

  // control_flow.cc
  uint32_t frame(uint32_t parent, hlo::InstructionId site, Role role, int64_t number,
                 hlo::ComputationId computation);
  Step move_parameter(Place& place);
  Step move_call(Place& place);
  Step move_map(Place& place);
  Step move_while(Place& place);
  Step move_conditional(Place& place);
  Place in_branch(const Place& place, int64_t branch);
  std::optional<Term> compute_conditional(const Place& place);

  // arithmetic.cc
  std::optional<Term> compute_elementwise(const Place& place);
  std::optional<Term> compute_bitcast(const Place& place);
  std::optional<Term> compute_dot(const Place& place);
  std::optional<LeafRow> row_of(Place place, int64_t step, int64_t count);
  std::optional<Term> compute_reduce(const Place& place);
  // The reduction of elements of the operands (the same indices in each) with the initial values.
  std::optional<Term> reduced(const Place& place, const std::vector<int64_t>& indices);
  std::vector<Term> apply(hlo::ComputationId computation, std::span<const Term> arguments);

  // windowed.cc
  std::optional<Term> compute_reduce_window(const Place& place);
  std::optional<Term> compute_convolution(const Place& place);
  std::optional<Term> compute_select_and_scatter(const Place& place);

  // scattered.cc
  const std::vector<int64_t>* scatter_starts(const Place& place);
  std::optional<Term> compute_scatter(const Place& place);

  // sorting.cc
  std::optional<Term> compute_sort(const Place& place);
  std::vector<int64_t> order_of(const hlo::Instruction& sort,
                                const std::vector<std::vector<Term>>& rows);

  // opaque.cc
  std::optional<Term> compute_opaque(const Place& place);
  std::optional<Term> compute_digest(const Place& place);
  std::optional<Term> compute_token(const Place& place);
  Term opaque(const Place& place, uint64_t tag, hlo::ElementType type, std::span<const Term> terms);

  const hlo::Module& module_;
  hlo::DeviceCounts counts_;
  Domain& domain_;
  LeafSource& leaves_;
  WorkMeter& work_;
  std::vector<std::unique_ptr<Plan>> plans_;
  std::vector<uint32_t> first_part_;  // of tuple elements, once they were asked for: else kUnknown
  static constexpr uint32_t kUnknown = ~uint32_t{0};
  std::vector<Frame> frames_;
  std::map<std::tuple<uint32_t, hlo::InstructionId, Role, int64_t>, uint32_t> frame_ids_;
  boost::unordered_flat_map<Place, Term, PlaceHash> known_;
  boost::unordered_flat_map<Place, Trip, PlaceHash> trips_;
  // Of sorts (by row) and scatters: an order, all starts.
  boost::unordered_flat_map<Place, std::vector<int64_t>, PlaceHash> tables_;
  std::vector<Place> stack_;
  std::vector<Window> windows_;
  const std::unordered_set<std::string>* wider_sites_ = nullptr;
  bool wider_everywhere_ = false;
  bool may_take_rows_ = true;
  bool took_rows_ = false;
  hlo::InstructionId unmodelled_at_ = hlo::kNoId;
  hlo::InstructionId opaque_met_ = hlo::kNoId;
  int nested_calls_ = 0;  // of `apply`
};

}  // namespace flipsat::verify
