#include "base/sha256.h"

#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t value, unsigned bits) {
    return value >> bits | value << (32 - bits);
}

static uint32_t read_big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
           (uint32_t)bytes[3];
}

static void write_big_endian(uint8_t *bytes, uint32_t value) {
    bytes[0] = (uint8_t)(value >> 24);
    bytes[1] = (uint8_t)(value >> 16);
    bytes[2] = (uint8_t)(value >> 8);
    bytes[3] = (uint8_t)value;
}

/* The names of the standard: w is the message schedule, a to h are the working variables. */
static void take_block(uint32_t state[8], const uint8_t *block) {
    uint32_t w[64];
    for (unsigned i = 0; i < 16; i++) {
        w[i] = read_big_endian(block + (size_t)4 * i);
    }
    for (unsigned i = 16; i < 64; i++) {
        uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t a = state[0];
    uint32_t b = state[1];
    uint32_t c = state[2];
    uint32_t d = state[3];
    uint32_t e = state[4];
    uint32_t f = state[5];
    uint32_t g = state[6];
    uint32_t h = state[7];
    for (unsigned i = 0; i < 64; i++) {
        uint32_t s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
        uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + constants[i] + w[i];
        uint32_t s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
        uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const uint32_t added[8] = {a, b, c, d, e, f, g, h};
    for (unsigned i = 0; i < 8; i++) {
        state[i] += added[i];
    }
}

void weft_sha256_start(struct weft_sha256 *hash) {
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, start, sizeof start);
    hash->length = 0;
}

void weft_sha256_add(struct weft_sha256 *hash, const void *bytes, size_t length) {
    const uint8_t *next = bytes;
    size_t used = (size_t)(hash->length % WEFT_SHA256_BLOCK);
    hash->length += length;
    while (length > 0) {
        size_t taken = WEFT_SHA256_BLOCK - used;
        if (used == 0 && length >= WEFT_SHA256_BLOCK) {
            take_block(hash->state, next);
        } else {
            taken = taken < length ? taken : length;
            memcpy(hash->block + used, next, taken);
            if (used + taken == WEFT_SHA256_BLOCK) {
                take_block(hash->state, hash->block);
            }
        }
        used = (used + taken) % WEFT_SHA256_BLOCK;
        next += taken;
        length -= taken;
    }
}

void weft_sha256_end(struct weft_sha256 *hash, uint8_t digest[WEFT_SHA256_BYTES]) {
    static const uint8_t padding[WEFT_SHA256_BLOCK] = {0x80};
    uint8_t bits[8];
    uint64_t length = hash->length;
    size_t used = (size_t)(length % WEFT_SHA256_BLOCK);
    write_big_endian(bits, (uint32_t)(length >> 29));
    write_big_endian(bits + 4, (uint32_t)(length << 3));
    weft_sha256_add(hash, padding, (used < 56 ? 56 : 120) - used);
    weft_sha256_add(hash, bits, sizeof bits);
    for (unsigned i = 0; i < 8; i++) {
        write_big_endian(digest + (size_t)4 * i, hash->state[i]);
    }
}
