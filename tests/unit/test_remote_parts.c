/* The parts of driver/remote by themselves: hashes, frames, keys, addresses, the queue, the cache,
 * images. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/sha256.h"
#include "driver/remote/address.h"
#include "driver/remote/cache.h"
#include "driver/remote/image.h"
#include "driver/remote/key.h"
#include "driver/remote/message.h"
#include "driver/remote/protocol.h"
#include "driver/remote/queue.h"
#include "driver/remote/tls.h"
#include "tests/unit/folder.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* ---- SHA-256 ---- */

static void assert_hash(const void *bytes, size_t length, const char *expected) {
    struct weft_sha256 hash;
    uint8_t digest[WEFT_SHA256_BYTES];
    char text[2 * WEFT_SHA256_BYTES + 1];
    weft_sha256_start(&hash);
    weft_sha256_add(&hash, bytes, length);
    weft_sha256_end(&hash, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        (void)snprintf(text + 2 * i, 3, "%02x", digest[i]);
    }
    assert_string_equal(text, expected);
}

/* Examples of FIPS 180-4, and lengths around a block as sha256sum answers them. */
static void sha256_is_that_of_the_standard(void **state) {
    (void)state;
    static char many[1000000];
    memset(many, 'a', sizeof many);
    assert_hash(NULL, 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_hash("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_hash(many, sizeof many,
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    assert_hash(many, 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    assert_hash(many, 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

static void sha256_takes_bytes_in_any_portions(void **state) {
    (void)state;
    uint8_t bytes[300];
    uint8_t expected[WEFT_SHA256_BYTES];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 7);
    }
    for (size_t portion = 1; portion <= sizeof bytes; portion++) {
        struct weft_sha256 hash;
        uint8_t digest[WEFT_SHA256_BYTES];
        weft_sha256_start(&hash);
        for (size_t i = 0; i < sizeof bytes; i += portion) {
            size_t left = sizeof bytes - i;
            weft_sha256_add(&hash, bytes + i, left < portion ? left : portion);
        }
        weft_sha256_end(&hash, digest);
        if (portion == 1) {
            memcpy(expected, digest, sizeof digest);
        }
        assert_memory_equal(digest, expected, sizeof digest);
    }
}

/* ---- frames ---- */

struct kind {
    uint32_t number;
    enum frame_sender sender;
    uint64_t fields;
    uint64_t tail;
};

static const struct kind kinds[] = {
#define WEFT_FRAME(NAME, name, number, sender, tail)                                               \
    {number, FRAME_##sender, FRAME_##NAME##_BYTES, tail},
#define WEFT_U32(field)
#define WEFT_U64(field)
#define WEFT_U64S(field, count)
#define WEFT_BYTES(field, count)
#define WEFT_END(NAME, name)
#include "driver/remote/protocol.def"
};

static bool read_header(uint32_t number, uint32_t zero, uint64_t length, enum frame_sender sender,
                        struct weft_error *error) {
    struct frame frame;
    uint8_t bytes[FRAME_HEADER_BYTES];
    weft_write_u32(bytes, number);
    weft_write_u32(bytes + 4, zero);
    weft_write_u64(bytes + 8, length);
    return frame_header_read(bytes, sender, &frame, error);
}

/* Nothing is received, and so nothing allocated, of a frame that is too long for its kind. */
static void lengths_are_held_to_the_limits_of_their_kind(void **state) {
    (void)state;
    struct weft_error error;
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        const struct kind *kind = &kinds[i];
        const uint64_t wrong[] = {kind->fields - 1, kind->fields + kind->tail + 1,
                                  UINT64_C(1) << 34, UINT64_MAX, 0};
        ASSERT_GOOD(read_header(kind->number, 0, kind->fields, kind->sender, &error), error);
        ASSERT_GOOD(read_header(kind->number, 0, kind->fields + kind->tail, kind->sender, &error),
                    error);
        for (size_t k = 0; k < LENGTH(wrong); k++) {
            ASSERT_FAILS(read_header(kind->number, 0, wrong[k], kind->sender, &error), error,
                         WEFT_PROTOCOL);
            assert_int_equal(error.position, kind->number);
        }
        if (kind->tail < UINT32_MAX) {
            ASSERT_FAILS(read_header(kind->number, 0, UINT32_MAX, kind->sender, &error), error,
                         WEFT_PROTOCOL);
        }
        ASSERT_FAILS(read_header(kind->number, 1, kind->fields, kind->sender, &error), error,
                     WEFT_PROTOCOL);
        ASSERT_FAILS(read_header(kind->number, 0, kind->fields,
                                 kind->sender == FRAME_CLIENT ? FRAME_SERVER : FRAME_CLIENT,
                                 &error),
                     error, WEFT_PROTOCOL);
    }
    ASSERT_FAILS(read_header(0, 0, 8, FRAME_CLIENT, &error), error, WEFT_PROTOCOL);
    assert_string_equal(frame_name(0), "unknown");
    assert_string_equal(frame_name(FRAME_RUN), "RUN");
}

static void fields_are_little_endian_one_after_the_other(void **state) {
    (void)state;
    uint8_t bytes[FRAME_LOAD_BYTES];
    struct frame_load load = {.number = 0x01020304,
                              .writable = 5,
                              .program_bytes = UINT64_C(0x1112131415161718),
                              .constant_bytes = 6,
                              .limits = {7, 8, 9, 10, 11, 12, 13, 14},
                              .hash = {0xaa, 0xbb}};
    static const uint8_t beginning[] = {4, 3, 2, 1, 5, 0, 0, 0, 0x18, 0x17, 0x16, 0x15};
    encode_load(bytes, &load);
    assert_int_equal(sizeof bytes, 4 + 4 + 8 + 8 + 64 + 32);
    assert_memory_equal(bytes, beginning, sizeof beginning);
    assert_int_equal(bytes[24], 7);
    assert_int_equal(bytes[88], 0xaa);
    struct frame_load again = decode_load(bytes);
    assert_memory_equal(&again, &load, sizeof load);
}

static void open_channels(struct channel ends[2]) {
    int pair[2];
    struct weft_error error;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    for (int i = 0; i < 2; i++) {
        ASSERT_GOOD(channel_open(&ends[i], pair[i], CHANNEL_FOREVER, &error), error);
    }
}

static void errors_keep_code_position_and_message(void **state) {
    (void)state;
    struct channel ends[2];
    struct weft_error error;
    open_channels(ends);
    for (unsigned code = 1; code < WEFT_ERROR_CODES; code++) {
        struct frame frame;
        struct weft_error sent;
        struct weft_error got;
        char longest[600];
        memset(longest, 'x', sizeof longest - 1);
        longest[sizeof longest - 1] = '\0';
        weft_error_set(&sent, (enum weft_error_code)code, code * UINT64_C(10000000000), "%s",
                       code % 2 == 0 ? "what is wrong, and where" : longest);
        ASSERT_GOOD(frame_send_error(&ends[0], &sent, &error), error);
        ASSERT_GOOD(frame_receive(&ends[1], FRAME_SERVER, &frame, &error), error);
        ASSERT_GOOD(frame_receive_error(&ends[1], &frame, &got, &error), error);
        assert_int_equal(got.code, sent.code);
        assert_int_equal(got.position, sent.position);
        assert_string_equal(got.message, sent.message);
    }
    channel_close(&ends[0]);
    channel_close(&ends[1]);
}

/* ---- channels ---- */

enum {
    TIME_OUT = 60000, /* milliseconds: something hangs */
};

/* A client may say nothing for as long as it likes, but not begin and then say nothing. */
static void what_has_begun_must_go_on(void **state) {
    (void)state;
    struct channel ends[2];
    struct weft_error error;
    char bytes[16] = "";
    struct iovec part = {.iov_base = bytes, .iov_len = sizeof bytes};
    open_channels(ends);
    ASSERT_GOOD(channel_send(&ends[0], &part, 1, &error), error);
    ASSERT_GOOD(channel_receive_start(&ends[1], bytes, sizeof bytes, TIME_OUT, &error), error);
    for (part.iov_len = 1; part.iov_len < sizeof bytes; part.iov_len += 14) {
        ends[1].deadline = CHANNEL_FOREVER;
        ends[1].broken = false;
        ASSERT_GOOD(channel_send(&ends[0], &part, 1, &error), error);
        ASSERT_FAILS(channel_receive_start(&ends[1], bytes, sizeof bytes, 20, &error), error,
                     WEFT_TIMEOUT);
    }
    channel_close(&ends[0]);
    channel_close(&ends[1]);
}

struct handshake {
    struct channel *channel;
    struct weft_error error;
};

static void *shake_hands(void *context) {
    struct handshake *handshake = context;
    static const struct key key = {.length = KEY_LEAST_BYTES};
    return channel_secure(handshake->channel, &key, true, &handshake->error) ? context : NULL;
}

/* A watcher that tells a client that it took too long must keep away from a handshake: OpenSSL is
 * for one thread at a time, and what is not secret yet is not for the client. */
static void nobody_else_sends_in_a_handshake(void **state) {
    (void)state;
    struct channel ends[2];
    struct handshake handshake = {.channel = &ends[0]};
    pthread_t thread;
    void *result = NULL;
    char byte = 0;
    uint64_t end = channel_now() + TIME_OUT;
    if (!tls_is_built) {
        skip();
    }
    open_channels(ends);
    assert_int_equal(pthread_create(&thread, NULL, shake_hands, &handshake), 0);
    while (pthread_mutex_trylock(&ends[0].lock) == 0) { /* it has not begun */
        (void)pthread_mutex_unlock(&ends[0].lock);
        assert_true(channel_now() < end);
    }
    assert_false(channel_try_send(&ends[0], "x", 1));
    assert_int_equal(recv(ends[1].socket, &byte, 1, MSG_DONTWAIT), -1);
    assert_false(ends[0].broken);
    assert_int_equal(shutdown(ends[1].socket, SHUT_WR), 0); /* the client goes */
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_null(result);
    assert_int_equal(handshake.error.code, WEFT_REFUSED);
    channel_close(&ends[0]);
    channel_close(&ends[1]);
}

/* ---- keys ---- */

static const char digits[] = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eFF";

static void a_key_is_a_line_of_digits_in_a_file_of_ones_own(void **state) {
    (void)state;
    struct folder folder = folder_new();
    struct weft_error error;
    struct key key;
    char text[200];
    (void)snprintf(text, sizeof text, "%s\n", digits);
    const char *path = folder_write(&folder, "key", text, strlen(text));
    for (unsigned mode = 0; mode < 0100; mode++) {
        assert_int_equal(chmod(path, 0600 | mode), 0);
        if (mode == 0) {
            ASSERT_GOOD(key_read(path, &key, &error), error);
        } else {
            ASSERT_FAILS(key_read(path, &key, &error), error, WEFT_ARGUMENT);
            assert_non_null(strstr(error.message, "chmod 600"));
        }
    }
    assert_int_equal(key.length, 32);
    assert_int_equal(key.bytes[1], 1);
    assert_int_equal(key.bytes[31], 0xff);
    const char *const wrong[] = {"", "00", "\n", "xyz", digits + 1, digits + 2};
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        path = folder_write(&folder, "key", wrong[i], strlen(wrong[i]));
        assert_int_equal(chmod(path, 0600), 0);
        ASSERT_FAILS(key_read(path, &key, &error), error, WEFT_ARGUMENT);
        assert_non_null(strstr(error.message, "hexadecimal digits"));
        assert_null(strstr(error.message, "0a0b0c")); /* no key in a message */
    }
    for (size_t length = 60; length < 104; length++) {
        bool good = length % 2 == 0 && length >= 64 && length <= 96;
        memset(text, 'a', length);
        path = folder_write(&folder, "key", text, length);
        assert_int_equal(chmod(path, 0600), 0);
        assert_int_equal(key_read(path, &key, &error), good);
    }
    (void)snprintf(text, sizeof text, "%s\n\n", digits);
    path = folder_write(&folder, "key", text, strlen(text));
    assert_int_equal(chmod(path, 0600), 0);
    ASSERT_FAILS(key_read(path, &key, &error), error, WEFT_ARGUMENT);
    ASSERT_FAILS(key_read(folder.path, &key, &error), error, WEFT_ARGUMENT);
    ASSERT_FAILS(key_read("/nowhere/key", &key, &error), error, WEFT_IO);
    folder_free(&folder);
}

/* ---- addresses ---- */

static void addresses_have_a_host_and_a_port(void **state) {
    (void)state;
    static const char *const wrong[] = {"",        "127.0.0.1",     "127.0.0.1:", "127.0.0.1:65536",
                                        "::1:80",  "127.0.0.1:-1",  "[::1]",      "127.0.0.1:80 ",
                                        "[::1:80", "127.0.0.1:0x50"};
    struct weft_error error;
    char text[ADDRESS_BYTES];
    int listener = -1;
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        ASSERT_FAILS(address_listen(wrong[i], false, &listener, text, &error), error,
                     WEFT_ARGUMENT);
    }
    static const char *const good[] = {"127.0.0.1:0", "[::1]:0", ":0", "127.1.2.3:0"};
    static const char *const taken[] = {"127.0.0.1:", "[::1]:", "127.0.0.1:", "127.1.2.3:"};
    for (size_t i = 0; i < LENGTH(good); i++) {
        int client = -1;
        if (!address_listen(good[i], false, &listener, text, &error)) {
            assert_int_equal(i, 1); /* a machine need not have IPv6 */
            continue;
        }
        assert_memory_equal(text, taken[i], strlen(taken[i]));
        assert_string_not_equal(text + strlen(taken[i]), "0");
        ASSERT_GOOD(address_connect(text, false, channel_now() + 10000, &client, &error), error);
        (void)close(client);
        (void)close(listener);
        ASSERT_FAILS(address_connect(text, false, channel_now() + 10000, &client, &error), error,
                     WEFT_REFUSED);
    }
}

static void addresses_that_others_can_reach_need_a_key(void **state) {
    (void)state;
    static const char *const open[] = {"0.0.0.0:0", "[::]:0", "192.0.2.1:80"};
    struct weft_error error;
    char text[ADDRESS_BYTES];
    int made = -1;
    for (size_t i = 0; i < LENGTH(open); i++) {
        ASSERT_FAILS(address_listen(open[i], false, &made, text, &error), error, WEFT_ARGUMENT);
        assert_non_null(strstr(error.message, "--key-file"));
        ASSERT_FAILS(address_connect(open[i], false, channel_now() + 10000, &made, &error), error,
                     WEFT_ARGUMENT);
    }
    ASSERT_GOOD(address_listen("0.0.0.0:0", true, &made, text, &error), error);
    (void)close(made);
}

/* ---- the queue ---- */

static void the_device_goes_to_who_asked_first(void **state) {
    (void)state;
    struct queue queue = queue_new(3);
    assert_int_equal(queue_grant(&queue), QUEUE_NOBODY);
    assert_true(queue_ask(&queue, 5));
    assert_int_equal(queue_grant(&queue), 5);
    assert_true(queue_ask(&queue, 2));
    assert_true(queue_ask(&queue, 9));
    assert_true(queue_ask(&queue, 1));
    assert_false(queue_ask(&queue, 7)); /* too many */
    assert_int_equal(queue_grant(&queue), QUEUE_NOBODY);
    assert_int_equal(queue_before(&queue, 2), 1);
    assert_int_equal(queue_before(&queue, 1), 3);
    queue_leave(&queue, 9); /* one that waits */
    queue_leave(&queue, 4); /* one that is not there */
    assert_int_equal(queue_before(&queue, 1), 2);
    queue_leave(&queue, 5); /* the one that has it */
    assert_int_equal(queue_grant(&queue), 2);
    queue_leave(&queue, 2);
    assert_int_equal(queue_grant(&queue), 1);
    queue_leave(&queue, 1);
    assert_int_equal(queue_grant(&queue), QUEUE_NOBODY);
    assert_int_equal(queue.count, 0);
}

static void a_queue_of_nobody_still_gives_the_device_away(void **state) {
    (void)state;
    struct queue queue = queue_new(0);
    assert_true(queue_ask(&queue, 3));
    assert_int_equal(queue_grant(&queue), 3);
    assert_false(queue_ask(&queue, 4));
}

/* ---- images and the cache ---- */

static void hash_of(uint8_t hash[WEFT_SHA256_BYTES], uint8_t first) {
    memset(hash, 0, WEFT_SHA256_BYTES);
    hash[0] = first;
}

/* An open file that is told from others by what is in it. */
static int sealed_file(uint8_t content, size_t length) {
    struct image image;
    struct weft_error error;
    ASSERT_GOOD(image_create(length, &image, &error), error);
    memset(image.bytes, content, length);
    ASSERT_GOOD(image_seal(&image, &error), error);
    int file = dup(image.file);
    assert_true(file >= 0);
    image_free(&image);
    return file;
}

static void a_cache_keeps_what_was_asked_for_last(void **state) {
    (void)state;
    struct cache cache = cache_new(100);
    uint8_t hash[WEFT_SHA256_BYTES];
    for (uint8_t i = 1; i <= 3; i++) {
        hash_of(hash, i);
        cache_keep(&cache, hash, 30, sealed_file(i, 30));
    }
    assert_int_equal(cache.total, 90);
    hash_of(hash, 1);
    assert_true(cache_find(&cache, hash, 30) >= 0);
    assert_int_equal(cache_find(&cache, hash, 31), -1); /* another length */
    hash_of(hash, 4);
    cache_keep(&cache, hash, 20, sealed_file(4, 20)); /* 2 was not asked for for longest */
    assert_int_equal(cache.total, 80);
    for (uint8_t i = 1; i <= 4; i++) {
        hash_of(hash, i);
        assert_int_equal(cache_find(&cache, hash, i == 4 ? 20 : 30) >= 0, i != 2);
    }
    cache_keep(&cache, hash, 20, sealed_file(4, 20)); /* again: nothing changes */
    assert_int_equal(cache.total, 80);
    hash_of(hash, 5);
    cache_keep(&cache, hash, 101, sealed_file(5, 101)); /* more than there is room for */
    assert_int_equal(cache.total, 80);
    cache_keep(&cache, hash, 100, sealed_file(5, 100)); /* all of it */
    assert_int_equal(cache.total, 100);
    cache_free(&cache);
    assert_int_equal(cache.total, 0);
}

static void a_cache_has_a_bound_of_files_too(void **state) {
    (void)state;
    struct cache cache = cache_new(1 << 20);
    uint8_t hash[WEFT_SHA256_BYTES];
    for (unsigned i = 0; i < CACHE_IMAGES + 10; i++) {
        hash_of(hash, (uint8_t)i);
        cache_keep(&cache, hash, 1, sealed_file((uint8_t)i, 1));
    }
    assert_int_equal(cache.total, CACHE_IMAGES);
    for (unsigned i = 0; i < CACHE_IMAGES + 10; i++) {
        hash_of(hash, (uint8_t)i);
        assert_int_equal(cache_find(&cache, hash, 1) >= 0, i >= 10);
    }
    cache_free(&cache);
}

static void a_sealed_image_stays_what_it_is(void **state) {
    (void)state;
    struct image image;
    struct image other;
    struct weft_error error;
    struct weft_sha256 hash;
    uint8_t digest[WEFT_SHA256_BYTES];
    ASSERT_GOOD(image_create(5000, &image, &error), error);
    memset(image.bytes, 7, 5000);
    assert_false(image_is_sealed(image.file, 5000));
    ASSERT_FAILS(image_open(dup(image.file), 5000, &other, &error), error, WEFT_INTERNAL);
    ASSERT_GOOD(image_seal(&image, &error), error);
    assert_true(image_is_sealed(image.file, 5000));
    assert_false(image_is_sealed(image.file, 4999));
    weft_sha256_start(&hash);
    weft_sha256_add(&hash, image.bytes, 5000);
    weft_sha256_end(&hash, digest);
    assert_true(image_matches(&image, digest));
    assert_int_equal(write(image.file, "x", 1), -1);
    assert_int_equal(ftruncate(image.file, 10), -1);
    image.bytes[0] = 1; /* of this process alone */
    assert_false(image_matches(&image, digest));
    ASSERT_GOOD(image_open(dup(image.file), 5000, &other, &error), error);
    assert_true(image_matches(&other, digest));
    image_free(&other);
    image_free(&image);
    assert_int_equal(image.file, -1);
}

/* ---- messages ---- */

static void messages_carry_files(void **state) {
    (void)state;
    int pair[2];
    int file = -1;
    struct message got;
    const struct message sent = {.kind = MESSAGE_KEEP, .number = 3, .length = 30};
    int given = sealed_file(9, 30);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    assert_false(message_receive(pair[1], false, &got, &file)); /* nothing there */
    assert_true(message_send(pair[0], &sent, given));
    assert_true(message_receive(pair[1], true, &got, &file));
    assert_memory_equal(&got, &sent, sizeof sent);
    assert_true(image_is_sealed(file, 30));
    (void)close(file);
    assert_true(message_send(pair[0], &sent, -1));
    assert_true(message_receive(pair[1], true, &got, &file));
    assert_int_equal(file, -1);
    assert_int_equal(send(pair[0], "short", 5, 0), 5);
    assert_false(message_receive(pair[1], true, &got, &file));
    (void)close(pair[0]);
    assert_false(message_receive(pair[1], true, &got, &file));
    (void)close(pair[1]);
    (void)close(given);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_is_that_of_the_standard),
        cmocka_unit_test(sha256_takes_bytes_in_any_portions),
        cmocka_unit_test(lengths_are_held_to_the_limits_of_their_kind),
        cmocka_unit_test(fields_are_little_endian_one_after_the_other),
        cmocka_unit_test(errors_keep_code_position_and_message),
        cmocka_unit_test(what_has_begun_must_go_on),
        cmocka_unit_test(nobody_else_sends_in_a_handshake),
        cmocka_unit_test(a_key_is_a_line_of_digits_in_a_file_of_ones_own),
        cmocka_unit_test(addresses_have_a_host_and_a_port),
        cmocka_unit_test(addresses_that_others_can_reach_need_a_key),
        cmocka_unit_test(the_device_goes_to_who_asked_first),
        cmocka_unit_test(a_queue_of_nobody_still_gives_the_device_away),
        cmocka_unit_test(a_cache_keeps_what_was_asked_for_last),
        cmocka_unit_test(a_cache_has_a_bound_of_files_too),
        cmocka_unit_test(a_sealed_image_stays_what_it_is),
        cmocka_unit_test(messages_carry_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
