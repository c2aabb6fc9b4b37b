// Output files appear complete, all of them, or not at all.
#include "cli/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "runtime/host/physical_memory.h"

namespace gcnjit::cli {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

class FilesTest : public ::testing::Test {
 protected:
  FilesTest() {
    std::string name = (fs::temp_directory_path() / "files.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
  }
  ~FilesTest() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string Text(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  size_t Count() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

 private:
  fs::path folder_;
};

TEST_F(FilesTest, AppearTogether) {
  OutputFiles files;
  ASSERT_TRUE(files.Add(Path("a"), Bytes("one")));
  ASSERT_TRUE(files.Add(Path("b"), Bytes("")));
  EXPECT_FALSE(fs::exists(Path("a")));
  EXPECT_FALSE(fs::exists(Path("b")));
  ASSERT_TRUE(files.Publish());
  EXPECT_EQ(Text(Path("a")), "one");
  EXPECT_EQ(Text(Path("b")), "");
  EXPECT_EQ(Count(), 2u);
}

TEST_F(FilesTest, LeaveNothingUnlessPublished) {
  ASSERT_TRUE(WriteFile(Path("a"), Bytes("before")));
  {
    OutputFiles files;
    ASSERT_TRUE(files.Add(Path("a"), Bytes("after")));
    ASSERT_TRUE(files.Add(Path("b"), Bytes("new")));
    EXPECT_FALSE(files.Add(Path("no such folder/c"), Bytes("new")));
  }
  EXPECT_EQ(Text(Path("a")), "before");
  EXPECT_EQ(Count(), 1u);
}

TEST_F(FilesTest, OfOneNameTheLastStays) {
  OutputFiles files;
  ASSERT_TRUE(files.Add(Path("a"), Bytes("first")));
  ASSERT_TRUE(files.Add(Path("a"), Bytes("last")));
  ASSERT_TRUE(files.Publish());
  EXPECT_EQ(Text(Path("a")), "last");
  EXPECT_EQ(Count(), 1u);
}

// What stands in the way came after they were written.
TEST_F(FilesTest, SayWhichOneCannotAppear) {
  {
    OutputFiles files;
    ASSERT_TRUE(files.Add(Path("a"), Bytes("one")));
    ASSERT_TRUE(files.Add(Path("b"), Bytes("two")));
    ASSERT_TRUE(fs::create_directory(Path("a")));
    const auto published = files.Publish();
    ASSERT_FALSE(published);
    EXPECT_NE(published.error().message.find(Path("a")), std::string::npos);
  }
  EXPECT_FALSE(fs::exists(Path("b")));
  EXPECT_EQ(Count(), 1u);  // the folder
}

TEST_F(FilesTest, HaveTheModeThatTheUserWants) {
  const mode_t before = ::umask(027);
  ASSERT_TRUE(WriteFile(Path("a"), Bytes("one")));
  ::umask(before);
  EXPECT_EQ(fs::status(Path("a")).permissions(), fs::perms(0640));
}

TEST_F(FilesTest, LinksAndModesStay) {
  ASSERT_TRUE(WriteFile(Path("real"), Bytes("old")));
  fs::permissions(Path("real"), fs::perms(0600));
  fs::create_symlink("real", Path("link"));
  fs::create_directory(Path("folder"));
  fs::create_symlink("../link", Path("folder/far"));
  fs::create_symlink(Path("new"), Path("to new"));
  for (const char* name : {"real", "link", "folder/far", "to new"}) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(CheckWritable(Path(name)));
    ASSERT_TRUE(WriteFile(Path(name), Bytes(name)));
    EXPECT_EQ(Text(Path(name)), name);
  }
  EXPECT_EQ(Text(Path("real")), "folder/far");
  EXPECT_EQ(fs::status(Path("real")).permissions(), fs::perms(0600));
  for (const char* name : {"link", "folder/far", "to new"}) {
    EXPECT_TRUE(fs::is_symlink(Path(name))) << name;
  }
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(Path("new"))));
  EXPECT_EQ(Count(), 5u);
}

TEST_F(FilesTest, NamesThatCannotBeAreSaid) {
  fs::create_symlink("loop", Path("loop"));
  const std::string longest(255, 'n'), too_long(256, 'n');
  for (const std::string& name : {std::string("loop"), too_long}) {
    const auto writable = CheckWritable(Path(name));
    ASSERT_FALSE(writable);
    EXPECT_NE(writable.error().message.find("cannot write '" + Path(name) + "': "),
              std::string::npos)
        << writable.error().message;
    EXPECT_FALSE(WriteFile(Path(name), Bytes("text")));
  }
  EXPECT_TRUE(CheckWritable(Path(longest)));
  EXPECT_TRUE(WriteFile(Path(longest), Bytes("text")));
}

// What a shell has opened is written to, not replaced.
TEST_F(FilesTest, OpenFilesStay) {
  const int file = ::open(Path("log").c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
  ASSERT_EQ(::write(file, "begin ", 6), 6);
  const std::string name = "/proc/self/fd/" + std::to_string(file);
  EXPECT_TRUE(CheckWritable(name));
  EXPECT_TRUE(WriteFile(name, Bytes("more")));
  ::close(file);
  EXPECT_EQ(Text(Path("log")), "begin more");
  EXPECT_FALSE(CheckWritable(name));
}

TEST_F(FilesTest, DevicesAreWrittenAtOnce) {
  OutputFiles files;
  EXPECT_TRUE(files.Add("/dev/null", Bytes("text")));
  EXPECT_FALSE(files.Add("/dev/full", Bytes("text")));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(FilesTest, WhatCannotBeWrittenIsSaidEarly) {
  EXPECT_TRUE(CheckWritable("-"));
  EXPECT_TRUE(CheckWritable("/dev/null"));
  EXPECT_TRUE(CheckWritable(Path("a")));
  EXPECT_FALSE(CheckWritable(Path("no such folder/a")));
  ASSERT_TRUE(fs::create_directory(Path("folder")));
  EXPECT_FALSE(CheckWritable(Path("folder")));
}

TEST_F(FilesTest, AreReadWhole) {
  const std::string text(100'000, 'x');
  ASSERT_TRUE(WriteFile(Path("a"), Bytes(text)));
  const auto bytes = ReadFile(Path("a"));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->size(), text.size());
  const auto version = ReadFile("/proc/version");  // has no size
  ASSERT_TRUE(version);
  EXPECT_FALSE(version->empty());
  EXPECT_FALSE(ReadFile(Path("b")));
  EXPECT_FALSE(ReadFile(Path("")));
  EXPECT_FALSE(ReadFile("/dev/zero"));  // does not end
}

// A file with a hole: it has a size, but takes no room.
TEST_F(FilesTest, LargerThanMemoryAreRefused) {
  ASSERT_TRUE(WriteFile(Path("a"), Bytes("")));
  fs::resize_file(Path("a"), runtime::PhysicalBytes() + 1);
  const auto bytes = ReadFile(Path("a"));
  ASSERT_FALSE(bytes);
  EXPECT_NE(bytes.error().message.find("memory"), std::string::npos);
}

}  // namespace
}  // namespace gcnjit::cli
