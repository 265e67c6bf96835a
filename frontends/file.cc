#include "frontends/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "frontends/compression.h"
#include "frontends/proto/proto.h"
#include "frontends/text/text.h"
#include "hlo/input_error.h"

namespace flipsat::frontends {
namespace {

constexpr int kMostLayers = 4;  // of compression

class Descriptor {
 public:
  explicit Descriptor(int number, bool owned = true) : number_(number), owned_(owned) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  bool close() {
    if (!owned_ || number_ < 0) return true;
    int number = number_;
    number_ = -1;
    return ::close(number) == 0;
  }

 private:
  int number_;
  bool owned_;
};

std::string system_message() { return std::strerror(errno); }

[[noreturn]] void refuse_write(const std::string& path) {
  throw std::runtime_error(path + ": cannot write: " + system_message());
}

std::string read_all(const Descriptor& file, size_t max_bytes, const std::string& path) {
  constexpr size_t kChunk = size_t{1} << 18;
  std::string bytes;
  struct stat status {};
  if (::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode)) {
    bytes.reserve(std::min(static_cast<size_t>(status.st_size) + 1, max_bytes));
  }
  while (true) {
    size_t size = bytes.size();
    bytes.resize(size + kChunk);
    ssize_t count = ::read(file.number(), bytes.data() + size, kChunk);
    bytes.resize(size + static_cast<size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) return bytes;
    if (count < 0 && errno != EINTR) {
      throw hlo::InputError({path, 1, 1}, "cannot read: " + system_message());
    }
    if (bytes.size() > max_bytes) {
      throw hlo::InputError({path, 1, 1},
                            "expected at most " + std::to_string(max_bytes) + " bytes");
    }
  }
}

void write_all(const Descriptor& file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    ssize_t count = ::write(file.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse_write(path);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

// Removes the file unless it was kept.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& beside) {
    constexpr int kAttempts = 1000;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      path_ = beside + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
      number_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (number_ >= 0) return;
      if (errno != EEXIST) break;
    }
    refuse_write(beside);
  }
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int number() const { return number_; }
  void rename_to(const std::string& path) {
    if (::rename(path_.c_str(), path.c_str()) != 0) refuse_write(path);
    path_.clear();
  }

 private:
  std::string path_;
  int number_ = -1;
};

// Files that are often given in place of a module, in plain words.
void refuse_what_is_no_module(std::string_view bytes, const std::string& shown) {
  const auto refuse = [&](const std::string& found) {
    throw hlo::InputError({shown, 1, 1}, "expected an HLO module, found " + found);
  };
  if (bytes.empty()) refuse("an empty file");
  if (bytes.find_first_not_of('\0') == bytes.npos) refuse("nothing but NUL bytes");
  if (bytes.find_first_not_of(" \t\r\n") == bytes.npos) refuse("nothing but blanks");
  const std::string_view foreign = foreign_compression_of_content(bytes);
  if (!foreign.empty()) refuse(std::string(foreign) + "; gzip and zstd are unpacked");
  const std::string_view text = bytes.substr(bytes.find_first_not_of(" \t\r\n"));
  if (text.starts_with("module @") || text.starts_with("module {") ||
      text.starts_with("module attributes") || text.starts_with("#loc")) {
    refuse(
        "MLIR; JAX gives HLO by lower(...).compiler_ir('hlo'), and after partitioning by a dump");
  }
  if (text.starts_with("ML\xefR")) refuse("MLIR bytecode");
}

}  // namespace

std::string read_raw(const std::string& path, size_t max_bytes) {
  bool is_stream = path == "-";
  std::string shown = is_stream ? "<stdin>" : path;
  Descriptor file(is_stream ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC),
                  !is_stream);
  if (!file.is_open()) throw hlo::InputError({shown, 1, 1}, "cannot open: " + system_message());
  return read_all(file, max_bytes, shown);
}

FileContent read_content(const std::string& path, size_t max_bytes) {
  return unpack(read_raw(path, max_bytes), path == "-" ? "<stdin>" : path, max_bytes);
}

FileContent unpack(std::string bytes, const std::string& shown, size_t max_bytes) {
  FileContent content{std::move(bytes), Compression::kNone};
  content.compression = compression_of_content(content.bytes);
  Compression layer = content.compression;
  for (int depth = 0; layer != Compression::kNone; ++depth) {
    if (depth == kMostLayers) throw hlo::InputError({shown, 1, 1}, "compressed too many times");
    content.bytes = decompress(content.bytes, layer, max_bytes, shown);
    layer = compression_of_content(content.bytes);
  }
  return content;
}

std::string read_bytes(const std::string& path, size_t max_bytes) {
  return read_content(path, max_bytes).bytes;
}

hlo::Module read_module(const std::string& path) {
  return module_from(read_bytes(path), path == "-" ? "<stdin>" : path);
}

hlo::Module module_from(std::string bytes, const std::string& shown) {
  refuse_what_is_no_module(bytes, shown);
  if (looks_like_proto(bytes)) return read_proto(std::move(bytes), shown);
  return read_text(std::move(bytes), shown);
}

void write_bytes(const std::string& path, const std::string& bytes,
                 std::optional<Compression> wanted) {
  if (path == "-") {
    write_all(Descriptor(STDOUT_FILENO, false), bytes, "<stdout>");
    return;
  }
  Compression compression = wanted.value_or(compression_of_name(path));
  std::string packed;
  if (compression != Compression::kNone) packed = compress(bytes, compression);
  std::string_view content = compression == Compression::kNone ? bytes : packed;

  struct stat status {};
  bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    refuse_write(path);
  }
  if (exists && !S_ISREG(status.st_mode)) {  // a device or a pipe
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.is_open()) refuse_write(path);
    write_all(file, content, path);
    return;
  }
  // Through a symbolic link to what it names; the link stays.
  std::error_code ignored;
  std::string target = exists ? std::filesystem::canonical(path, ignored).string() : path;
  if (target.empty()) target = path;
  TemporaryFile temporary(target);
  Descriptor file(temporary.number());
  write_all(file, content, path);
  if (exists && ::fchmod(file.number(), status.st_mode & 07777) != 0) refuse_write(path);
  if (!file.close()) refuse_write(path);
  temporary.rename_to(target);
}

void write_module(const std::string& path, const hlo::Module& module) {
  write_bytes(path, module_bytes(module, kind_of_name(path).value_or(kind_of(module))));
}

std::optional<FileKind> kind_of_name(const std::string& path) {
  std::string_view name = path;
  for (std::string_view ending : {".gz", ".zst"}) {
    if (!has_ending(name, ending)) continue;
    name.remove_suffix(ending.size());
    break;
  }
  if (has_ending(name, ".pb")) return FileKind::kProto;
  if (has_ending(name, ".hlo") || has_ending(name, ".txt")) return FileKind::kText;
  return std::nullopt;
}

FileKind kind_of(const hlo::Module& module) {
  return was_read_from_proto(module) ? FileKind::kProto : FileKind::kText;
}

std::string module_bytes(const hlo::Module& module, FileKind kind) {
  return kind == FileKind::kProto ? write_proto(module) : write_text(module);
}

}  // namespace flipsat::frontends
