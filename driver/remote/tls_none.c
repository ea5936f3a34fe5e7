/* driver/remote/tls.h where there is no OpenSSL. */
#include "driver/remote/tls.h"

const bool tls_is_built = false;

bool tls_open(int socket, const struct key *key, bool is_server, struct tls **tls,
              struct weft_error *error) {
    (void)socket;
    (void)key;
    (void)is_server;
    (void)tls;
    return weft_fail(error, WEFT_TARGET, 0,
                     "built without TLS: scripts/setup installs libssl-dev, then build again");
}

enum tls_state tls_handshake(struct tls *tls) {
    (void)tls;
    return TLS_FAILED;
}

enum tls_state tls_read(struct tls *tls, void *bytes, size_t length, size_t *got) {
    (void)tls;
    (void)bytes;
    (void)length;
    (void)got;
    return TLS_FAILED;
}

enum tls_state tls_write(struct tls *tls, struct tls_writer *writer) {
    (void)tls;
    (void)writer;
    return TLS_FAILED;
}

void tls_close(struct tls *tls) {
    (void)tls;
}
