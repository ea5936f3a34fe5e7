#include "tests/linux/register_file.h"

#include "isa/registers.h"

struct register_file register_file_of(struct kernel *kernel) {
    return (struct register_file){.kernel = kernel,
                                  .duration = 5000,
                                  .magic = WEFT_REGISTER_MAGIC,
                                  .version = WEFT_REGISTER_MAP_VERSION};
}

static u64 value_of(const struct register_file *file, u32 offset) {
    return file->halves[offset / 4] | (u64)file->halves[offset / 4 + 1] << 32;
}

static u64 base_of(const struct register_file *file, u32 region) {
    return value_of(file, WEFT_REGISTER_region_base + 8 * region);
}

static u64 limit_of(const struct register_file *file, u32 region) {
    return value_of(file, WEFT_REGISTER_region_limit + 8 * region);
}

static bool may_write(const struct register_file *file, u32 region) {
    return (value_of(file, WEFT_REGISTER_region_writable) >> region & 1) != 0;
}

static u8 *reach(const struct register_file *file, u64 bus) {
    u8 *memory = kernel_memory(file->kernel, bus, 1);
    if (memory == NULL) {
        system_violation("lets the machine reach what is not its memory");
    }
    return memory;
}

/* All bytes of the region are memory of the driver's, and the program is not to be written. */
static void check_regions(const struct register_file *file) {
    for (u32 i = 0; i < WEFT_IOCTL_REGIONS; i++) {
        u64 limit = limit_of(file, i);
        if (base_of(file, i) % WEFT_IOCTL_ALIGNMENT != 0) {
            system_violation("sets a base that is no multiple of 1024");
        }
        if (limit > 0 && kernel_memory(file->kernel, base_of(file, i), limit) == NULL) {
            system_violation("sets a region that is not inside its memory");
        }
        if (may_write(file, i) && (limit == 0 || i == WEFT_IOCTL_REGION_PROGRAM)) {
            system_violation("lets the machine write the program, or a region that is not there");
        }
    }
    if (value_of(file, WEFT_REGISTER_region_writable) >> WEFT_IOCTL_REGIONS != 0) {
        system_violation("sets reserved bits of region_writable");
    }
}

static void begin(struct register_file *file, u64 now) {
    check_regions(file);
    file->starts++;
    if (file->ignores_start) {
        return;
    }
    file->has_ended = false;
    file->is_running = true;
    file->ends_at = file->duration == FOR_EVER ? FOR_EVER : now + file->duration;
}

static void end(struct register_file *file) {
    for (u32 i = 0; i < WEFT_IOCTL_REGIONS; i++) {
        if (may_write(file, i)) {
            *reach(file, base_of(file, i)) = REGISTER_FILE_PATTERN;
            *reach(file, base_of(file, i) + limit_of(file, i) - 1) = REGISTER_FILE_PATTERN;
        }
    }
    file->is_running = false;
    file->has_ended = true;
    file->halves[WEFT_REGISTER_interrupt / 4] |= WEFT_INTERRUPT_PENDING;
}

static void go_on(struct register_file *file, u64 now) {
    if (file->is_running && now >= file->ends_at) {
        end(file);
    }
}

static bool is_busy(const struct register_file *file, u64 now) {
    return file->is_running || now < file->busy_until;
}

static u32 read_status(const struct register_file *file, u64 now) {
    u32 status = is_busy(file, now) ? WEFT_STATUS_RUNNING : 0;
    if (file->has_ended) {
        status |= WEFT_STATUS_ENDED | file->fault << WEFT_STATUS_FAULT_SHIFT;
    }
    return status;
}

static u32 register_file_read(void *context, u32 offset, u64 now) {
    struct register_file *file = context;
    go_on(file, now);
    if (file->is_gone) {
        return ~(u32)0;
    }
    switch (offset) {
    case WEFT_REGISTER_identity:
        return file->magic;
    case WEFT_REGISTER_identity + 4:
        return file->version;
    case WEFT_REGISTER_configuration:
        return (u32)REGISTER_FILE_CONFIGURATION;
    case WEFT_REGISTER_configuration + 4:
        return (u32)(REGISTER_FILE_CONFIGURATION >> 32);
    case WEFT_REGISTER_status:
        return read_status(file, now);
    case WEFT_REGISTER_status + 4:
        return file->has_ended && file->fault != 0 ? file->instruction : 0;
    default:
        break;
    }
    /* Each counter has a value of its own, in both halves. */
    return offset >= WEFT_REGISTER_counter ? offset : file->halves[offset / 4];
}

static void write_abort(struct register_file *file, u64 now) {
    u64 end_of_bus = file->drain > FOR_EVER - now ? FOR_EVER : now + file->drain;
    file->aborts++;
    if (file->is_running) {
        file->busy_until = end_of_bus;
    }
    file->is_running = false;
    file->has_ended = false;
    file->halves[WEFT_REGISTER_interrupt / 4] &= ~(u32)WEFT_INTERRUPT_PENDING;
}

static void register_file_write(void *context, u32 offset, u32 value, u64 now) {
    struct register_file *file = context;
    u32 *interrupt = &file->halves[WEFT_REGISTER_interrupt / 4];
    go_on(file, now);
    if (file->is_gone) {
        return;
    }
    if (offset == WEFT_REGISTER_interrupt) {
        u32 pending = *interrupt & ~value & WEFT_INTERRUPT_PENDING;
        *interrupt = pending | (value & WEFT_INTERRUPT_ENABLED);
    } else if (offset == WEFT_REGISTER_abort) {
        write_abort(file, now);
    } else if (is_busy(file, now)) {
        system_violation("writes to a machine that runs, which ignores it");
    } else if (offset == WEFT_REGISTER_start) {
        begin(file, now);
    } else {
        file->halves[offset / 4] = value;
    }
}

static bool register_file_interrupt(void *context, u64 now) {
    struct register_file *file = context;
    const u32 both = WEFT_INTERRUPT_PENDING | WEFT_INTERRUPT_ENABLED;
    go_on(file, now);
    return (file->halves[WEFT_REGISTER_interrupt / 4] & both) == both;
}

static u64 register_file_next(void *context) {
    const struct register_file *file = context;
    return file->is_running ? file->ends_at : FOR_EVER;
}

static bool register_file_reaches(void *context, u64 bus, u64 bytes) {
    const struct register_file *file = context;
    if (!is_busy(file, file->kernel->now)) {
        return false;
    }
    for (u32 i = 0; i < WEFT_IOCTL_REGIONS; i++) {
        u64 base = base_of(file, i);
        if (base < bus + bytes && bus < base + limit_of(file, i)) {
            return true;
        }
    }
    return false;
}

const struct hardware register_file_hardware = {.read32 = register_file_read,
                                                .write32 = register_file_write,
                                                .interrupt = register_file_interrupt,
                                                .next_event = register_file_next,
                                                .reaches = register_file_reaches};
