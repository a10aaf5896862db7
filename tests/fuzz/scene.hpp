// A lock directory filled by the fuzzer, and one participant that uses it.
#pragma once

#include "protocol/attempt.hpp"
#include "protocol/lock_directory.hpp"
#include "support/fake_host.hpp"
#include "support/memory_directory.hpp"

#include <fuzzer/FuzzedDataProvider.h>

#include <memory>
#include <string>
#include <vector>

namespace rwlease::fuzz {

using namespace std::chrono_literals;
using fs::Nanoseconds;
using test::NodePtr;

inline constexpr char lock_name[] = "/scratch/data";
inline constexpr char lock_path[] = "/scratch/data.rwlease";

// An entry that somebody else put there.
struct Planted {
  NodePtr node;
  std::string path;       // relative to the lock directory
  Nanoseconds window{0};  // the lease that its owner counts on; 0: nobody's, made by something else
};

// Everything in it is the fuzzer's choice: entries, types, targets, owners, modes, times.
class Scene {
 public:
  explicit Scene(FuzzedDataProvider& data);

  // Throws Error where the lock directory itself is refused.
  void open();

  // One thing that others do: a new entry, a heartbeat, a removal, the death of a process, ...
  void let_others_act();

  void advance(Nanoseconds duration);

  protocol::Site site();
  const std::vector<Planted>& planted() const { return planted_; }

  // Null where there is none.
  NodePtr find(const std::string& path) const;

  test::ManualClock clock;  // the server goes by it too
  test::MemoryTree tree{clock};
  test::Tokens tokens;
  std::shared_ptr<test::Machine> machine = std::make_shared<test::Machine>();
  std::unique_ptr<test::FakeHost> host;
  test::Client client{tree, test::Caller()};
  test::MemoryFileSystem file_system{client};
  std::unique_ptr<fs::Directory> directory;
  protocol::Ledger ledger;
  protocol::Terms terms;
  std::vector<std::string> log;

 private:
  struct Owner;

  void make_lock_directory();
  void plant();
  std::string choose_place();
  std::string choose_name(Owner& owner);
  std::string choose_content(const Owner& owner);
  std::string raw(std::size_t longest);
  pid_t choose_pid();
  Nanoseconds choose_lease();
  bool mostly() { return data_.ConsumeIntegral<std::uint8_t>() < 240; }

  FuzzedDataProvider& data_;
  std::vector<Planted> planted_;
  unsigned last_token_ = 0;
};

}  // namespace rwlease::fuzz
