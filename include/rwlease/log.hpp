// The library prints nothing; who wants to know what it does sets a hook.
#pragma once

#include <rwlease/export.hpp>

#include <functional>
#include <string_view>

namespace rwlease {

enum class LogLevel { debug, info, warning };

using LogHook = std::function<void(LogLevel, std::string_view)>;

// Sets the process's log hook; an empty one turns logging off. Any thread. The hook is called from any thread of the
// process, the library's own included, from several at once; a call may still be under way in one that was replaced.
// What it throws is swallowed. It must not call rwlease. Lines name paths, hosts and process ids, never a marker's
// token.
RWLEASE_EXPORT void set_log_hook(LogHook hook);

// "debug", "info", "warning".
RWLEASE_EXPORT std::string_view to_string(LogLevel level) noexcept;

}  // namespace rwlease
