#include "referee.hpp"

#include <utility>

namespace rwlease::selftest {
namespace {

constexpr int message_tag = 1;
constexpr int answer_tag = 2;
constexpr int referee_rank = 0;

}  // namespace

Referee::Referee(const Team& team)
    : team_(team), ledger_(team.size()), answers_(static_cast<std::size_t>(team.size()), MPI_REQUEST_NULL) {
  listen();
}

Referee::~Referee() {
  MPI_Cancel(&request_);
  MPI_Wait(&request_, MPI_STATUS_IGNORE);
  MPI_Waitall(static_cast<int>(answers_.size()), answers_.data(), MPI_STATUSES_IGNORE);
}

void Referee::listen() {
  MPI_Irecv(&incoming_, sizeof incoming_, MPI_BYTE, MPI_ANY_SOURCE, message_tag, team_.handle(), &request_);
}

void Referee::serve() {
  for (;;) {
    int came = 0;
    MPI_Status status;
    MPI_Test(&request_, &came, &status);
    if (came == 0) return;
    const int rank = status.MPI_SOURCE;
    enter(rank, incoming_);
    listen();
    MPI_Request& answer = answers_[static_cast<std::size_t>(rank)];
    MPI_Wait(&answer, MPI_STATUS_IGNORE);  // at once: the rank has had it, or it would not have spoken
    MPI_Isend(&answer_, 1, MPI_INT, rank, answer_tag, team_.handle(), &answer);
  }
}

void Referee::enter(int rank, const Message& message) {
  const auto now = Clock::now();
  switch (message.kind) {
    case Message::asks:
      return ledger_.asks(rank, now);
    case Message::enters:
      return ledger_.enters(rank, message.party, static_cast<Mode>(message.mode), message.fence, now);
    case Message::leaves:
      return ledger_.leaves(rank, now);
    default:
      return ledger_.has_left(rank, message.in_force != 0);
  }
}

Ledger Referee::close_book() { return std::exchange(ledger_, Ledger(team_.size())); }

void Door::say(const Message& message) const {
  int answered = 0;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Irecv(&answered, 1, MPI_INT, referee_rank, answer_tag, team_.handle(), &requests[0]);
  MPI_Isend(&message, sizeof message, MPI_BYTE, referee_rank, message_tag, team_.handle(), &requests[1]);
  team_.waiting().request(requests[0]);
  team_.waiting().request(requests[1]);
}

}  // namespace rwlease::selftest
