// What a trace tells of a hold, from where it does file I/O anyway. See runtime/trace.hpp.
#include "protocol/observer.hpp"
#include "runtime/hold.hpp"
#include "runtime/trace.hpp"

namespace rwlease::runtime {

// `suspended` and `lost`, once each time. Told before it is known to others, who may end the hold at once.
void Hold::trace_change(HoldStatus now) noexcept {
  const HoldStatus before = traced_.exchange(now);
  Trace* const trace = Trace::get();
  if (trace == nullptr || now == before) return;
  if (now != HoldStatus::suspended && now != HoldStatus::lost) return;
  try {
    trace->event(now == HoldStatus::lost ? "lost" : "suspended", clock().boot(),
                 {{"id", trace_id(protocol::base_name(marker()))}});
  } catch (const std::exception&) {
    // Out of memory.
  }
}

// `renewed` and `downgraded`: it goes on under another marker.
void Hold::trace_new_id(const char* event, const std::string& was, const std::string& is) const noexcept {
  Trace* const trace = Trace::get();
  if (trace == nullptr) return;
  try {
    trace->event(event, clock().boot(), {{"id", trace_id(is)}, {"was", trace_id(was)}});
  } catch (const std::exception&) {
    // Out of memory.
  }
}

// `released`; not `done`: the marker may still be there for a while.
void Hold::trace_release(Nanoseconds from, bool done) const noexcept {
  Trace* const trace = Trace::get();
  if (trace == nullptr) return;
  try {
    trace->event("released", from, {{"id", trace_id(protocol::base_name(marker()))}, {"done", done ? "1" : "0"}});
  } catch (const std::exception&) {
    // Out of memory.
  }
}

}  // namespace rwlease::runtime
