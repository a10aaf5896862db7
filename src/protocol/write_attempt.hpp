// Getting the write lease: claim, drain the readers, draw a fencing number.
#pragma once

#include "protocol/attempt.hpp"
#include "protocol/writer_gate.hpp"

#include <vector>

namespace rwlease::protocol {

class WriteAttempt final : public Attempt {
 public:
  explicit WriteAttempt(const Site& site) : site_(site), gate_(site), readers_(site) {}
  ~WriteAttempt() override;

  Progress step() override;
  Grant take() override;
  std::vector<std::string> in_the_way() const override;
  fs::Result trouble() const override { return phase_ == Phase::draining ? readers_.trouble() : gate_.trouble(); }
  Awaited awaited() const override;
  std::optional<Nanoseconds> next_beat() const override;

 private:
  enum class Phase { idle, prepared, draining, held };

  Progress advance();
  void prepare();
  bool claim();
  bool rename_claim();
  bool drain();
  void list_again();
  void drop_those_who_left();
  void go_through_all(Nanoseconds now);
  bool enter();
  bool keep_alive();
  void start_over();
  void withdraw() noexcept;
  std::string hidden_directory() const;

  Site site_;
  WriterGate gate_;
  Observer readers_;
  Phase phase_ = Phase::idle;
  std::optional<Marker> marker_;
  bool claim_unknown_ = false;  // a claim's rename failed in a way that says nothing about the server
  bool waiting_ = false;        // behind another writer
  Nanoseconds next_beat_{};
  Nanoseconds look_at_all_{};          // when all of draining_ are to be looked at
  std::vector<fs::Entry> listing_;     // of readers/, as it was last
  std::vector<std::string> draining_;  // readers to wait for
  std::size_t looked_at_ = 0;          // of draining_, in the round through all that is under way
  bool listed_nobody_ = false;         // the last listing of readers/ was empty
  std::vector<std::string> leftovers_;
  std::uint64_t fence_ = 0;
};

}  // namespace rwlease::protocol
