// Faults that the self-test can play, so that it can be tested itself: with each it must refuse.
#pragma once

namespace rwlease::selftest {

enum class Breakage {
  none,
  claim,       // who loses the race for a claim says that it won
  exclusion,   // processes enter without the lease
  collective,  // communicators enter without the lease
  preference,  // a reader enters though a writer has claimed
  stale,       // a look answers from memory instead of asking the file server
  heartbeat,   // a holder that lives shows no heartbeat
  eviction,    // nobody evicts the dead
};

}  // namespace rwlease::selftest
