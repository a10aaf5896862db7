// Rewrites a file under a lease: rewrite FILE TEXT
#include <rwlease/lock.hpp>

#include <exception>
#include <fstream>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    const std::string data = argv[1];
    rwlease::Lock lock(data);
    rwlease::Lease lease = lock.acquire(rwlease::Mode::write, rwlease::Deadline::after(std::chrono::minutes(10)));
    std::ofstream(data + ".new") << argv[2] << '\n';
    lease.publish(data + ".new", data);  // renames only while the lease is in force
    std::cout << "write lease " << lease.fence() << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "rewrite: " << error.what() << '\n';
    return 1;
  }
}
