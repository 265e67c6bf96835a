// Files: compression by content and by name, whole or not at all.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "frontends/compression.h"
#include "frontends/file.h"
#include "tests/catch.h"
#include "tests/frontends/reading.h"

namespace flipsat::frontends {
namespace {

// A folder of its own, gone at the end.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "flipsat-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  size_t count() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string raw(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::string kModule = "HloModule m\n\nENTRY e {\n  ROOT a = f32[] parameter(0)\n}\n";

}  // namespace

TEST_CASE("what is written is read back, compressed as the name says") {
  Folder folder;
  for (const char* name : {"a.hlo", "a.hlo.gz", "a.hlo.zst"}) {
    INFO(name);
    write_module(folder / name, read(kModule));
    CHECK(read_bytes(folder / name) == kModule);
    CHECK(read_module(folder / name).file == folder / name);
  }
  CHECK(raw(folder / "a.hlo") == kModule);
  CHECK(raw(folder / "a.hlo.gz").starts_with("\x1f\x8b"));
  CHECK(raw(folder / "a.hlo.zst").starts_with("\x28\xb5\x2f\xfd"));
  CHECK(folder.count() == 3);
}

TEST_CASE("compression is told by content, not by name") {
  Folder folder;
  put(folder / "a.txt", compress(kModule, Compression::kGzip));
  CHECK(read_bytes(folder / "a.txt") == kModule);
  put(folder / "b.gz", kModule);
  CHECK(read_bytes(folder / "b.gz") == kModule);
}

TEST_CASE("endings of names are read in capitals too") {
  CHECK(compression_of_name("A.HLO.GZ") == Compression::kGzip);
  CHECK(compression_of_name("a.Zst") == Compression::kZstd);
  CHECK(compression_of_name("gz") == Compression::kNone);
  CHECK(kind_of_name("A.PB") == FileKind::kProto);
  CHECK(kind_of_name("a.Hlo.GZ") == FileKind::kText);
  CHECK_FALSE(kind_of_name("a.neff").has_value());
}

TEST_CASE("compression that others do is told by name and by content") {
  CHECK(foreign_compression_of_name("a.pb.bz2") == "bzip2");
  CHECK(foreign_compression_of_name("a.XZ") == "xz");
  CHECK(foreign_compression_of_name("a.pb.gz").empty());
  CHECK(foreign_compression_of_name("bz2").empty());
  CHECK(foreign_compression_of_content("BZh91AY&SY") == "bzip2");
  CHECK(foreign_compression_of_content(kModule).empty());
}

TEST_CASE("a stream inside a stream is unpacked, a hundred are not") {
  Folder folder;
  put(folder / "a", compress(compress(kModule, Compression::kZstd), Compression::kGzip));
  CHECK(read_bytes(folder / "a") == kModule);
  CHECK(read_content(folder / "a").compression == Compression::kGzip);
  std::string bytes = kModule;
  for (int i = 0; i < 100; ++i) bytes = compress(bytes, Compression::kGzip);
  put(folder / "b", bytes);
  CHECK_THROWS_AS(read_bytes(folder / "b"), hlo::InputError);
}

TEST_CASE("what is asked for decides the compression, not the name") {
  Folder folder;
  write_bytes(folder / "a.pb", kModule, Compression::kGzip);
  CHECK(raw(folder / "a.pb").starts_with("\x1f\x8b"));
  write_bytes(folder / "a.gz", kModule, Compression::kNone);
  CHECK(raw(folder / "a.gz") == kModule);
}

TEST_CASE("faults of a file have a place") {
  Folder folder;
  const auto place_of = [&](const std::string& name) {
    try {
      read_module(folder / name);
    } catch (const hlo::InputError& error) {
      return error.place();
    }
    return hlo::Place{};
  };
  const std::string packed = compress(kModule, Compression::kGzip);
  put(folder / "cut.gz", packed.substr(0, packed.size() / 2));
  put(folder / "empty", "");
  put(folder / "nul", std::string(100, '\0'));
  CHECK(place_of("cut.gz").line == 1);
  CHECK(place_of("cut.gz").column == static_cast<int>(packed.size() / 2) + 1);
  for (const char* name : {"none", "empty", "nul"}) {
    CAPTURE(name);
    CHECK(place_of(name).line == 1);
    CHECK(place_of(name).column == 1);
  }
}

TEST_CASE("members and frames that follow each other are joined") {
  for (Compression kind : {Compression::kGzip, Compression::kZstd}) {
    std::string bytes = compress("one ", kind) + compress("two", kind);
    CHECK(decompress(bytes, kind, 100, "f") == "one two");
    CHECK(decompress(compress("", kind), kind, 100, "f").empty());
  }
  CHECK(decompress(compress("x", Compression::kGzip) + std::string(20, '\0'), Compression::kGzip,
                   100, "f") == "x");
}

TEST_CASE("streams that are cut off or damaged are the input's fault") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i * 7919);
  for (Compression kind : {Compression::kGzip, Compression::kZstd}) {
    std::string bytes = compress(text, kind);
    for (size_t size : {size_t{4}, size_t{12}, bytes.size() / 2, bytes.size() - 1}) {
      INFO(size);
      CHECK_THROWS_AS(decompress(bytes.substr(0, size), kind, SIZE_MAX, "f"), hlo::InputError);
    }
    std::string damaged = bytes;
    for (size_t at = bytes.size() / 3; at < bytes.size() / 2; ++at) damaged[at] ^= 0x55;
    CHECK_THROWS_AS(decompress(damaged, kind, SIZE_MAX, "f"), hlo::InputError);
    CHECK_THROWS_AS(decompress(bytes + bytes.substr(0, 9), kind, SIZE_MAX, "f"), hlo::InputError);
    CHECK_THROWS_AS(decompress(bytes, kind, text.size() - 1, "f"), hlo::InputError);
    CHECK(decompress(bytes, kind, text.size(), "f") == text);
  }
}

TEST_CASE("files that cannot be read are the input's fault") {
  Folder folder;
  CHECK_THROWS_AS(read_bytes(folder / "none"), hlo::InputError);
  CHECK_THROWS_AS(read_bytes(folder / ""), hlo::InputError);
  put(folder / "a", kModule);
  CHECK_THROWS_AS(read_bytes(folder / "a", kModule.size() - 1), hlo::InputError);
  put(folder / "bad.hlo", "HloModule m\n e { a = f32[ }");
  try {
    read_module(folder / "bad.hlo");
    FAIL("no error");
  } catch (const hlo::InputError& error) {
    CHECK(error.what() == (folder / "bad.hlo") + ":2:15: error: expected a dim");
  }
}

TEST_CASE("a file that is replaced keeps its permissions and its links") {
  Folder folder;
  put(folder / "a", "old");
  ::chmod((folder / "a").c_str(), 0640);
  std::filesystem::create_symlink(folder / "a", folder / "link");
  write_bytes(folder / "link", "new");
  CHECK(raw(folder / "a") == "new");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  struct stat status {};
  ::stat((folder / "a").c_str(), &status);
  CHECK((status.st_mode & 0777) == 0640);
  CHECK(folder.count() == 2);
}

TEST_CASE("what cannot be written leaves nothing behind") {
  Folder folder;
  CHECK_THROWS_AS(write_bytes(folder / "none/a", "x"), std::runtime_error);
  CHECK_THROWS_AS(write_bytes(folder / "", "x"), std::runtime_error);
  CHECK(folder.count() == 0);
  write_bytes("/dev/null", "x");
}

}  // namespace flipsat::frontends
