// The bodies of Asio and Beast, compiled once: every other file sees declarations only, which
// saves about a second and much memory per file that includes them.
#include <utility>

#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
