#include "tools/batch/workers.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <new>
#include <optional>
#include <vector>

#include "tools/memory.h"
#include "tools/usage_error.h"

namespace flipsat::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kOutOfMemory = 86;  // exit status
constexpr int64_t kMebi = int64_t{1} << 20;
constexpr int64_t kLeastShare = 96 * kMebi;  // below it fewer processes do better
// A process that holds more of its share than this when a piece is done makes place for a new one.
constexpr double kTired = 0.5;

// False at the end of the stream, or where the other side is gone.
bool read_whole(int descriptor, char* data, size_t size) {
  while (size > 0) {
    const ssize_t count = ::read(descriptor, data, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    data += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

bool write_whole(int descriptor, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t count = ::send(descriptor, data, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    data += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

bool send_number(int descriptor, uint64_t number) {
  return write_whole(descriptor, reinterpret_cast<const char*>(&number), sizeof number);
}

std::optional<uint64_t> receive_number(int descriptor) {
  uint64_t number = 0;
  if (!read_whole(descriptor, reinterpret_cast<char*>(&number), sizeof number)) return std::nullopt;
  return number;
}

// Of each of some processes, as limit_memory counts; 0: no limit.
int64_t share_of(int64_t memory, size_t count) {
  if (memory == 0) return 0;
  return (memory - resident_bytes()) / static_cast<int64_t>(count) - kMappedBytes;
}

struct Process {
  pid_t id = 0;  // 0: none
  int channel = -1;
  std::optional<size_t> piece;  // under way
  Clock::time_point began;
};

class Workers {
 public:
  Workers(size_t pieces, const WorkerOptions& options,
          const std::function<std::string(size_t)>& work,
          const std::function<void(size_t, const WorkerAnswer&)>& done,
          const std::function<void(size_t, const std::string&)>& retried)
      : pieces_(pieces), memory_(options.memory), work_(work), done_(done), retried_(retried) {
    std::fflush(nullptr);  // else a child would write it once more
    processes_.resize(process_count(pieces, options));
  }
  ~Workers() {
    for (Process& process : processes_) {
      if (process.id != 0) kill(process.id, SIGKILL);
      end(process);
    }
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void run() {
    share_ = share_of(memory_, processes_.size());
    while (next_ < pieces_ || is_any_busy()) {
      for (Process& process : processes_) {
        if (!process.piece && next_ < pieces_) give(process, next_++);
      }
      take_answers();
    }
    for (Process& process : processes_) end(process);
    if (again_.empty()) return;
    processes_.resize(1);
    share_ = share_of(memory_, 1);
    is_last_try_ = true;
    for (size_t piece : again_) {
      give(processes_[0], piece);
      while (processes_[0].piece) take_answers();
      end(processes_[0]);
    }
  }

 private:
  bool is_any_busy() const {
    return std::ranges::any_of(processes_,
                               [](const Process& one) { return one.piece.has_value(); });
  }

  void give(Process& process, size_t piece) {
    if (process.id == 0) begin(process);
    process.piece = piece;
    process.began = Clock::now();
    // One that is gone is found when its answer is waited for.
    send_number(process.channel, piece);
  }

  void begin(Process& process) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) refuse();
    const pid_t parent = getpid();
    const pid_t id = fork();
    if (id < 0) refuse();
    if (id == 0) {
      for (const Process& other : processes_) {
        if (other.channel >= 0) close(other.channel);
      }
      close(ends[0]);
      std::signal(SIGINT, SIG_IGN);  // for the parent to answer, whose end is that of this one
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(0);
      serve(ends[1]);
    }
    close(ends[1]);
    process.id = id;
    process.channel = ends[0];
  }

  // The child, which never comes back.
  [[noreturn]] void serve(int channel) const {
    try {
      answer_all(channel);
    } catch (const std::bad_alloc&) {
      _exit(kOutOfMemory);
    }
    _exit(0);
  }

  void answer_all(int channel) const {
    if (share_ > 0) limit_memory(share_, [] { _exit(kOutOfMemory); });
    while (const std::optional<uint64_t> piece = receive_number(channel)) {
      const std::string answer = work_(*piece);
      const bool is_tired =
          share_ > 0 && static_cast<double>(private_bytes()) > kTired * static_cast<double>(share_);
      const bool is_sent = send_number(channel, answer.size() * 2 + (is_tired ? 1 : 0)) &&
                           write_whole(channel, answer.data(), answer.size());
      if (!is_sent || is_tired) break;
    }
  }

  void take_answers() {
    std::vector<pollfd> waiting;
    std::vector<Process*> who;
    for (Process& process : processes_) {
      if (!process.piece) continue;
      waiting.push_back({process.channel, POLLIN, 0});
      who.push_back(&process);
    }
    if (poll(waiting.data(), waiting.size(), -1) < 0) return;
    for (size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].revents != 0) take_answer(*who[i]);
    }
  }

  void take_answer(Process& process) {
    WorkerAnswer answer;
    answer.worker = static_cast<int>(&process - processes_.data());
    // Twice the size of the text, and one more where the process ends after it.
    const std::optional<uint64_t> head = receive_number(process.channel);
    if (head) answer.text.resize(*head / 2);
    const bool is_whole =
        head && read_whole(process.channel, answer.text.data(), answer.text.size());
    answer.milliseconds =
        std::chrono::duration<double, std::milli>(Clock::now() - process.began).count();
    const size_t piece = *process.piece;
    process.piece.reset();
    if (is_whole) {
      if (*head % 2 == 1) end(process);
      return done_(piece, answer);
    }
    const std::string why = cause(end(process));
    if (!is_last_try_) {
      retried_(piece, why);
      again_.push_back(piece);
      return;
    }
    answer.text.clear();
    answer.failure = why;
    done_(piece, answer);
  }

  // The status that the process ended with.
  int end(Process& process) {
    int status = 0;
    if (process.channel >= 0) close(process.channel);
    while (process.id != 0 && waitpid(process.id, &status, 0) < 0 && errno == EINTR) {
    }
    process = {};
    return status;
  }

  std::string cause(int status) const {
    if (WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemory) {
      return fmt::format("it needs more memory than --memory {} leaves it ({})",
                         readable_memory(memory_), readable_memory(share_));
    }
    if (WIFSIGNALED(status)) {
      const int number = WTERMSIG(status);
      return fmt::format("its process was ended by signal {} ({})", number, strsignal(number));
    }
    return fmt::format("its process ended with status {}", WEXITSTATUS(status));
  }

  [[noreturn]] static void refuse() {
    throw UsageError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  }

  const size_t pieces_;
  const int64_t memory_;
  const std::function<std::string(size_t)>& work_;
  const std::function<void(size_t, const WorkerAnswer&)>& done_;
  const std::function<void(size_t, const std::string&)>& retried_;
  std::vector<Process> processes_;
  int64_t share_ = 0;  // share_of each process
  size_t next_ = 0;
  std::deque<size_t> again_;
  bool is_last_try_ = false;
};

}  // namespace

size_t process_count(size_t pieces, const WorkerOptions& options) {
  const size_t wanted = std::min(pieces, static_cast<size_t>(options.count));
  if (options.memory == 0) return wanted;
  size_t count = 1;
  while (count < wanted && share_of(options.memory, count + 1) >= kLeastShare) ++count;
  return std::min(wanted, count);
}

int64_t least_memory() { return resident_bytes() + kMappedBytes + kLeastShare; }

void run_in_workers(size_t pieces, const WorkerOptions& options,
                    const std::function<std::string(size_t)>& work,
                    const std::function<void(size_t, const WorkerAnswer&)>& done,
                    const std::function<void(size_t, const std::string&)>& retried) {
  if (pieces == 0) return;
  Workers(pieces, options, work, done, retried).run();
}

}  // namespace flipsat::tools
