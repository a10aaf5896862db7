#include "process/participant/order.hpp"

#include "process/support/clock.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace rwlease::test {
namespace {

int service = -1;

int checked(long outcome, const char* what) {
  if (outcome == -1) throw std::system_error(errno, std::generic_category(), what);
  return static_cast<int>(outcome);
}

std::string reply() {
  std::string line;
  for (char next = 0; next != '\n'; line += next) {
    ssize_t size = -1;
    do {
      size = ::read(service, &next, 1);
    } while (size == -1 && errno == EINTR);
    if (size == 0) errno = ECONNRESET;
    checked(size > 0 ? 0 : -1, "asking the ordering service");
  }
  return line;
}

}  // namespace

void order_by(const std::string& where) {
  const std::size_t colon = where.find(':');
  struct sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoul(where.substr(colon + 1))));
  ::inet_pton(AF_INET, where.substr(0, colon).c_str(), &address.sin_addr);
  service = checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "making a socket");
  checked(::connect(service, reinterpret_cast<const struct sockaddr*>(&address), sizeof address),
          "connecting to the ordering service");
  const int yes = 1;
  ::setsockopt(service, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

std::chrono::nanoseconds order_now() {
  if (service == -1) return monotonic_now();
  checked(::write(service, "?", 1), "asking the ordering service");
  return std::chrono::nanoseconds(std::stoll(reply()));
}

std::optional<std::chrono::nanoseconds> order_now_in_force(const Lease& lease) {
  const auto now = order_now();
  if (!lease.valid()) return std::nullopt;
  return now;
}

}  // namespace rwlease::test
