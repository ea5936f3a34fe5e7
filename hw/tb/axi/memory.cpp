#include "hw/tb/axi/memory.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>

extern "C" {
#include "sim/timing/memory.h"
}

using namespace axi;

namespace {

enum {
    OKAY = 0,
    SLVERR = 2,
    DECERR = 3,
    INCR = 1,
    CHANNEL_AR = 0,
    CHANNEL_AW = 1,
    CHANNEL_W = 2,
    PAGE = 4096, /* no burst crosses a multiple of it */
};

constexpr unsigned log2_width() {
    unsigned log2 = 0;
    while (1U << log2 < WIDTH) {
        log2++;
    }
    return log2;
}

template <class Value> void append(std::vector<uint8_t> &to, const Value &value) {
    const auto *first = reinterpret_cast<const uint8_t *>(&value);
    to.insert(to.end(), first, first + sizeof value);
}

} // namespace

void axi::fail(const char *format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    throw failure{text};
}

behaviour axi::random_behaviour(random &numbers) {
    behaviour how;
    unsigned most[] = {0, 16, 128, 230};
    auto wait = [&] {
        const uint64_t number = numbers();
        return static_cast<unsigned>(number % (most[numbers() % 4] + 1));
    };
    auto latency = [&](uint64_t longest) {
        const uint64_t number = numbers();
        return 1 + number % (numbers() % 2 == 0 ? 4 : longest);
    };
    how.wait_ar = wait();
    how.wait_r = wait();
    how.wait_aw = wait();
    how.wait_w = wait();
    how.wait_b = wait();
    how.read_latency = latency(200);
    how.write_latency = latency(400);
    how.interval = 1 + numbers() % 2;
    how.reads_early = numbers() % 2 == 0;
    how.writes_early = numbers() % 2 == 0;
    return how;
}

void memory::set_regions(uint8_t *const new_bytes[WEFT_REGIONS], const weft_regions &new_regions) {
    memcpy(bytes, new_bytes, sizeof bytes);
    regions = new_regions;
}

void memory::begin() {
    read_beats = 0;
    responses = 0;
    read_error = UINT64_MAX;
    write_error = UINT64_MAX;
    error_at = UINT64_MAX;
}

void memory::reset() {
    reads.clear();
    write_addresses.clear();
    write_data.clear();
    writes.clear();
    position = 0;
    free_from = 0;
    for (auto &channel : shown) {
        channel.clear();
    }
    read_taken = false;
    response_taken = false;
    machine.m_axi_rvalid = 0;
    machine.m_axi_bvalid = 0;
}

bool memory::is_quiet() const {
    return reads.empty() && write_addresses.empty() && write_data.empty() && writes.empty() &&
           (machine.m_axi_bvalid == 0 || response_taken);
}

bool memory::waits(unsigned chance) {
    return chance != 0 && numbers() % 256 < chance;
}

bool memory::stands() const {
    return now >= stops_at;
}

/* ---- what the machine is shown ---- */

void memory::drive() {
    machine.m_axi_rvalid = machine.m_axi_rvalid != 0 && !read_taken;
    machine.m_axi_bvalid = machine.m_axi_bvalid != 0 && !response_taken;
    machine.m_axi_arready = !stands() && !waits(how.wait_ar);
    machine.m_axi_awready = !stands() && !waits(how.wait_aw);
    machine.m_axi_wready = !stands() && !waits(how.wait_w);
    drive_read();
    drive_response();
}

/* A beat that is shown stays until it is taken. */
void memory::drive_read() {
    if (machine.m_axi_rvalid != 0 || stands() || reads.empty() || reads.front().due > now ||
        free_from > now || waits(how.wait_r)) {
        return;
    }
    const burst &first = reads.front();
    auto *data = reinterpret_cast<uint8_t *>(&machine.m_axi_rdata);
    if (first.data.empty()) {
        read(first.address + static_cast<uint64_t>(position) * WIDTH, data);
    } else {
        memcpy(data, first.data.data() + static_cast<size_t>(position) * WIDTH, WIDTH);
    }
    bool error = read_beats == read_error;
    error_at = error ? now : error_at;
    machine.m_axi_rresp = error ? (numbers() % 2 == 0 ? SLVERR : DECERR) : OKAY;
    machine.m_axi_rlast = position + 1 == first.beats;
    machine.m_axi_rvalid = 1;
    read_beats++;
}

void memory::drive_response() {
    if (machine.m_axi_bvalid != 0 || stands() || writes.empty() || writes.front().due > now ||
        waits(how.wait_b)) {
        return;
    }
    if (!how.writes_early) {
        write(writes.front());
    }
    bool error = responses == write_error;
    error_at = error ? now : error_at;
    machine.m_axi_bresp = error ? (numbers() % 2 == 0 ? SLVERR : DECERR) : OKAY;
    machine.m_axi_bvalid = 1;
    writes.pop_front();
    responses++;
}

/* ---- what the machine does ---- */

void memory::sample() {
    check_channels();
    take_read();
    take_write_address();
    take_write_data();
    response_taken = machine.m_axi_bvalid != 0 && machine.m_axi_bready != 0;
    now++;
}

void memory::check_stable(unsigned channel, bool valid, bool ready,
                          const std::vector<uint8_t> &value) {
    static const char *const names[] = {"AR", "AW", "W"};
    if (!shown[channel].empty() && (!valid || value != shown[channel])) {
        fail("%s changes before it is taken", names[channel]);
    }
    shown[channel] = valid && !ready ? value : std::vector<uint8_t>();
}

void memory::check_channels() {
    std::vector<uint8_t> ar;
    append(ar, machine.m_axi_araddr);
    append(ar, machine.m_axi_arlen);
    check_stable(CHANNEL_AR, machine.m_axi_arvalid != 0, machine.m_axi_arready != 0, ar);
    std::vector<uint8_t> aw;
    append(aw, machine.m_axi_awaddr);
    append(aw, machine.m_axi_awlen);
    check_stable(CHANNEL_AW, machine.m_axi_awvalid != 0, machine.m_axi_awready != 0, aw);
    std::vector<uint8_t> w;
    append(w, machine.m_axi_wdata);
    append(w, machine.m_axi_wstrb);
    append(w, machine.m_axi_wlast);
    check_stable(CHANNEL_W, machine.m_axi_wvalid != 0, machine.m_axi_wready != 0, w);
    if (machine.m_axi_arvalid != 0) {
        check_burst("AR", machine.m_axi_araddr, machine.m_axi_arlen + 1U, machine.m_axi_arsize,
                    machine.m_axi_arburst);
    }
    if (machine.m_axi_awvalid != 0) {
        check_burst("AW", machine.m_axi_awaddr, machine.m_axi_awlen + 1U, machine.m_axi_awsize,
                    machine.m_axi_awburst);
    }
}

/* The rules of AXI, and: no beat lies outside of a region. */
void memory::check_burst(const char *channel, uint64_t address, unsigned length, unsigned size,
                         unsigned kind) const {
    uint64_t region = address >> WEFT_PORT_REGION_SHIFT;
    uint64_t offset = address - (region << WEFT_PORT_REGION_SHIFT);
    if (size != log2_width() || kind != INCR || address % WIDTH != 0) {
        fail("%s: no burst of full beats: size %u, kind %u, address 0x%" PRIx64, channel, size,
             kind, address);
    }
    if (address % PAGE + static_cast<uint64_t>(length) * WIDTH > PAGE) {
        fail("%s: %u beats at 0x%" PRIx64 " cross a multiple of %d", channel, length, address,
             PAGE);
    }
    uint64_t end = region < WEFT_REGIONS ? (regions.limit[region] + WIDTH - 1) / WIDTH * WIDTH : 0;
    if (offset + static_cast<uint64_t>(length) * WIDTH > end) {
        fail("%s: %u beats at 0x%" PRIx64 " of region %" PRIu64 ", which has %" PRIu64 " bytes",
             channel, length, offset, region, end);
    }
    if (channel[1] == 'W' && (regions.writable >> region & 1) == 0) {
        fail("AW: region %" PRIu64 " must not be written", region);
    }
}

void memory::take_read() {
    read_taken = machine.m_axi_rvalid != 0 && machine.m_axi_rready != 0;
    if (read_taken) {
        free_from = now + how.interval;
        position++;
        if (position == reads.front().beats) {
            position = 0;
            reads.pop_front();
        }
    }
    if (machine.m_axi_arvalid == 0 || machine.m_axi_arready == 0) {
        return;
    }
    burst taken{machine.m_axi_araddr, machine.m_axi_arlen + 1U, now + how.read_latency, {}, {}};
    if (how.reads_early) {
        taken.data.resize(static_cast<size_t>(taken.beats) * WIDTH);
        for (size_t i = 0; i < taken.beats; i++) {
            read(taken.address + i * WIDTH, taken.data.data() + i * WIDTH);
        }
    }
    reads.push_back(std::move(taken));
}

void memory::take_write_address() {
    if (machine.m_axi_awvalid != 0 && machine.m_axi_awready != 0) {
        write_addresses.push_back({machine.m_axi_awaddr, machine.m_axi_awlen + 1U, 0, {}, {}});
        complete_writes();
    }
}

void memory::take_write_data() {
    if (machine.m_axi_wvalid != 0 && machine.m_axi_wready != 0) {
        beat taken{};
        memcpy(taken.data, &machine.m_axi_wdata, WIDTH);
        taken.strobe = machine.m_axi_wstrb;
        taken.last = machine.m_axi_wlast != 0;
        write_data.push_back(taken);
        complete_writes();
    }
}

/* Bursts with all their beats leave for the queue of responses. */
void memory::complete_writes() {
    while (!write_addresses.empty() && write_data.size() >= write_addresses.front().beats) {
        burst first = std::move(write_addresses.front());
        write_addresses.pop_front();
        for (unsigned i = 0; i < first.beats; i++) {
            const beat &next = write_data.front();
            if (next.last != (i + 1 == first.beats)) {
                fail("WLAST is in the wrong beat: %u of %u", i, first.beats);
            }
            for (unsigned k = 0; k < WIDTH; k++) {
                first.data.push_back(next.data[k]);
                first.strobes.push_back(next.strobe >> k & 1);
            }
            write_data.pop_front();
        }
        first.due = now + how.write_latency;
        if (how.writes_early) {
            write(first);
        }
        writes.push_back(std::move(first));
    }
}

/* ---- bytes ---- */

/* NULL: outside of what the regions hold. */
uint8_t *memory::find(uint64_t address, bool to_write) const {
    uint64_t region = address >> WEFT_PORT_REGION_SHIFT;
    uint64_t offset = address - (region << WEFT_PORT_REGION_SHIFT);
    bool allowed = region < WEFT_REGIONS && offset < regions.limit[region] &&
                   (!to_write || (regions.writable >> region & 1) != 0);
    return allowed && bytes[region] != nullptr ? bytes[region] + offset : nullptr;
}

/* The end of a region that is no multiple of a beat: behind it anything can lie. */
void memory::read(uint64_t address, uint8_t *to) {
    for (unsigned i = 0; i < WIDTH; i++) {
        const uint8_t *from = find(address + i, false);
        to[i] = from == nullptr ? static_cast<uint8_t>(numbers()) : *from;
    }
}

void memory::write(const burst &write) {
    for (size_t i = 0; i < write.data.size(); i++) {
        if (write.strobes[i] == 0) {
            continue;
        }
        uint8_t *to = find(write.address + i, true);
        if (to == nullptr) {
            fail("a byte is written at 0x%" PRIx64 ", outside of every region that may be written",
                 write.address + i);
        }
        *to = write.data[i];
    }
}
