// Rewrites a file under a lease: serial FILE TEXT
#include <rwlease/lock.hpp>

#include <exception>
#include <fstream>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    const std::string path = argv[1];
    rwlease::Lock lock(path);
    rwlease::Lease lease = lock.acquire(rwlease::Mode::write);
    std::ofstream(path + ".new") << argv[2];
    lease.publish(path + ".new", path);
    return lease.release() == rwlease::ReleaseResult::released ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "serial: " << error.what() << '\n';
    return 1;
  }
}
