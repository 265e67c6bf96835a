#include "solvers/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

extern char** environ;

namespace flipsat::solvers {
namespace {

constexpr int kLookEveryMilliseconds = 20;

// The parent's end and the child's. A socket, unlike a pipe, can be written to without SIGPIPE.
class Channel {
 public:
  Channel() {
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
    parent_ = ends[0];
    child_ = ends[1];
    fcntl(parent_, F_SETFL, O_NONBLOCK);
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel() {
    close_parent();
    close_child();
  }
  int parent() const { return parent_; }
  int child() const { return child_; }
  bool is_open() const { return parent_ >= 0; }
  void close_parent() { close_one(parent_); }
  void close_child() { close_one(child_); }

 private:
  static void close_one(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
  int parent_ = -1;
  int child_ = -1;
};

void send_some(Channel& to, const std::string& text, size_t& sent) {
  const ssize_t count =
      send(to.parent(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count > 0) sent += static_cast<size_t>(count);
  const bool is_broken = count < 0 && errno != EAGAIN && errno != EINTR;
  if (is_broken || sent == text.size()) to.close_parent();
}

// All that is there now.
void receive(Channel& from, std::string& text, size_t most) {
  std::array<char, 1 << 16> buffer;
  while (from.is_open() && text.size() <= most) {
    const ssize_t count = recv(from.parent(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count > 0) {
      text.append(buffer.data(), static_cast<size_t>(count));
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else {
      if (count == 0 || errno != EAGAIN) from.close_parent();
      return;
    }
  }
}

pid_t start(const std::vector<std::string>& command, const std::array<int, 3>& streams) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (int i = 0; i < 3; ++i) posix_spawn_file_actions_adddup2(&files, streams[i], i);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  return error == 0 ? child : -1;
}

double cpu_seconds(pid_t process) {
  clockid_t clock;
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Has a process taken too much, or done nothing for too long?
class Watch {
 public:
  Watch(pid_t process, const ProcessLimits& limits) : process_(process), limits_(limits) {}

  bool is_over() {
    const double cpu = cpu_seconds(process_);
    if (cpu > cpu_) worked_at_ = Clock::now();
    cpu_ = std::max(cpu, cpu_);
    const std::chrono::duration<double> idle = Clock::now() - worked_at_;
    return cpu_ > limits_.cpu_seconds || idle.count() > limits_.idle_seconds;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const pid_t process_;
  const ProcessLimits& limits_;
  double cpu_ = 0;
  Clock::time_point worked_at_ = Clock::now();
};

}  // namespace

Finished run_process(const std::vector<std::string>& command, const std::string& input,
                     const ProcessLimits& limits) {
  Finished result;
  Channel in, out, errors;
  if (!in.is_open() || !out.is_open() || !errors.is_open()) return result;
  const pid_t child = start(command, {in.child(), out.child(), errors.child()});
  if (child < 0) return result;
  for (Channel* channel : {&in, &out, &errors}) channel->close_child();
  Watch watch(child, limits);
  size_t sent = 0;
  bool is_killed = false;
  int status = 0;
  while (true) {
    std::array<pollfd, 3> events = {pollfd{in.parent(), POLLOUT, 0},  // closed: -1, not looked at
                                    pollfd{out.parent(), POLLIN, 0},
                                    pollfd{errors.parent(), POLLIN, 0}};
    poll(events.data(), events.size(), kLookEveryMilliseconds);
    if (in.is_open()) send_some(in, input, sent);
    const pid_t ended = waitpid(child, &status, is_killed ? 0 : WNOHANG);
    receive(out, result.output, limits.most_output);
    receive(errors, result.errors, limits.most_output);
    // Where the caller's SIGCHLD is ignored there is no status to wait for.
    if (ended == child || (ended < 0 && errno == ECHILD)) break;
    const bool is_too_much =
        result.output.size() > limits.most_output || result.errors.size() > limits.most_output;
    if (is_killed || (!is_too_much && !watch.is_over())) continue;
    result.end = is_too_much ? Finished::kWroteTooMuch : Finished::kTimedOut;
    kill(child, SIGKILL);
    is_killed = true;
  }
  if (is_killed) return result;
  result.end = WIFEXITED(status) ? Finished::kExited : Finished::kDied;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
  return result;
}

}  // namespace flipsat::solvers
