// Points of the protocol at which a participant can be told to stop, to die, or to tell that it passed.
#pragma once

#include <string>

namespace rwlease::test {

// The program brings its own symlinkat, renameat, mkdirat, unlinkat, utimensat and statx, which the library calls
// instead of the C library's; they see by the names involved which step of the protocol is being made:
//
//   probed              a probing symlink was made in the lock directory
//   reader-prepared     a reader's marker is about to be published (it is hidden)
//   reader-published    it was published, and the lock directory was not looked at yet
//   reader-withdrawn    a reader's marker was removed
//   claim-made          a claim's hidden directory was made, without its marker
//   claim-prepared      a claim is about to be renamed into place
//   claim-refused       another writer stands: it has to wait
//   claimed             the claim stands, and the readers were not looked at yet
//   changed             a hidden entry was made in readers/ for the sake of a change
//   fenced              a fence entry was made
//   writer-half-left    the writer's marker was removed, the directory not yet
//   beat                a heartbeat was sent
//   looked              an entry was looked at by a forced look
//
// Each acts when it is passed for the `nth` time (from 1), telling and refusing every time. Only heartbeats can be
// refused: they then fail with EACCES. stop_each stops again each time it was passed `nth` times more.
enum class PointAction { none, tell, stop, stop_each, die, refuse };
void set_point(const std::string& name, PointAction action, int nth = 1);

}  // namespace rwlease::test
