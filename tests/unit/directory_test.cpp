// The seam's contract, asked of the kernel and of the file system in memory alike: what the other tests rely on is what
// the kernel does.
#include "fs/posix.hpp"
#include "support/scratch.hpp"
#include "support/world.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rwlease::test {
namespace {

class Place {
 public:
  virtual ~Place() = default;
  virtual fs::Directory& directory() = 0;
  virtual void pass_time() = 0;
};

class KernelPlace final : public Place {
 public:
  KernelPlace() {
    fs::PosixFileSystem file_system;
    EXPECT_TRUE(file_system.open(scratch_.directory(), directory_).ok());
  }
  fs::Directory& directory() override { return *directory_; }
  // Far enough that the next change of a time shows, however coarse the kernel's clock.
  void pass_time() override { ASSERT_TRUE(directory_->set_time("entry", 1'000'000'000).ok()); }

 private:
  Scratch scratch_;
  std::unique_ptr<fs::Directory> directory_;
};

class MemoryPlace final : public Place {
 public:
  fs::Directory& directory() override { return directory_; }
  void pass_time() override { world_.advance(1s); }

 private:
  World world_;
  Client client_{world_.tree, Caller{}};
  MemoryDirectory directory_{client_, world_.tree.root()->entries.at("scratch"), "/scratch"};
};

struct Kind {
  const char* name;
  std::unique_ptr<Place> (*make)();
};

class DirectoryTest : public ::testing::TestWithParam<Kind> {
 protected:
  std::vector<std::string> names(const std::string& below = "") {
    std::vector<fs::Entry> entries;
    EXPECT_TRUE(directory_.list(below, entries).ok());
    std::vector<fs::Entry> again;
    EXPECT_TRUE(directory_.list_lasting(below, again).ok());
    EXPECT_EQ(entries.size(), again.size());
    std::vector<std::string> names;
    for (const fs::Entry& entry : entries) names.push_back(entry.name);
    std::sort(names.begin(), names.end());
    return names;
  }
  fs::Attributes look(const std::string& name) {
    fs::Attributes looked;
    EXPECT_TRUE(directory_.look(name, looked).ok()) << name;
    fs::Attributes glanced;
    EXPECT_TRUE(directory_.glance(name, glanced).ok()) << name;
    EXPECT_EQ(looked.stamp, glanced.stamp);
    return looked;
  }
  void make(const std::string& name) { ASSERT_TRUE(directory_.make_directory(name, 0700).ok()) << name; }
  void link(const std::string& name) { ASSERT_TRUE(directory_.make_symlink("target", name).ok()) << name; }

  std::unique_ptr<Place> place_ = GetParam().make();
  fs::Directory& directory_ = place_->directory();
};

TEST_P(DirectoryTest, Symlinks) {
  link("entry");
  EXPECT_EQ(look("entry").type, fs::Type::symlink);
  std::string target;
  EXPECT_TRUE(directory_.read_link("entry", target).ok());
  EXPECT_EQ(target, "target");
  EXPECT_EQ(directory_.make_symlink("other", "entry").error(), EEXIST);
  EXPECT_EQ(directory_.read_link("absent", target).error(), ENOENT);
  std::string content;
  EXPECT_EQ(directory_.read_file("entry", 10, content).error(), ELOOP);
}

TEST_P(DirectoryTest, Files) {
  EXPECT_TRUE(directory_.make_file("hello\n", "entry", 0600).ok());
  const fs::Attributes found = look("entry");
  EXPECT_EQ(found.type, fs::Type::file);
  EXPECT_EQ(found.mode, 0600U);
  EXPECT_EQ(found.links, 1U);
  EXPECT_EQ(found.size, 6U);
  std::string content;
  EXPECT_TRUE(directory_.read_file("entry", 4, content).ok());
  EXPECT_EQ(content, "hell");
  EXPECT_EQ(directory_.make_file("", "entry", 0600).error(), EEXIST);
  EXPECT_EQ(directory_.read_link("entry", content).error(), EINVAL);
}

TEST_P(DirectoryTest, ModesAreWhatWasAskedWhateverTheUmask) {
  for (const mode_t mask : {0U, 0077U, 0277U, 0777U}) {
    const mode_t before = ::umask(mask);
    EXPECT_TRUE(directory_.make_directory("private", 0700).ok());
    EXPECT_TRUE(directory_.make_directory("shared", 02770).ok());
    EXPECT_TRUE(directory_.make_file("", "file", 0660).ok());
    ::umask(before);
    EXPECT_EQ(look("private").mode, 0700U);
    EXPECT_EQ(look("shared").mode, 02770U);
    EXPECT_EQ(look("file").mode, 0660U);
    for (const char* name : {"private", "shared"}) EXPECT_TRUE(directory_.remove_directory(name).ok());
    EXPECT_TRUE(directory_.remove("file").ok());
  }
}

TEST_P(DirectoryTest, RenamesOntoAnAbsentOrEmptyDirectoryOnly) {
  make("claim");
  link("claim/marker");
  EXPECT_TRUE(directory_.rename("claim", "writer").ok());
  EXPECT_EQ(names("writer"), std::vector<std::string>{"marker"});
  make("second");
  EXPECT_TRUE(directory_.rename("second", "writer").not_empty());
  EXPECT_TRUE(directory_.remove("writer/marker").ok());
  EXPECT_TRUE(directory_.rename("second", "writer").ok());
  EXPECT_EQ(names(), std::vector<std::string>{"writer"});
}

TEST_P(DirectoryTest, RenamesRefuseWhatIsOfAnotherKind) {
  make("directory");
  link("entry");
  EXPECT_EQ(directory_.rename("directory", "entry").error(), ENOTDIR);
  EXPECT_EQ(directory_.rename("entry", "directory").error(), EISDIR);
  EXPECT_EQ(directory_.rename("absent", "new").error(), ENOENT);
  EXPECT_EQ(directory_.rename("entry", "absent/new").error(), ENOENT);
  EXPECT_EQ(names(), (std::vector<std::string>{"directory", "entry"}));
}

TEST_P(DirectoryTest, RenamesReplaceAnEntry) {
  link("entry");
  EXPECT_TRUE(directory_.make_file("", "other", 0600).ok());
  EXPECT_TRUE(directory_.rename("entry", "other").ok());
  EXPECT_EQ(look("other").type, fs::Type::symlink);
  EXPECT_EQ(names(), std::vector<std::string>{"other"});
}

TEST_P(DirectoryTest, Removals) {
  make("directory");
  link("directory/entry");
  EXPECT_EQ(directory_.remove("directory").error(), EISDIR);
  EXPECT_TRUE(directory_.remove_directory("directory").not_empty());
  EXPECT_EQ(directory_.remove_directory("directory/entry").error(), ENOTDIR);
  EXPECT_EQ(directory_.remove("directory/absent").error(), ENOENT);
  EXPECT_EQ(directory_.remove_directory("absent").error(), ENOENT);
  EXPECT_TRUE(directory_.remove("directory/entry").ok());
  EXPECT_TRUE(directory_.remove_directory("directory").ok());
  EXPECT_TRUE(names().empty());
}

TEST_P(DirectoryTest, Times) {
  link("entry");
  EXPECT_TRUE(directory_.set_time("entry", 1'000'000'000).ok());
  EXPECT_EQ(look("entry").stamp.mtime_ns, 1'000'000'000'000'000'000);
  const fs::Stamp before = look("entry").stamp;
  place_->pass_time();
  EXPECT_TRUE(directory_.touch("entry").ok());
  const fs::Stamp after = look("entry").stamp;
  EXPECT_NE(before, after);
  EXPECT_EQ(before.inode, after.inode);
  EXPECT_EQ(directory_.touch("absent").error(), ENOENT);
}

TEST_P(DirectoryTest, OpensDirectoriesOnly) {
  make("directory");
  link("entry");
  std::unique_ptr<fs::Directory> opened;
  EXPECT_EQ(directory_.open_directory("entry", opened).error(), ENOTDIR);
  EXPECT_EQ(directory_.open_directory("absent", opened).error(), ENOENT);
  ASSERT_TRUE(directory_.open_directory("directory", opened).ok());
  EXPECT_TRUE(opened->make_symlink("x", "inside").ok());
  EXPECT_EQ(names("directory"), std::vector<std::string>{"inside"});
}

TEST_P(DirectoryTest, ARemovedDirectoryIsNeverEmpty) {
  make("directory");
  std::unique_ptr<fs::Directory> opened;
  ASSERT_TRUE(directory_.open_directory("directory", opened).ok());
  std::vector<fs::Entry> entries;
  ASSERT_TRUE(opened->list_lasting("", entries).ok());
  ASSERT_TRUE(directory_.remove_directory("directory").ok());
  EXPECT_TRUE(opened->list("", entries).absent());
  EXPECT_TRUE(opened->list_lasting("", entries).absent());
  EXPECT_TRUE(opened->make_symlink("x", "inside").absent());
  fs::Attributes attributes;
  EXPECT_TRUE(opened->look("", attributes).ok());
  EXPECT_EQ(attributes.links, 0U);
}

TEST_P(DirectoryTest, ALastingListingFindsADirectoryThatWasMadeAnew) {
  make("directory");
  std::vector<fs::Entry> entries;
  ASSERT_TRUE(directory_.list_lasting("directory", entries).ok());
  ASSERT_TRUE(directory_.remove_directory("directory").ok());
  EXPECT_TRUE(directory_.list_lasting("directory", entries).absent());
  make("directory");
  link("directory/entry");
  ASSERT_TRUE(directory_.list_lasting("directory", entries).ok());
  EXPECT_EQ(entries.size(), 1U);
}

TEST_P(DirectoryTest, ListsManyAndWhatIsNoDirectoryNot) {
  make("directory");
  for (int i = 0; i < 2000; ++i) link("directory/entry" + std::to_string(i));
  EXPECT_EQ(names("directory").size(), 2000U);
  std::vector<fs::Entry> entries;
  EXPECT_EQ(directory_.list("directory/entry0", entries).error(), ENOTDIR);
}

TEST_P(DirectoryTest, NamesThatAreTooLong) {
  const std::string name(256, 'x');
  EXPECT_EQ(directory_.make_symlink("x", name).error(), ENAMETOOLONG);
  EXPECT_EQ(directory_.make_symlink(std::string(5000, 'x'), "entry").error(), ENAMETOOLONG);
}

TEST_P(DirectoryTest, ChangesModes) {
  make("directory");
  EXPECT_TRUE(directory_.change_mode("directory", 02770).ok());
  EXPECT_EQ(look("directory").mode, 02770U);
  EXPECT_EQ(directory_.change_mode("absent", 0700).error(), ENOENT);
}

INSTANTIATE_TEST_SUITE_P(
    Each, DirectoryTest,
    ::testing::Values(Kind{"Kernel", [] { return std::unique_ptr<Place>(std::make_unique<KernelPlace>()); }},
                      Kind{"Memory", [] { return std::unique_ptr<Place>(std::make_unique<MemoryPlace>()); }}),
    NameOfParameter());

// What only the kernel has.
class PosixDirectoryTest : public ::testing::Test {
 protected:
  KernelPlace place_;
  fs::Directory& directory_ = place_.directory();
};

TEST_F(PosixDirectoryTest, AFifoInAMarkersPlaceIsNotReadAndDoesNotBlock) {
  ASSERT_EQ(::mkfifoat(directory_.descriptor(), "fifo", 0600), 0);
  std::string content;
  EXPECT_EQ(directory_.read_file("fifo", 10, content).error(), EINVAL);
}

TEST_F(PosixDirectoryTest, AHardLinkInAMarkersPlaceIsNotRead) {
  ASSERT_TRUE(directory_.make_file("secret", "file", 0600).ok());
  const int here = directory_.descriptor();
  ASSERT_EQ(::linkat(here, "file", here, "second", 0), 0);
  std::string content;
  EXPECT_EQ(directory_.read_file("second", 10, content).error(), EINVAL);
}

}  // namespace
}  // namespace rwlease::test
