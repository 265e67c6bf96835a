// What a matcher says of an instruction: not its pattern, its pattern but refused, or to be
// expanded.
#pragma once

namespace flipsat::passes {

class Verdict {
 public:
  static constexpr Verdict none() { return {State::kNone, nullptr}; }
  static constexpr Verdict accept() { return {State::kAccepted, nullptr}; }
  // `reason` is a short lower-case literal that a user can read and count.
  static constexpr Verdict refuse(const char* reason) { return {State::kRefused, reason}; }

  constexpr bool is_none() const { return state_ == State::kNone; }
  constexpr bool is_accepted() const { return state_ == State::kAccepted; }
  constexpr bool is_refused() const { return state_ == State::kRefused; }
  constexpr const char* reason() const { return reason_; }  // null unless refused

 private:
  enum class State { kNone, kRefused, kAccepted };
  constexpr Verdict(State state, const char* reason) : state_(state), reason_(reason) {}

  State state_;
  const char* reason_;
};

}  // namespace flipsat::passes
