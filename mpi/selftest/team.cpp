#include "team.hpp"

#include <algorithm>
#include <exception>

namespace rwlease::selftest {

Team::Team(MPI_Comm communicator, Waiting& waiting) : communicator_(communicator), waiting_(waiting) {
  MPI_Comm_rank(communicator_, &rank_);
  MPI_Comm_size(communicator_, &size_);
}

// Freeing is collective, and a rank that an exception unwinds is alone.
Team::~Team() {
  if (std::uncaught_exceptions() == 0) MPI_Comm_free(&communicator_);
}

MPI_Comm Team::split(int colour) const {
  barrier();  // patiently; MPI_Comm_split would spin for those that come late
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(communicator_, colour, rank_, &part);
  return part;
}

void Team::barrier() const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(communicator_, &request);
  waiting_.request(request);
}

std::vector<std::int64_t> Team::gather(std::int64_t own) const {
  std::vector<std::int64_t> all(static_cast<std::size_t>(size_));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&own, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, communicator_, &request);
  waiting_.request(request);
  return all;
}

std::vector<std::string> Team::gather(const std::string& own) const {
  const auto lengths = gather(static_cast<std::int64_t>(own.size()));
  const auto width = static_cast<std::size_t>(*std::max_element(lengths.begin(), lengths.end()));
  std::string sent = own;
  sent.resize(width, '\0');
  std::string received(width * lengths.size(), '\0');
  const int bytes = static_cast<int>(width);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(sent.data(), bytes, MPI_BYTE, received.data(), bytes, MPI_BYTE, communicator_, &request);
  waiting_.request(request);
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    texts.push_back(received.substr(rank * width, static_cast<std::size_t>(lengths[rank])));
  }
  return texts;
}

std::int64_t Team::from(int root, std::int64_t own) const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&own, 1, MPI_INT64_T, root, communicator_, &request);
  waiting_.request(request);
  return own;
}

std::string Team::from(int root, std::string own) const {
  own.resize(static_cast<std::size_t>(from(root, static_cast<std::int64_t>(own.size()))));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(own.data(), static_cast<int>(own.size()), MPI_BYTE, root, communicator_, &request);
  waiting_.request(request);
  return own;
}

std::vector<std::uint64_t> Team::sum(const std::vector<std::uint64_t>& own) const { return reduce(own, MPI_SUM); }
std::vector<std::uint64_t> Team::greatest(const std::vector<std::uint64_t>& own) const { return reduce(own, MPI_MAX); }
std::vector<std::uint64_t> Team::least(const std::vector<std::uint64_t>& own) const { return reduce(own, MPI_MIN); }

bool Team::any(bool own) const { return greatest({own ? 1U : 0U})[0] != 0; }

std::vector<std::uint64_t> Team::reduce(const std::vector<std::uint64_t>& own, MPI_Op operation) const {
  std::vector<std::uint64_t> result(own.size());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(own.data(), result.data(), static_cast<int>(own.size()), MPI_UINT64_T, operation, communicator_,
                 &request);
  waiting_.request(request);
  return result;
}

}  // namespace rwlease::selftest
