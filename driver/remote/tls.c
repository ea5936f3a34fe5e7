/* TLS 1.3 by OpenSSL. The only way in is the pre-shared key: there are no certificates, no tickets,
 * no older version. Keys are exchanged anew for each connection (psk_dhe_ke), so that what was
 * recorded stays secret when the pre-shared key gets known. */
#include "driver/remote/tls.h"

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/memory.h"

/* What the key is called in the handshake. */
#define IDENTITY "weft"
#define SUITE    "TLS_AES_128_GCM_SHA256"

enum {
    RECORD_BYTES = 16384,      /* the most in one record of TLS */
    READ_AHEAD_BYTES = 200000, /* records are small: several are taken from the socket at once */
};

struct tls {
    int socket;
    SSL_CTX *context;
    SSL *ssl;
    BIO_METHOD *method;
    SSL_SESSION *session; /* the key, as OpenSSL has it */
    uint8_t record[RECORD_BYTES];
    size_t length; /* of the record that is being written; 0: the next one is to be filled */
};

const bool tls_is_built = true;

/* ---- the socket: as OpenSSL's own, but without a SIGPIPE when the other side has gone ---- */

static int socket_of(BIO *bio) {
    const struct tls *tls = BIO_get_data(bio);
    return tls->socket;
}

static bool may_retry(void) {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static int bio_write(BIO *bio, const char *bytes, int length) {
    ssize_t sent = send(socket_of(bio), bytes, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT);
    BIO_clear_retry_flags(bio);
    if (sent < 0 && may_retry()) {
        BIO_set_retry_write(bio);
    }
    return (int)sent;
}

static int bio_read(BIO *bio, char *bytes, int length) {
    ssize_t got = recv(socket_of(bio), bytes, (size_t)length, MSG_DONTWAIT);
    BIO_clear_retry_flags(bio);
    if (got < 0 && may_retry()) {
        BIO_set_retry_read(bio);
    }
    return (int)got;
}

static long bio_control(BIO *bio, int command, long number, void *pointer) {
    (void)bio;
    (void)number;
    (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

static BIO *make_bio(struct tls *tls) {
    tls->method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "socket");
    if (tls->method == NULL || BIO_meth_set_write(tls->method, bio_write) != 1 ||
        BIO_meth_set_read(tls->method, bio_read) != 1 ||
        BIO_meth_set_ctrl(tls->method, bio_control) != 1) {
        return NULL;
    }
    BIO *bio = BIO_new(tls->method);
    if (bio != NULL) {
        BIO_set_data(bio, tls);
        BIO_set_init(bio, 1);
    }
    return bio;
}

/* ---- the key ---- */

static struct tls *tls_of(SSL *ssl) {
    return SSL_get_app_data(ssl);
}

static int use_key(SSL *ssl, const EVP_MD *digest, const unsigned char **identity, size_t *length,
                   SSL_SESSION **session) {
    struct tls *tls = tls_of(ssl);
    (void)digest; /* that of the only suite */
    *identity = (const unsigned char *)IDENTITY;
    *length = strlen(IDENTITY);
    *session = SSL_SESSION_up_ref(tls->session) == 1 ? tls->session : NULL;
    return *session != NULL;
}

static int find_key(SSL *ssl, const unsigned char *identity, size_t length, SSL_SESSION **session) {
    struct tls *tls = tls_of(ssl);
    *session = NULL;
    if (length == strlen(IDENTITY) && memcmp(identity, IDENTITY, length) == 0 &&
        SSL_SESSION_up_ref(tls->session) == 1) {
        *session = tls->session;
    }
    return 1;
}

static bool make_session(struct tls *tls, const struct key *key) {
    static const unsigned char suite[] = {0x13, 0x01}; /* TLS_AES_128_GCM_SHA256 */
    tls->session = SSL_SESSION_new();
    return tls->session != NULL &&
           SSL_SESSION_set1_master_key(tls->session, key->bytes, key->length) == 1 &&
           SSL_SESSION_set_cipher(tls->session, SSL_CIPHER_find(tls->ssl, suite)) == 1 &&
           SSL_SESSION_set_protocol_version(tls->session, TLS1_3_VERSION) == 1;
}

/* ---- opening ---- */

static bool make_context(struct tls *tls, bool is_server) {
    tls->context = SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
    if (tls->context == NULL || SSL_CTX_set_min_proto_version(tls->context, TLS1_3_VERSION) != 1 ||
        SSL_CTX_set_ciphersuites(tls->context, SUITE) != 1 ||
        SSL_CTX_set_num_tickets(tls->context, 0) != 1) {
        return false;
    }
    (void)SSL_CTX_set_session_cache_mode(tls->context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_read_ahead(tls->context, 1);
    SSL_CTX_set_default_read_buffer_len(tls->context, READ_AHEAD_BYTES);
    /* A server that shows a certificate instead of the key is none of ours. */
    SSL_CTX_set_verify(tls->context, is_server ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_psk_use_session_callback(tls->context, use_key);
    SSL_CTX_set_psk_find_session_callback(tls->context, find_key);
    return true;
}

static bool make_connection(struct tls *tls, const struct key *key, bool is_server) {
    if (!make_context(tls, is_server)) {
        return false;
    }
    tls->ssl = SSL_new(tls->context);
    BIO *bio = tls->ssl == NULL ? NULL : make_bio(tls);
    if (bio == NULL) {
        return false;
    }
    SSL_set_bio(tls->ssl, bio, bio);
    if (is_server) {
        SSL_set_accept_state(tls->ssl);
    } else {
        SSL_set_connect_state(tls->ssl);
    }
    return SSL_set_app_data(tls->ssl, tls) == 1 && make_session(tls, key);
}

bool tls_open(int socket, const struct key *key, bool is_server, struct tls **tls,
              struct weft_error *error) {
    struct tls *made = weft_allocate(1, sizeof *made, "TLS", error);
    if (made == NULL) {
        return false;
    }
    made->socket = socket;
    if (!make_connection(made, key, is_server)) {
        ERR_clear_error();
        tls_close(made);
        return weft_no_memory(error, "TLS");
    }
    *tls = made;
    return true;
}

void tls_close(struct tls *tls) {
    if (tls == NULL) {
        return;
    }
    SSL_free(tls->ssl); /* and its BIO */
    SSL_SESSION_free(tls->session);
    SSL_CTX_free(tls->context);
    BIO_meth_free(tls->method);
    OPENSSL_cleanse(tls->record, sizeof tls->record);
    free(tls);
}

/* ---- reading and writing ---- */

static enum tls_state state_of(struct tls *tls, int result) {
    int kind = SSL_get_error(tls->ssl, result);
    ERR_clear_error();
    switch (kind) {
    case SSL_ERROR_NONE:
        return TLS_DONE;
    case SSL_ERROR_WANT_READ:
        return TLS_READS;
    case SSL_ERROR_WANT_WRITE:
        return TLS_WRITES;
    case SSL_ERROR_ZERO_RETURN:
    case SSL_ERROR_SYSCALL:
        return TLS_ENDED;
    default:
        return TLS_FAILED;
    }
}

enum tls_state tls_handshake(struct tls *tls) {
    enum tls_state state = state_of(tls, SSL_do_handshake(tls->ssl));
    /* Both know the key now, or TLS made do with something else. */
    return state == TLS_DONE && SSL_session_reused(tls->ssl) != 1 ? TLS_FAILED : state;
}

enum tls_state tls_read(struct tls *tls, void *bytes, size_t length, size_t *got) {
    return state_of(tls, SSL_read_ex(tls->ssl, bytes, length, got));
}

/* Fills a record with what comes next. */
static void fill(struct tls *tls, struct tls_writer *writer) {
    while (tls->length < RECORD_BYTES && writer->part < writer->count) {
        const struct iovec *part = &writer->parts[writer->part];
        size_t taken = part->iov_len - writer->offset;
        size_t room = RECORD_BYTES - tls->length;
        taken = taken < room ? taken : room;
        if (taken > 0) {
            memcpy(tls->record + tls->length, (const uint8_t *)part->iov_base + writer->offset,
                   taken);
        }
        tls->length += taken;
        writer->offset += taken;
        if (writer->offset == part->iov_len) {
            writer->part++;
            writer->offset = 0;
        }
    }
}

enum tls_state tls_write(struct tls *tls, struct tls_writer *writer) {
    for (;;) {
        if (tls->length == 0) {
            fill(tls, writer);
        }
        if (tls->length == 0) {
            return TLS_DONE;
        }
        size_t written = 0;
        enum tls_state state =
            state_of(tls, SSL_write_ex(tls->ssl, tls->record, tls->length, &written));
        if (state != TLS_DONE) {
            return state;
        }
        tls->length = 0;
    }
}
