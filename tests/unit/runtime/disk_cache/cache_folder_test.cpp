// The folder of compiled code: what is found again, what is refused, and that no more is kept than
// was asked for.
#include "runtime/disk_cache/cache_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "gcnjit/code_cache.h"
#include "runtime/disk_cache/build_id.h"

namespace gcnjit::runtime {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

Bytes BytesOf(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

class CacheFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "gcnjit-cache-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    parent_ = name;
    path_ = name + "/cache";
    ASSERT_TRUE(CacheFolder::Check(path_)) << CacheFolder::Check(path_).error().message;
  }
  void TearDown() override { fs::remove_all(parent_); }

  CacheFolder Folder(uint64_t max_bytes = 1 << 20) const { return {path_, max_bytes}; }
  std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(path_)) files.push_back(entry.path());
    return files;
  }
  uint64_t BytesInFolder() const {
    uint64_t bytes = 0;
    for (const fs::path& file : Files()) bytes += (fs::file_size(file) + 4095) / 4096 * 4096;
    return bytes;
  }
  static std::string Contents(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static void Overwrite(const fs::path& file, const std::string& contents) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << contents;
  }
  static void SetAge(const fs::path& file, time_t seconds) {
    const timespec then = {::time(nullptr) - seconds, 0};
    const timespec times[2] = {then, then};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  }

  std::string parent_;
  std::string path_;
};

TEST_F(CacheFolderTest, FindsWhatWasWrittenUnderItsKey) {
  CacheFolder folder = Folder();
  EXPECT_FALSE(folder.Has(BytesOf("key")));
  EXPECT_FALSE(folder.Read(BytesOf("key")).has_value());
  folder.Write(BytesOf("key"), BytesOf("contents"));
  EXPECT_TRUE(folder.Has(BytesOf("key")));
  EXPECT_EQ(folder.Read(BytesOf("key")), BytesOf("contents"));
  EXPECT_EQ(Folder().Read(BytesOf("key")), BytesOf("contents"));
  EXPECT_FALSE(folder.Read(BytesOf("kex")).has_value());
  folder.Write(BytesOf("key"), BytesOf("others"));
  EXPECT_EQ(folder.Read(BytesOf("key")), BytesOf("others"));
  EXPECT_EQ(Files().size(), 1u);
}

TEST_F(CacheFolderTest, IsTheUsersAlone) {
  Folder().Write(BytesOf("key"), BytesOf("contents"));
  struct stat status = {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat(Files()[0].c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(CacheFolderTest, RefusesDamagedFiles) {
  CacheFolder folder = Folder();
  folder.Write(BytesOf("key"), BytesOf("the contents of the entry"));
  const fs::path file = Files()[0];
  const std::string whole = Contents(file);
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char bit : {char{1}, char(-128)}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ bit);
      Overwrite(file, damaged);
      ASSERT_FALSE(folder.Read(BytesOf("key")).has_value()) << "byte " << at;
    }
  }
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    Overwrite(file, whole.substr(0, bytes));
    ASSERT_FALSE(folder.Read(BytesOf("key")).has_value()) << bytes << " bytes";
  }
  Overwrite(file, whole + "x");
  EXPECT_FALSE(folder.Read(BytesOf("key")).has_value());
  // An entry that has been renamed to another one's name.
  folder.Write(BytesOf("other"), BytesOf("contents"));
  for (const fs::path& other : Files()) {
    if (other != file) fs::rename(other, file);
  }
  EXPECT_FALSE(folder.Read(BytesOf("key")).has_value());
  // It can be written again.
  folder.Write(BytesOf("key"), BytesOf("contents"));
  EXPECT_EQ(folder.Read(BytesOf("key")), BytesOf("contents"));
}

TEST_F(CacheFolderTest, RefusesFilesThatOthersMayWrite) {
  CacheFolder folder = Folder();
  folder.Write(BytesOf("key"), BytesOf("contents"));
  const fs::path file = Files()[0];
  for (const mode_t mode : {0620u, 0602u, 0666u}) {
    ASSERT_EQ(::chmod(file.c_str(), mode), 0);
    EXPECT_FALSE(folder.Read(BytesOf("key")).has_value());
  }
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  EXPECT_TRUE(folder.Read(BytesOf("key")).has_value());
  if (::geteuid() == 0) {  // no other user can give files away
    ASSERT_EQ(::chown(file.c_str(), 1, 1), 0);
    EXPECT_FALSE(folder.Read(BytesOf("key")).has_value());
  }
}

TEST_F(CacheFolderTest, RefusesFilesThatAreNone) {
  CacheFolder folder = Folder();
  folder.Write(BytesOf("key"), BytesOf("contents"));
  const fs::path file = Files()[0];
  fs::rename(file, parent_ + "/elsewhere");
  fs::create_symlink(parent_ + "/elsewhere", file);
  EXPECT_FALSE(folder.Read(BytesOf("key")).has_value());
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_FALSE(folder.Read(BytesOf("key")).has_value());
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_FALSE(folder.Read(BytesOf("key")).has_value());
}

TEST_F(CacheFolderTest, RefusesFoldersThatAreNotTheUsers) {
  CacheFolder folder = Folder();
  folder.Write(BytesOf("key"), BytesOf("contents"));
  const auto expect_refused = [&](const std::string& why) {
    const auto checked = CacheFolder::Check(path_);
    ASSERT_FALSE(checked);
    EXPECT_NE(checked.error().message.find(why), std::string::npos) << checked.error().message;
    EXPECT_FALSE(folder.Read(BytesOf("key")).has_value());
    folder.Write(BytesOf("new"), BytesOf("contents"));
    EXPECT_FALSE(folder.Has(BytesOf("new")));
  };
  for (const mode_t mode : {0770u, 0702u, 01777u}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    expect_refused("others may write to it");
  }
  ASSERT_EQ(::chmod(path_.c_str(), 0755), 0);  // others may look at it
  EXPECT_TRUE(CacheFolder::Check(path_));
  EXPECT_TRUE(folder.Read(BytesOf("key")).has_value());
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(path_.c_str(), 1, 1), 0);
    expect_refused("belongs to another user");
    ASSERT_EQ(::chown(path_.c_str(), 0, 0), 0);
  }
  fs::rename(path_, parent_ + "/elsewhere");
  fs::create_directory_symlink(parent_ + "/elsewhere", path_);
  expect_refused("symbolic link");
  fs::remove(path_);
  Overwrite(path_, "a file");
  expect_refused("not a folder");
  EXPECT_FALSE(CacheFolder::Check("/proc/gcnjit/cache"));
}

TEST_F(CacheFolderTest, KeepsWhatWasUsedLast) {
  const Bytes contents(1000);
  CacheFolder folder = Folder(40'000);
  std::set<fs::path> known;
  for (int n = 0; n < 8; ++n) {
    folder.Write(BytesOf("entry " + std::to_string(n)), contents);
    for (const fs::path& file : Files()) {
      if (known.insert(file).second) SetAge(file, 200'000 - n * 1000);
    }
  }
  // The second one has just been read.
  EXPECT_TRUE(folder.Read(BytesOf("entry 1")).has_value());
  for (int n = 8; n < 60; ++n) {
    folder.Write(BytesOf("entry " + std::to_string(n)), contents);
    ASSERT_LE(BytesInFolder(), 40'000u);
    if (n == 10) {
      for (const char* kept : {"entry 1", "entry 4", "entry 7", "entry 10"}) {
        EXPECT_TRUE(folder.Has(BytesOf(kept))) << kept;
      }
      for (const char* gone : {"entry 0", "entry 2", "entry 3"}) {
        EXPECT_FALSE(folder.Has(BytesOf(gone))) << gone;
      }
    }
  }
  EXPECT_TRUE(folder.Has(BytesOf("entry 59")));
  // Another process begins with what is there.
  CacheFolder smaller = Folder(12'000);
  smaller.Write(BytesOf("new"), Bytes(100));
  EXPECT_LE(BytesInFolder(), 12'000u);
  smaller.Write(BytesOf("too large"), Bytes(12'000));
  EXPECT_FALSE(smaller.Has(BytesOf("too large")));
}

TEST_F(CacheFolderTest, TidiesUpAfterWritersThatWereKilled) {
  const fs::path old = path_ + "/0.1.2.part";
  const fs::path young = path_ + "/0.1.3.part";
  const fs::path foreign = path_ + "/notes.txt";
  for (const fs::path& file : {old, young, foreign}) Overwrite(file, "half an ent");
  SetAge(old, 100'000);
  SetAge(foreign, 100'000);
  Folder(10'000).Write(BytesOf("key"), BytesOf("contents"));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
  EXPECT_TRUE(fs::exists(foreign));
}

TEST_F(CacheFolderTest, AFullDiskIsNoError) {
  struct rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  // Its signal would end the process.
  const struct rlimit small = {100, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  Folder().Write(BytesOf("key"), Bytes(1000));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_FALSE(Folder().Has(BytesOf("key")));
  EXPECT_TRUE(Files().empty());
}

// Each writes and reads the same entries all the time, with other contents each time.
TEST_F(CacheFolderTest, ProcessesReadWholeEntriesOrNone) {
  constexpr int kProcesses = 3;
  constexpr int kRounds = 150;
  const auto work = [this](int process) {
    CacheFolder folder = Folder(40'000);  // so that entries also vanish
    for (int n = 0; n < kRounds; ++n) {
      const Bytes key = BytesOf("key " + std::to_string(n % 7));
      const auto value = static_cast<std::byte>(process * 50 + n % 50);
      folder.Write(key, Bytes(4000 + 500 * static_cast<size_t>(process), value));
      const auto read = folder.Read(BytesOf("key " + std::to_string((n + process) % 7)));
      if (!read) continue;
      const bool is_whole = read->size() >= 4000 && std::ranges::count(*read, read->front()) ==
                                                        static_cast<ptrdiff_t>(read->size());
      if (!is_whole) return 1;
    }
    return 0;
  };
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(work(process));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

TEST(BuildId, IsThere) { EXPECT_EQ(BuildId().size(), 20u); }

class CacheEnvironmentTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : kNames) ::unsetenv(name);
  }
  void TearDown() override {
    SetUp();
    ::setenv("HOME", home_.c_str(), 1);
  }
  static constexpr const char* kNames[] = {"GCNJIT_CACHE", "GCNJIT_CACHE_DIR", "GCNJIT_CACHE_SIZE",
                                           "XDG_CACHE_HOME"};
  const std::string home_ = std::getenv("HOME") == nullptr ? "/" : std::getenv("HOME");
  const std::string folder_ =
      fs::temp_directory_path() / ("gcnjit-cache-environment-" + std::to_string(::getpid()));
};

TEST_F(CacheEnvironmentTest, ChoosesTheFolder) {
  ::setenv("HOME", folder_.c_str(), 1);
  EXPECT_EQ(CacheFromEnvironment()->text, folder_ + "/.cache/gcnjit");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(CacheFromEnvironment()->text, folder_ + "/.cache/gcnjit");
  ::setenv("XDG_CACHE_HOME", (folder_ + "/xdg").c_str(), 1);
  EXPECT_EQ(CacheFromEnvironment()->text, folder_ + "/xdg/gcnjit");
  ::setenv("GCNJIT_CACHE_DIR", (folder_ + "/mine/").c_str(), 1);
  EXPECT_EQ(CacheFromEnvironment()->text, folder_ + "/mine");
  EXPECT_TRUE(CacheFromEnvironment()->cache.has_value());
  EXPECT_TRUE(fs::is_directory(folder_ + "/mine"));
  ::setenv("GCNJIT_CACHE_DIR", "/proc/nowhere", 1);
  EXPECT_FALSE(CacheFromEnvironment()->cache.has_value());
  EXPECT_NE(CacheFromEnvironment()->text.find("cannot be made"), std::string::npos);
  ::setenv("GCNJIT_CACHE", "0", 1);
  EXPECT_FALSE(CacheFromEnvironment()->cache.has_value());
  ::unsetenv("GCNJIT_CACHE");
  ::unsetenv("GCNJIT_CACHE_DIR");
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("HOME");
  EXPECT_FALSE(CacheFromEnvironment()->cache.has_value());
  fs::remove_all(folder_);
}

TEST_F(CacheEnvironmentTest, SaysWhatIsWrong) {
  ::setenv("GCNJIT_CACHE_DIR", folder_.c_str(), 1);
  for (const char* size : {"1000", "64K", "64M", "1G"}) {
    ::setenv("GCNJIT_CACHE_SIZE", size, 1);
    EXPECT_TRUE(CacheFromEnvironment()) << size;
  }
  for (const char* size : {"x", "64k", "-1", "1.5G", "99999999999999G"}) {
    ::setenv("GCNJIT_CACHE_SIZE", size, 1);
    EXPECT_FALSE(CacheFromEnvironment()) << size;
  }
  ::unsetenv("GCNJIT_CACHE_SIZE");
  ::setenv("GCNJIT_CACHE", "off", 1);
  const auto cache = CacheFromEnvironment();
  ASSERT_FALSE(cache);
  EXPECT_NE(cache.error().message.find("GCNJIT_CACHE=off"), std::string::npos);
  fs::remove_all(folder_);
}

}  // namespace
}  // namespace gcnjit::runtime
