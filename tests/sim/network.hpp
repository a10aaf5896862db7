// Between the clients and the server: requests take time, and some meet with an accident.
#pragma once

#include "sim/plan.hpp"
#include "sim/server.hpp"

#include <vector>

namespace rwlease::sim {

struct Process;
struct World;

class Network {
 public:
  explicit Network(World& world) : world_(world) {}

  void restart();

  // For the task that runs: sends it and waits for the reply. Others go on meanwhile.
  Reply send(Process& process, Request request);

  // The server is away until then, and refuses removals and renames for that much longer.
  void reboot(Time back, Time grace_over);

  // Requests whose clients gave up, and which are still to be carried out.
  Time next_late() const;
  void carry_out_late();

  // When the last accident was over.
  Time last_trouble() const { return last_trouble_; }
  void trouble_until(Time when);

  // What happened since the start that lets a marker be left behind, or an acquire fail.
  unsigned troubles() const { return troubles_; }

 private:
  struct Late {
    Time when;
    Request request;
  };

  Fault draw(const Request& request);
  bool travel(const Process& process, const Request& request, Time latency);
  Time held_up_until(const Process& process, const Request& request) const;
  Reply suffer(Process& process, const Request& request, Fault fault);
  Reply arrive(const Request& request);
  void be_late(const Request& request);
  Time latency(const Process& process);
  Time long_time();
  void tell(const Process& process, const Request& request, const Reply& reply, Fault fault);

  World& world_;
  std::vector<Late> late_;
  Time down_until_ = 0;
  Time grace_until_ = 0;
  Time last_trouble_ = 0;
  unsigned troubles_ = 0;
  std::uint64_t requests_ = 0;
};

}  // namespace rwlease::sim
