// Any bytes as a record, and as a directory entry's name: nothing is thrown, and what is taken is taken one way only.
#include "fault.hpp"
#include "protocol/names.hpp"
#include "protocol/record.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rwlease::fuzz {
namespace {

using protocol::MarkerId;
using protocol::Record;

bool has_control_bytes(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c < 0x20 || c > 0x7e; });
}

// The fault that this harness must see: a parser that takes upper-case digits for the same token.
std::optional<MarkerId> parse_id(std::string text) {
  if (fault() == Fault::lenient_names) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  }
  return MarkerId::parse(text);
}

// Of a name that ends in a token. What is shown must not tell them apart; that the token's digits aren't in it would be
// too much to ask: a host may be called so.
std::string with_another_token(const std::string& name) {
  const std::size_t token = name.rfind('.') + 1;
  return name.substr(0, token) + std::string(name.size() - token, name.back() == '0' ? '1' : '0');
}

void check_name(const std::string& name) {
  const auto id = parse_id(name);
  if (id) require(id->text() == name, "two names for one id");
  const auto fence = protocol::fence_number(name);
  if (fence) require(protocol::fence_path(*fence) == protocol::in_readers(name), "two names for one fence");
  require(!fence || !protocol::counts_as_reader(name), "a fence counts as a reader");
  const std::string shown = protocol::shown_name(name);
  require(!has_control_bytes(shown), "a name is shown with control bytes");
  if (MarkerId::parse(protocol::without_prefix(name))) {
    require(protocol::shown_name(with_another_token(name)) == shown, "a token is shown");
  }
  const std::string host = protocol::clean_host(name);
  const MarkerId own{host, 1, std::chrono::milliseconds(1), std::string(32, '0')};
  require(MarkerId::parse(own.text()).has_value(), "a host's name makes an id that does not parse");
}

void check_record(const std::string& text) {
  const auto record = Record::parse(text);
  if (!record) return;
  const std::string line = record->text();
  require(line.size() <= protocol::longest_record, "a record grows beyond its limit");
  require(line.find('\n') == std::string::npos, "a record of two lines");
  const auto again = Record::parse(line);
  require(again.has_value(), "a record is not taken back");
  require(again->text() == line, "a record reads differently the second time");
  require(again->token == record->token && again->process.pid == record->process.pid &&
              again->process.start == record->process.start && again->process.pidns == record->process.pidns &&
              again->sole == record->sole && again->process_group == record->process_group &&
              again->lease == record->lease,
          "a record loses what decides over lives");
}

}  // namespace
}  // namespace rwlease::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  rwlease::fuzz::check_record(text);
  rwlease::fuzz::check_name(text);
  return 0;
}
