#include <numeric>

#include "tests/random_programs/operations.h"

namespace flipsat::random_programs {
namespace {

// Some function of `x` that has the type and dims of `wanted`.
Value shaped_like(Body& body, const Value& x, const Value& wanted) {
  Value y = convert(body, x, wanted.type);
  if (y.dims == wanted.dims) return y;
  bool can_slice = y.rank() == wanted.rank();
  std::string bounds;
  for (int dim = 0; can_slice && dim < y.rank(); ++dim) {
    can_slice = y.dims[dim] >= wanted.dims[dim];
    bounds += (dim ? ", [0:" : "[0:") + std::to_string(wanted.dims[dim]) + "]";
  }
  if (can_slice) return body.add(y.type, wanted.dims, "slice", {y}, ", slice={" + bounds + "}");
  if (y.rank() > 0) {
    std::vector<int64_t> all(y.dims.size());
    std::iota(all.begin(), all.end(), 0);
    const std::string opcode = y.type == ElementType::kPred ? "or" : "maximum";
    y = body.add(
        y.type, {}, "reduce", {y, body.scalar(y.type, 0)},
        ", dimensions=" + braces(all) + ", to_apply=" + body.program.reducer(opcode, y.type));
  }
  return wanted.rank() == 0 ? y
                            : body.add(y.type, wanted.dims, "broadcast", {y}, ", dimensions={}");
}

std::string tuple_shape(Program& program, const std::vector<Value>& values) {
  std::string text = "(";
  for (size_t i = 0; i < values.size(); ++i) {
    text += (i ? ", " : "") + program.shape(values[i].type, values[i].dims);
  }
  return text + ")";
}

std::vector<std::string> names_of(const std::vector<Value>& values) {
  std::vector<std::string> names;
  for (const Value& value : values) names.push_back(value.name);
  return names;
}

Value element(Body& body, const std::string& tuple, const Value& like, size_t index, bool uniform) {
  Value value = body.add(like.type, like.dims, "get-tuple-element",
                         {{tuple, like.type, {}, uniform}}, ", index=" + std::to_string(index));
  return value;
}

const Function& new_function(Body& body, const Value& x, int depth) {
  Program& program = body.program;
  Function function;
  function.parameters = {x, body.any()};
  Body callee(program, "f", false);
  for (Value& parameter : function.parameters) {
    // Whoever calls it later may give it something else.
    parameter.uniform = parameter.uniform && body.random.chance(50);
    callee.parameter(parameter.type, parameter.dims, false);
    callee.values.back().uniform = parameter.uniform;
  }
  grow(callee, static_cast<int>(body.random.between(2, 5)), depth + 1);
  function.results = {callee.values.back()};
  if (body.random.chance(50)) function.results.push_back(callee.any());
  function.is_tuple = function.results.size() > 1 || body.random.chance(40);
  const Value& first = function.results[0];
  program.write(function.is_tuple
                    ? callee.finish(tuple_shape(program, function.results), "tuple",
                                    names_of(function.results))
                    : callee.finish(program.shape(first.type, first.dims), "copy", {first.name}));
  function.name = callee.name();
  program.functions.push_back(function);
  return program.functions.back();
}

Value call(Body& body, const Value& x, int depth) {
  Program& program = body.program;
  const bool again = !program.functions.empty() && body.random.chance(40);
  const Function function =
      again ? body.random.pick(program.functions) : new_function(body, x, depth);
  std::vector<Value> arguments;
  for (const Value& parameter : function.parameters) {
    arguments.push_back(parameter.uniform ? body.constant(parameter.type, parameter.dims, {1, 2, 3})
                                          : body.like(parameter));
  }
  const Value& result = function.results[0];
  const std::string attributes = ", to_apply=" + function.name;
  if (!function.is_tuple) {
    body.add(result.type, result.dims, "call", arguments, attributes);
    body.values.back().uniform = false;
    return body.values.back();
  }
  const std::string name =
      body.add_raw(tuple_shape(program, function.results), "call", names_of(arguments), attributes);
  return element(body, name, result, 0, false);
}

Value loop(Body& body, const Value& x, int depth) {
  Random& random = body.random;
  Program& program = body.program;
  const Value counter{"", ElementType::kS32, {}, true};
  std::vector<Value> carried{counter, x, body.any()};
  const std::string shape = tuple_shape(program, carried);
  const int64_t from = random.between(0, 1), step = random.between(1, 2);
  const int64_t trips = random.between(1, 3);

  Body iteration(program, "body", false);
  const std::string state = iteration.parameter_raw(shape);
  Value i = element(iteration, state, counter, 0, true);
  Value first = element(iteration, state, carried[1], 1, false);
  Value second = element(iteration, state, carried[2], 2, false);
  iteration.values.push_back(i);
  iteration.values.push_back(first);
  grow(iteration, static_cast<int>(random.between(2, 6)), depth + 1);
  Value changed = shaped_like(iteration, iteration.values.back(), first);
  if (random.chance(60) && changed.name != first.name) {
    changed = random_binary(iteration, changed, first);
  }
  Value next =
      iteration.add(ElementType::kS32, {}, "add", {i, iteration.scalar(ElementType::kS32, step)});
  Value kept = random.chance(60) ? second : shaped_like(iteration, iteration.any(), second);
  program.write(iteration.finish(shape, "tuple", {next.name, changed.name, kept.name}));

  Body condition(program, "condition", false);
  Value j = element(condition, condition.parameter_raw(shape), counter, 0, true);
  Value limit = condition.scalar(ElementType::kS32, from + trips * step);
  program.write(condition.finish("pred[]", "compare", {j.name, limit.name}, ", direction=LT"));

  carried[0] = body.scalar(ElementType::kS32, from);
  const std::string initial = body.add_raw(shape, "tuple", names_of(carried));
  std::string attributes = ", condition=" + condition.name() + ", body=" + iteration.name();
  if (random.chance(30)) {
    attributes +=
        ", backend_config={\"known_trip_count\":{\"n\":\"" + std::to_string(trips) + "\"}}";
  }
  const std::string name = body.add_raw(shape, "while", {initial}, attributes);
  if (random.chance(40)) element(body, name, carried[2], 2, false);
  return element(body, name, carried[1], 1, false);
}

Value conditional(Body& body, const Value& x, int depth) {
  Program& program = body.program;
  std::vector<std::string> branches;
  for (int branch = 0; branch < 2; ++branch) {
    Body callee(program, "branch", false);
    callee.parameter(x.type, x.dims, false);
    grow(callee, static_cast<int>(body.random.between(1, 3)), depth + 1);
    Value result = shaped_like(callee, callee.values.back(), x);
    program.write(callee.finish(program.shape(x.type, x.dims), "copy", {result.name}));
    branches.push_back(callee.name());
  }
  // All devices take the same branch.
  if (body.random.chance(50)) {
    Value index = body.is_entry ? body.parameter(ElementType::kS32, {}, true)
                                : body.scalar(ElementType::kS32, body.random.between(0, 2));
    return body.add(x.type, x.dims, "conditional", {index, x, x},
                    ", branch_computations={" + branches[0] + ", " + branches[1] + "}");
  }
  Value pred = body.is_entry ? body.parameter(ElementType::kPred, {}, true)
                             : body.scalar(ElementType::kPred, body.random.below(2));
  return body.add(x.type, x.dims, "conditional", {pred, x, x},
                  ", true_computation=" + branches[0] + ", false_computation=" + branches[1]);
}

Value barrier(Body& body, const Value& x) {
  const std::vector<Value> both{x, body.any()};
  const std::string shape = tuple_shape(body.program, both);
  const std::string tuple = body.add_raw(shape, "tuple", names_of(both));
  const std::string kept = body.add_raw(shape, "opt-barrier", {tuple});
  return element(body, kept, x, 0, x.uniform);
}

Value after_token(Body& body, const Value& x) {
  const std::string token = body.add_raw("token[]", "after-all", {});
  Value value = body.add(x.type, x.dims, "add-dependency", {x, {token, x.type, {}, true}});
  return value;
}

}  // namespace

Value through_tuple(Body& body, const Value& x) {
  const std::vector<Value> both{body.any(), x};
  const std::string tuple = body.add_raw(tuple_shape(body.program, both), "tuple", names_of(both));
  return element(body, tuple, x, 1, x.uniform);
}

Value random_control(Body& body, const Value& x, int depth) {
  switch (body.random.below(depth < 2 ? 9 : 4)) {
    case 0:
    case 1:
      return through_tuple(body, x);
    case 2:
      return barrier(body, x);
    case 3:
      return body.program.options.exotic ? after_token(body, x) : barrier(body, x);
    case 4:
    case 5:
      return call(body, x, depth);
    case 6:
    case 7:
      return loop(body, x, depth);
    default:
      return conditional(body, x, depth);
  }
}

}  // namespace flipsat::random_programs
