#include "k8s/net/endpoint.hpp"

#include "k8s/base/small_file.hpp"
#include "k8s/base/time.hpp"
#include "k8s/credentials/exec/run_plugin.hpp"
#include "k8s/net/tls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace k8s {
namespace {

bool has_files(const Access& access) {
    return !access.ca_file.empty() || !access.client_certificate_file.empty() ||
           !access.client_key_file.empty();
}

// An empty file is no content: without a CA the system's roots would be trusted instead.
core::Result<core::Done> read_into(std::string& pem, const std::string& file) {
    if (file.empty()) return core::Done{};
    auto content = read_small_file(file, pem_max);
    if (!content || content->empty()) return core::Error{"cannot read " + file};
    pem = *std::move(content);
    return core::Done{};
}

core::Result<Access> read_files(Access access) {
    auto done = read_into(access.ca_pem, access.ca_file);
    if (done) done = read_into(access.client_certificate_pem, access.client_certificate_file);
    if (done) done = read_into(access.client_key_pem, access.client_key_file);
    if (!done) return done.error();
    return access;
}

}  // namespace

Endpoint::Endpoint(Access access, std::string user_agent)
    : access_(std::move(access)),
      user_agent_(std::move(user_agent)),
      token_(access_.token, access_.token_file) {}

core::Result<std::shared_ptr<Endpoint>> Endpoint::make(Access access, std::string user_agent) {
    std::shared_ptr<Endpoint> made(new Endpoint(std::move(access), std::move(user_agent)));
    if (auto asked = made->ask_plugin(); !asked) return asked.error();
    if (made->access_.tls) {
        auto tls = TlsContext::make(made->access_);
        if (!tls) return tls.error();
        made->tls_ = *tls;
    }
    return made;
}

core::Result<core::Done> Endpoint::ask_plugin() {
    if (!access_.plugin) return core::Done{};
    // Whoever can write a pod's kubeconfig would run programs there with the pod's rights.
    if (is_in_cluster()) {
        return core::Error{
            "user: exec: in a pod no program of a kubeconfig is run; use the pod's own credentials"};
    }
    auto first = run_plugin(*access_.plugin);
    if (!first) return first.error();
    access_.client_certificate_pem = first->client_certificate_pem;
    access_.client_key_pem = first->client_key_pem;
    renewal_ = std::make_unique<Renewal>(*access_.plugin, *std::move(first), unix_ms());
    return core::Done{};
}

const std::string& Endpoint::token(std::int64_t now_ms) {
    if (renewal_) return renewal_->credential().token;
    const std::string& token = token_.current(now_ms);
    set_problem(problems_.token, "token", token_.problem());
    return token;
}

bool Endpoint::token_refused(std::uint64_t credential, std::int64_t now_ms) {
    if (renewal_) {
        renew();
        renewal_->refused(credential, unix_ms());
        return renewal_->number() != credential;
    }
    const bool is_new = token_.refused(now_ms);
    set_problem(problems_.token, "token", token_.problem());
    return is_new;
}

bool Endpoint::is_expired() const {
    return renewal_ && renewal_->is_expired(unix_ms());
}

void Endpoint::renew() {
    if (renewal_->step(unix_ms())) take_certificate(renewal_->credential());
    set_problem(problems_.token, "plugin", renewal_->problem());
}

void Endpoint::take_certificate(const ExecCredential& credential) {
    if (credential.client_certificate_pem == access_.client_certificate_pem &&
        credential.client_key_pem == access_.client_key_pem) {
        return;
    }
    Access fresh = access_;
    fresh.client_certificate_pem = credential.client_certificate_pem;
    fresh.client_key_pem = credential.client_key_pem;
    if (tls_) {
        auto tls = TlsContext::make(fresh);
        if (!tls) return set_problem(problems_.trust, "trust", tls.error().message);
        tls_ = *tls;
    }
    access_ = std::move(fresh);
    ++identity_;
    set_problem(problems_.trust, "trust", "");
}

void Endpoint::refresh(std::int64_t now_ms) {
    if (renewal_) renew();
    if (!tls_ || !has_files(access_)) return;
    if (!std::exchange(trust_was_asked_, true)) {
        // As fresh as the start: the files were read for it.
        trust_read_ms_ = now_ms;
        trust_due_ms_ = now_ms + trust_reread_ms;
    }
    if (now_ms >= trust_due_ms_) read_trust(now_ms);
}

void Endpoint::handshake_failed(std::int64_t now_ms) {
    trust_due_ms_ = std::min(trust_due_ms_, trust_read_ms_ + trust_retry_ms);
    refresh(now_ms);
}

void Endpoint::read_trust(std::int64_t now_ms) {
    trust_read_ms_ = now_ms;
    trust_due_ms_ = now_ms + trust_retry_ms;
    auto fresh = read_files(access_);
    if (!fresh) return set_problem(problems_.trust, "trust", fresh.error().message);
    const bool same_client = fresh->client_certificate_pem == access_.client_certificate_pem &&
                             fresh->client_key_pem == access_.client_key_pem;
    if (!same_client || fresh->ca_pem != access_.ca_pem) {
        auto tls = TlsContext::make(*fresh);
        if (!tls) return set_problem(problems_.trust, "trust", tls.error().message);
        tls_ = *tls;
        access_ = *std::move(fresh);
        if (!same_client) ++identity_;
        if (notice_) notice_(NoticeLevel::info, "new certificates are in use");
    }
    trust_due_ms_ = now_ms + trust_reread_ms;
    set_problem(problems_.trust, "trust", "");
}

void Endpoint::set_problem(std::string& problem, const char* what, std::string now) {
    if (problem == now) return;
    problem = std::move(now);
    if (!notice_) return;
    if (problem.empty()) {
        notice_(NoticeLevel::info, fmt::format("credentials={} are good again", what));
    } else {
        notice_(
            NoticeLevel::error,
            fmt::format("credentials={} problem=\"{}\" the old ones stay in use", what, problem));
    }
}

void Endpoint::set_notice(NoticeSink notice) {
    notice_ = std::move(notice);
    if (!notice_ || !access_.tls || !access_.insecure_skip_verify) return;
    notice_(
        NoticeLevel::warning,
        "insecure-skip-tls-verify: whoever answers is taken for the API server and gets our token");
}

}  // namespace k8s
