/* The machine as a PCI card of User-Mode Linux (CONFIG_UML_PCI_OVER_VIRTIO): a process that plays
 * the device. Registers are in BAR 0, the interrupt is an MSI, memory is that of the kernel.
 *
 * usage: uml_device SOCKET CONFIG NANOSECONDS
 *
 * A cycle takes so many nanoseconds of real time. It ends when the kernel does, with 0, and prints
 * how many runs, interrupts, and aborts of runs there were. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "driver/device.h"
#include "tests/linux/uml/vhost_user.h"

enum operation {
    CONFIG_READ = 1,
    CONFIG_WRITE,
    REGISTERS_READ,
    REGISTERS_WRITE,
    REGISTERS_FILL,
    INTERRUPT_LINE,
    INTERRUPT_MESSAGE,
};

struct message {
    uint8_t operation;
    uint8_t bar;
    uint16_t reserved;
    uint32_t bytes;
    uint64_t address;
};

enum {
    QUEUE_COMMANDS = 0,
    QUEUE_INTERRUPTS = 1,
    CONFIG_BYTES = 256,
    COMMAND = 0x04,
    STATUS = 0x06,
    BAR0 = 0x10,
    CAPABILITIES = 0x34,
    MSI = 0x40,
    MSI_ENABLE = MSI + 2,
    MSI_ADDRESS = MSI + 4,
    MSI_DATA = MSI + 8,
};

struct card {
    struct vhost vhost;
    struct weft_device *device;
    uint8_t config[CONFIG_BYTES];
    bool was_raised; /* the interrupt, when it was looked at last */
    unsigned long runs;
    unsigned long interrupts;
    unsigned long aborts; /* in the middle of a run */
};

static uint64_t nanoseconds_a_cycle;

static uint64_t cycles_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) / nanoseconds_a_cycle;
}

static uint16_t read_u16(const uint8_t *bytes) {
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static void write_u16(uint8_t *bytes, uint16_t value) {
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

/* ---- the bus ---- */

static bool bus_read(void *context, uint64_t address, void *bytes, size_t length) {
    const struct card *card = context;
    const uint8_t *memory = vhost_memory(&card->vhost, address, length);
    if (memory != NULL) {
        memcpy(bytes, memory, length);
    }
    return memory != NULL;
}

static bool bus_write(void *context, uint64_t address, const void *bytes, size_t length) {
    const struct card *card = context;
    uint8_t *memory = vhost_memory(&card->vhost, address, length);
    if (memory != NULL) {
        memcpy(memory, bytes, length);
    }
    return memory != NULL;
}

/* ---- configuration space ---- */

static void make_config(struct card *card) {
    write_u16(card->config + 0x00, 0xf00d); /* no vendor's */
    write_u16(card->config + 0x02, 0x0003);
    write_u16(card->config + STATUS, 1 << 4); /* has capabilities */
    card->config[0x0b] = 0x12;                /* a processing accelerator */
    card->config[CAPABILITIES] = MSI;
    card->config[MSI] = 0x05;
}

static void config_read(const struct card *card, const struct message *message, uint8_t *in) {
    for (uint32_t i = 0; i < message->bytes; i++) {
        uint64_t at = message->address + i;
        in[i] = at < CONFIG_BYTES ? card->config[at] : 0;
    }
}

static bool is_writable(uint64_t at) {
    return at == COMMAND || at == COMMAND + 1 || at == BAR0 + 1 || at == BAR0 + 2 ||
           at == BAR0 + 3 || at == 0x3c || at == MSI_ENABLE ||
           (at >= MSI_ADDRESS && at < MSI_DATA + 2);
}

static void config_write(struct card *card, const struct message *message, const uint8_t *bytes) {
    for (uint32_t i = 0; i < message->bytes; i++) {
        uint64_t at = message->address + i;
        if (is_writable(at)) {
            /* BAR 0 has 4 KB: its lowest 12 bits are 0. */
            card->config[at] = at == BAR0 + 1 ? bytes[i] & 0xf0 : bytes[i];
        }
    }
    card->config[MSI_ENABLE] &= 1;
}

/* ---- registers ---- */

static void registers_read(struct card *card, const struct message *message, uint8_t *in) {
    for (uint32_t i = 0; i + 4 <= message->bytes; i += 4) {
        weft_write_u32(
            in + i, weft_device_read32(card->device, (uint32_t)message->address + i, cycles_now()));
    }
}

static bool is_running(struct card *card) {
    return (weft_device_read32(card->device, WEFT_REGISTER_status, cycles_now()) &
            WEFT_STATUS_RUNNING) != 0;
}

static void registers_write(struct card *card, const struct message *message,
                            const uint8_t *bytes) {
    struct weft_error error;
    for (uint32_t i = 0; i + 4 <= message->bytes; i += 4) {
        uint32_t offset = (uint32_t)message->address + i;
        card->aborts += offset == WEFT_REGISTER_abort && is_running(card);
        if (!weft_device_write32(card->device, offset, weft_read_u32(bytes + i), cycles_now(),
                                 &error)) {
            fprintf(stderr, "uml_device: a run that is none: %s\n", error.message);
        }
        card->runs += offset == WEFT_REGISTER_start;
    }
}

/* ---- messages ---- */

static void answer(struct card *card, struct vhost_buffer *buffer) {
    struct message message;
    size_t given = buffer->out_bytes - sizeof message;
    const uint8_t *bytes = buffer->out + sizeof message;
    if (buffer->out_bytes < sizeof message) {
        return;
    }
    memcpy(&message, buffer->out, sizeof message);
    bool reads = buffer->in != NULL && message.bytes <= buffer->in_bytes;
    bool writes = message.bytes <= given;
    if (message.operation == CONFIG_READ && reads) {
        config_read(card, &message, buffer->in);
    } else if (message.operation == CONFIG_WRITE && writes) {
        config_write(card, &message, bytes);
    } else if (message.operation == REGISTERS_READ && reads) {
        registers_read(card, &message, buffer->in);
    } else if (message.operation == REGISTERS_WRITE && writes) {
        registers_write(card, &message, bytes);
    } else {
        fprintf(stderr, "uml_device: operation %u of %u bytes is none\n", message.operation,
                message.bytes);
    }
}

static void take_commands(struct card *card) {
    struct vhost_buffer buffer;
    while (vhost_next(&card->vhost, QUEUE_COMMANDS, &buffer)) {
        answer(card, &buffer);
        /* The kernel looks for answers itself. Told of them it would do so in an interrupt, in the
         * middle of another command, which Linux 6.1's virt-pci.c does not expect. */
        vhost_return(&card->vhost, QUEUE_COMMANDS, &buffer, buffer.in_bytes, false);
    }
}

/* An MSI is sent when the request is raised, not while it is. */
static void look_at_interrupt(struct card *card) {
    struct vhost_buffer buffer;
    bool is_raised = weft_device_interrupt(card->device, cycles_now());
    bool is_sent = is_raised && !card->was_raised && (card->config[MSI_ENABLE] & 1) != 0;
    if (is_sent && vhost_next(&card->vhost, QUEUE_INTERRUPTS, &buffer)) {
        const struct message message = {.operation = INTERRUPT_MESSAGE, .bytes = 4};
        if (buffer.in_bytes >= sizeof message + 4) {
            memcpy(buffer.in, &message, sizeof message);
            weft_write_u32(buffer.in + sizeof message, read_u16(card->config + MSI_DATA));
        }
        vhost_return(&card->vhost, QUEUE_INTERRUPTS, &buffer, sizeof message + 4, true);
        card->interrupts++;
    }
    card->was_raised = is_raised;
}

/* ---- the process ---- */

static int milliseconds_to_event(const struct card *card) {
    uint64_t event = weft_device_next_event(card->device);
    uint64_t now = cycles_now();
    if (event == UINT64_MAX) {
        return -1;
    }
    if (event <= now) {
        return 0;
    }
    return (int)((event - now) * nanoseconds_a_cycle / 1000000) + 1;
}

static bool wait_and_serve(struct card *card) {
    uint64_t count = 0;
    int kick = card->vhost.queues[QUEUE_COMMANDS].kick;
    struct pollfd files[2] = {{.fd = card->vhost.socket, .events = POLLIN},
                              {.fd = kick, .events = POLLIN}};
    if (poll(files, 2, milliseconds_to_event(card)) < 0 && errno != EINTR) {
        return false;
    }
    if (files[1].revents != 0) {
        (void)!read(kick, &count, sizeof count);
    }
    take_commands(card);
    look_at_interrupt(card);
    return files[0].revents == 0 || vhost_message(&card->vhost);
}

int main(int argc, char **argv) {
    static struct card card;
    struct weft_error error;
    struct weft_config config;
    const struct weft_device_bus bus = {&card, bus_read, bus_write};
    nanoseconds_a_cycle = argc == 4 ? strtoull(argv[3], NULL, 10) : 0;
    if (nanoseconds_a_cycle == 0) {
        fprintf(stderr, "usage: uml_device SOCKET CONFIG NANOSECONDS\n");
        return 2;
    }
    make_config(&card);
    if (!weft_config_find(argv[2], &config, &error) ||
        !weft_device_open("cycle", &config, &bus, NULL, &card.device, &error)) {
        fprintf(stderr, "uml_device: %s\n", error.message);
        return 2;
    }
    if (!vhost_listen(&card.vhost, argv[1])) {
        fprintf(stderr, "uml_device: %s: %s\n", argv[1], strerror(errno));
        return 2;
    }
    while (wait_and_serve(&card)) {
    }
    printf("uml_device: %lu runs, %lu interrupts, %lu aborts in the middle\n", card.runs,
           card.interrupts, card.aborts);
    vhost_close(&card.vhost);
    weft_device_close(card.device);
    return 0;
}
