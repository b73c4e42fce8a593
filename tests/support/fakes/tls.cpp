#include "tests/support/fakes/tls.h"

#include <arpa/inet.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <ctime>
#include <stdexcept>

namespace evenkeel::test {
namespace {

void must(int code) {
  if (code < 0) throw std::runtime_error(gnutls_strerror(code));
}

gnutls_datum_t datum(const std::string& text) {
  return {reinterpret_cast<unsigned char*>(const_cast<char*>(text.data())),
          static_cast<unsigned>(text.size())};
}

struct Key {
  gnutls_x509_privkey_t key{};
  Key() {
    must(gnutls_x509_privkey_init(&key));
    const unsigned bits = GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1);
    must(gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, bits, 0));
  }
  ~Key() { gnutls_x509_privkey_deinit(key); }
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;
  [[nodiscard]] std::string pem() const {
    gnutls_datum_t out{};
    must(gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, &out));
    std::string text(reinterpret_cast<char*>(out.data), out.size);
    gnutls_free(out.data);
    return text;
  }
};

struct Leaf {
  gnutls_x509_crt_t crt{};
  Leaf(const std::string& name, const Key& key) {
    must(gnutls_x509_crt_init(&crt));
    must(gnutls_x509_crt_set_version(crt, 3));
    std::array<unsigned char, 8> serial{1};
    must(gnutls_rnd(GNUTLS_RND_NONCE, &serial[1], serial.size() - 1));
    must(gnutls_x509_crt_set_serial(crt, serial.data(), serial.size()));
    must(gnutls_x509_crt_set_activation_time(crt, std::time(nullptr) - 3600));
    must(gnutls_x509_crt_set_expiration_time(crt, std::time(nullptr) + 86400));
    must(gnutls_x509_crt_set_dn_by_oid(crt, GNUTLS_OID_X520_COMMON_NAME, 0, name.data(),
                                       static_cast<unsigned>(name.size())));
    must(gnutls_x509_crt_set_key(crt, key.key));
  }
  ~Leaf() { gnutls_x509_crt_deinit(crt); }
  Leaf(const Leaf&) = delete;
  Leaf& operator=(const Leaf&) = delete;
  void also_called(const std::string& name) const {
    std::array<unsigned char, 16> address{};
    const bool v4 = ::inet_pton(AF_INET, name.c_str(), address.data()) == 1;
    const bool v6 = !v4 && ::inet_pton(AF_INET6, name.c_str(), address.data()) == 1;
    if (v4 || v6) {
      must(gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_IPADDRESS, address.data(), v4 ? 4 : 16,
                                                GNUTLS_FSAN_APPEND));
    } else {
      must(gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_DNSNAME, name.data(),
                                                static_cast<unsigned>(name.size()), GNUTLS_FSAN_APPEND));
    }
  }
  [[nodiscard]] std::string pem() const {
    gnutls_datum_t out{};
    must(gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_PEM, &out));
    std::string text(reinterpret_cast<char*>(out.data), out.size);
    gnutls_free(out.data);
    return text;
  }
};

class PlainStream : public Stream {
 public:
  explicit PlainStream(Fd socket) : socket_(std::move(socket)) {}
  long read(char* into, std::size_t size) override { return ::recv(socket_.get(), into, size, 0); }
  bool write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void finish() override { ::shutdown(socket_.get(), SHUT_WR); }
  [[nodiscard]] std::string peer() const override { return {}; }
  [[nodiscard]] int fd() const override { return socket_.get(); }

 private:
  Fd socket_;
};

class TlsStream : public Stream {
 public:
  TlsStream(Fd socket, unsigned side) : socket_(std::move(socket)) {
    must(gnutls_init(&session_, side | GNUTLS_NO_SIGNAL));
    must(gnutls_certificate_allocate_credentials(&credentials_));
    must(gnutls_set_default_priority(session_));
    gnutls_transport_set_int(session_, socket_.get());
  }
  ~TlsStream() override {
    gnutls_deinit(session_);
    gnutls_certificate_free_credentials(credentials_);
  }
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;
  void show(const Certificate& us, const std::string& client_authorities) {
    const auto certificate = datum(us.certificate), key = datum(us.key);
    must(gnutls_certificate_set_x509_key_mem(credentials_, &certificate, &key, GNUTLS_X509_FMT_PEM));
    if (client_authorities.empty()) return;
    const auto authorities = datum(client_authorities);
    must(gnutls_certificate_set_x509_trust_mem(credentials_, &authorities, GNUTLS_X509_FMT_PEM));
    gnutls_certificate_server_set_request(session_, GNUTLS_CERT_REQUEST);
  }
  bool handshake() {
    must(gnutls_credentials_set(session_, GNUTLS_CRD_CERTIFICATE, credentials_));
    int code = 0;
    do {
      code = gnutls_handshake(session_);
    } while (code < 0 && gnutls_error_is_fatal(code) == 0);
    return code == GNUTLS_E_SUCCESS;
  }
  long read(char* into, std::size_t size) override {
    long got = 0;
    do {
      got = gnutls_record_recv(session_, into, size);
    } while (got == GNUTLS_E_INTERRUPTED || got == GNUTLS_E_AGAIN);
    return got;
  }
  bool write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const auto sent = gnutls_record_send(session_, bytes.data(), bytes.size());
      if (sent == GNUTLS_E_INTERRUPTED || sent == GNUTLS_E_AGAIN) continue;
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void finish() override { gnutls_bye(session_, GNUTLS_SHUT_WR); }
  /// From a certificate signed by the client authority.
  [[nodiscard]] std::string peer() const override {
    unsigned count = 0, wrong = 0;
    const auto* shown = gnutls_certificate_get_peers(session_, &count);
    if (shown == nullptr || gnutls_certificate_verify_peers2(session_, &wrong) < 0 || wrong != 0) return {};
    gnutls_x509_crt_t crt{};
    must(gnutls_x509_crt_init(&crt));
    std::array<char, 256> name{};
    std::size_t size = name.size();
    if (gnutls_x509_crt_import(crt, shown, GNUTLS_X509_FMT_DER) == 0)
      gnutls_x509_crt_get_dn_by_oid(crt, GNUTLS_OID_X520_COMMON_NAME, 0, 0, name.data(), &size);
    gnutls_x509_crt_deinit(crt);
    return name.data();
  }
  [[nodiscard]] int fd() const override { return socket_.get(); }

 private:
  Fd socket_;
  gnutls_session_t session_{};
  gnutls_certificate_credentials_t credentials_{};
};

}  // namespace

struct Authority::Impl {
  Key key{};
  Leaf leaf;
  explicit Impl(const std::string& name) : leaf(name, key) {
    must(gnutls_x509_crt_set_basic_constraints(leaf.crt, 1, -1));
    must(gnutls_x509_crt_set_key_usage(leaf.crt, GNUTLS_KEY_KEY_CERT_SIGN | GNUTLS_KEY_CRL_SIGN));
    must(gnutls_x509_crt_sign2(leaf.crt, leaf.crt, key.key, GNUTLS_DIG_SHA256, 0));
  }
};

Authority::Authority(const std::string& name) : impl_(std::make_unique<Impl>(name)) {}
Authority::~Authority() = default;
std::string Authority::certificate() const { return impl_->leaf.pem(); }

Certificate Authority::issue(const std::vector<std::string>& names) const {
  const Key key;
  const Leaf leaf(names.front(), key);
  for (const auto& name : names) leaf.also_called(name);
  must(gnutls_x509_crt_set_basic_constraints(leaf.crt, 0, -1));
  must(gnutls_x509_crt_set_key_usage(leaf.crt, GNUTLS_KEY_DIGITAL_SIGNATURE));
  must(gnutls_x509_crt_sign2(leaf.crt, impl_->leaf.crt, impl_->key.key, GNUTLS_DIG_SHA256, 0));
  return {leaf.pem(), key.pem()};
}

std::unique_ptr<Stream> plain_stream(Fd socket) { return std::make_unique<PlainStream>(std::move(socket)); }

std::unique_ptr<Stream> serve_tls(Fd socket, const Certificate& us, const std::string& client_authorities) {
  auto stream = std::make_unique<TlsStream>(std::move(socket), GNUTLS_SERVER);
  stream->show(us, client_authorities);
  return stream->handshake() ? std::move(stream) : nullptr;
}

std::unique_ptr<Stream> connect_tls(Fd socket) {
  auto stream = std::make_unique<TlsStream>(std::move(socket), GNUTLS_CLIENT);
  return stream->handshake() ? std::move(stream) : nullptr;
}

}  // namespace evenkeel::test
