#include "sim/network.hpp"

#include "sim/incidents.hpp"
#include "sim/names.hpp"
#include "sim/world.hpp"

#include <algorithm>
#include <cerrno>

namespace rwlease::sim {
namespace {

bool suits(Fault fault, const Request& request) {
  switch (fault) {
    case Fault::full:
      return request.operation == Operation::symlink || request.operation == Operation::create ||
             request.operation == Operation::mkdir;
    case Fault::reply_lost:
    case Fault::late:
    case Fault::repeated:
      return changes(request.operation);
    default:
      return true;
  }
}

Reply failed(int error) {
  Reply reply;
  reply.error = error;
  return reply;
}

}  // namespace

void Network::restart() {
  late_.clear();
  down_until_ = grace_until_ = last_trouble_ = 0;
  troubles_ = 0;
  requests_ = 0;
}

Time Network::latency(const Process& process) {
  const bool fast = world_.plan.uneven && process.machine->number % 2 == 1;
  const Time shortest = world_.plan.shortest_latency;
  return world_.random.spread(shortest, fast ? 2 * shortest : world_.plan.longest_latency);
}

Time Network::long_time() { return world_.random.spread(second, 120 * second); }

void Network::trouble_until(Time when) {
  ++troubles_;
  last_trouble_ = std::max(last_trouble_, when);
}

void Network::reboot(Time back, Time grace_over) {
  down_until_ = back;
  grace_until_ = grace_over;
  trouble_until(grace_over);
}

Fault Network::draw(const Request& request) {
  Plan& plan = world_.plan;
  if (plan.faults_left == 0 || !world_.random.one_in(plan.fault_one_in)) return Fault::none;
  const Fault fault = plan.faults[world_.random.below(plan.fault_choices)];
  if (!suits(fault, request)) return Fault::none;
  --plan.faults_left;
  ++world_.statistics.faults[static_cast<std::size_t>(fault)];
  trouble_until(world_.scheduler.now());
  return fault;
}

Reply Network::send(Process& process, Request request) {
  const Task* task = world_.scheduler.current();
  if (process.killed || task == nullptr) return failed(EIO);
  request.process = process.number;
  request.task = task->number;
  request.sent = world_.scheduler.now();
  if (process.opening) return world_.server.carry_out(request, world_.scheduler.now());
  ++world_.statistics.requests;
  ++requests_;
  if (!world_.plan.incidents.empty()) let_incidents_happen(world_, requests_);
  const Fault fault = draw(request);
  const Time slow = fault == Fault::slow_request ? long_time() : 0;
  if (slow > 0) trouble_until(world_.scheduler.now() + slow);
  if (!travel(process, request, latency(process) + slow)) {
    // Killed with a request on its way, which may still arrive.
    if (changes(request.operation) && world_.random.one_in(2)) be_late(request);
    return failed(EIO);
  }
  Reply reply = suffer(process, request, fault);
  if (process.killed) return failed(EIO);
  tell(process, request, reply, fault);
  return reply;
}

// False when the process was killed on the way.
bool Network::travel(const Process& process, const Request& request, Time latency) {
  Time arrives = world_.scheduler.now() + latency;
  for (;;) {
    world_.scheduler.leave_until(arrives);
    if (process.killed) return false;
    const Time held_up = held_up_until(process, request);
    if (held_up <= world_.scheduler.now()) return true;
    arrives = held_up + this->latency(process);
  }
}

Time Network::held_up_until(const Process& process, const Request& request) const {
  const bool not_in_grace = request.operation == Operation::remove || request.operation == Operation::rmdir ||
                            request.operation == Operation::rename;
  const Time server = not_in_grace ? std::max(down_until_, grace_until_) : down_until_;
  return std::max(server, process.machine->cut_off_until);
}

Reply Network::suffer(Process& process, const Request& request, Fault fault) {
  const int given_up = world_.random.one_in(2) ? EIO : ETIMEDOUT;
  switch (fault) {
    case Fault::refused:
      return failed(given_up);
    case Fault::full:
      return failed(world_.random.one_in(2) ? ENOSPC : EDQUOT);
    case Fault::stale:
      return failed(ESTALE);
    case Fault::late:
      be_late(request);
      return failed(given_up);
    case Fault::reply_lost:
      static_cast<void>(arrive(request));
      return failed(given_up);
    case Fault::repeated:
      static_cast<void>(arrive(request));
      if (!travel(process, request, latency(process))) return failed(EIO);
      break;
    default:
      break;
  }
  Reply reply = arrive(request);
  // On its way back, which matters to who reads a clock then.
  if (fault == Fault::slow_reply || world_.random.one_in(4)) {
    const Time slow = fault == Fault::slow_reply ? long_time() : latency(process);
    if (fault == Fault::slow_reply) trouble_until(world_.scheduler.now() + slow);
    Request answer;
    if (!travel(process, answer, slow)) return failed(EIO);
  }
  return reply;
}

Reply Network::arrive(const Request& request) { return world_.server.carry_out(request, world_.scheduler.now()); }

void Network::be_late(const Request& request) {
  const Time when = world_.scheduler.now() + world_.random.spread(millisecond, 200 * second);
  trouble_until(when);
  late_.push_back({when, request});
}

Time Network::next_late() const {
  Time next = never;
  for (const Late& late : late_) next = std::min(next, late.when);
  return next;
}

void Network::carry_out_late() {
  const auto next =
      std::min_element(late_.begin(), late_.end(), [](const Late& a, const Late& b) { return a.when < b.when; });
  const Request request = std::move(next->request);
  world_.scheduler.pass_to(next->when);
  late_.erase(next);
  const Reply reply = arrive(request);
  if (world_.trace.wanted()) {
    world_.trace.line(world_.scheduler.now(), "(late)", text_of(world_, request) + error_text(reply.error));
  }
}

void Network::tell(const Process& process, const Request& request, const Reply& reply, Fault fault) {
  const Time now = world_.scheduler.now();
  world_.trace.mix(static_cast<std::uint64_t>(now) ^ (static_cast<std::uint64_t>(request.task) << 48U) ^
                   (static_cast<std::uint64_t>(request.operation) << 56U));
  world_.trace.mix(static_cast<std::uint64_t>(reply.error));
  if (!world_.trace.wanted()) return;
  std::string line = text_of(world_, request) + error_text(reply.error);
  if (fault != Fault::none) line += std::string("  <- ") + to_string(fault);
  world_.trace.line(now, name_of(world_, process, request.task), line);
}

}  // namespace rwlease::sim
