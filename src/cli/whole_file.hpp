// Files that are there whole, or not at all.
#pragma once

#include <string>

namespace rwlease::cli {

// Puts the text into the file, in place of what it held, by a rename: it is never seen half written, and a failure
// leaves it as it was. Signals wait meanwhile. What is no regular file (a pipe, a device), or stands for what is open
// already (/dev/stdout, /dev/fd/3), is written to instead. 0, or an errno.
int write_whole_file(const std::string& path, const std::string& text);

}  // namespace rwlease::cli
