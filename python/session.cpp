// Sessions: runs of a module on a target.
#include <nanobind/stl/string.h>

#include "python/model.h"

namespace nb = nanobind;

namespace {

// Bytes of Python objects, pinned where they are until this goes. Made and destroyed with the GIL.
class Pinned {
  public:
    Pinned(const nb::list &objects, int flags) {
        views_.reserve(nb::len(objects));
        for (nb::handle object : objects) {
            Py_buffer view;
            if (PyObject_GetBuffer(object.ptr(), &view, flags) != 0) {
                release();
                throw nb::python_error();
            }
            views_.push_back(view);
        }
    }
    ~Pinned() {
        release();
    }
    Pinned(const Pinned &) = delete;
    Pinned &operator=(const Pinned &) = delete;
    const std::vector<Py_buffer> &views() const {
        return views_;
    }

  private:
    void release() {
        for (Py_buffer &view : views_) {
            PyBuffer_Release(&view);
        }
        views_.clear();
    }
    std::vector<Py_buffer> views_;
};

struct Options {
    std::string server;
    std::string key_file;
    weft_lockstep_report compared{};
    weft_session_options options = weft_session_defaults();
};

class Session {
  public:
    Session(std::shared_ptr<Held> held, std::string target, const std::string &kernels,
            bool timing_only, bool no_fusion, uint64_t watchdog, uint64_t latency,
            uint64_t interval, const std::string &dram, const std::string &server,
            const std::string &key_file)
        : held_(std::move(held)), target_(std::move(target)), latency_(latency),
          interval_(interval), dram_(dram) {
        weft_session_options &options = chosen_.options;
        options = Machine(latency, interval, dram, 0).options; // checks them
        if (!kernels.empty()) {
            options.host = host_of(kernels);
        }
        chosen_.server = server;
        chosen_.key_file = key_file;
        options.timing_only = timing_only;
        options.no_fusion = no_fusion;
        options.watchdog = watchdog;
        options.server = server.empty() ? nullptr : chosen_.server.c_str();
        options.key_file = key_file.empty() ? nullptr : chosen_.key_file.c_str();
        options.lockstep = target_ == "lockstep" ? &chosen_.compared : nullptr;
        weft_error error;
        nb::gil_scoped_release release;
        const std::lock_guard lock(held_->mutex);
        check(weft_session_open(target_.c_str(), held_->module, &options, &session_, &error),
              error);
    }
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;
    ~Session() {
        weft_session_close(session_);
        weft_lockstep_report_free(&chosen_.compared);
    }

    // Inputs and outputs are objects that have buffers of the right lengths; the rest of their
    // types is Python's to check. Returns seconds and counters, 8
    // bytes each.
    nb::tuple run(const nb::list &inputs, const nb::list &outputs) {
        // Before the session is taken: this may call Python, which may call this session.
        const Pinned given(inputs, PyBUF_SIMPLE);
        const Pinned wanted(outputs, PyBUF_WRITABLE);
        uint64_t counters[WEFT_COUNTERS];
        double seconds = 0;
        {
            const std::unique_lock lock = take();
            const double start = weft_clock_seconds();
            set_inputs(given.views());
            seconds = weft_clock_seconds() - start + run_alone();
            copy_outputs(wanted.views());
            for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
                counters[i] = weft_session_counter(session_, i);
            }
        }
        return nb::make_tuple(seconds, nb::bytes(counters, sizeof counters));
    }

    void reset() {
        weft_error error;
        const std::unique_lock lock = take();
        check(weft_session_reset(session_, &error), error);
    }

    std::string statistics_of(double clock) {
        const Machine machine(latency_, interval_, dram_, clock);
        const std::unique_lock lock = take();
        if (!has_run_) {
            fail(WEFT_STATE, 0, "no run of this session has succeeded yet");
        }
        nb::gil_scoped_release release;
        return statistics(*held_, session_, machine, target_.c_str(), seconds_);
    }

    uint64_t memory() {
        const std::unique_lock lock = take();
        return weft_session_memory(session_);
    }

    void close() {
        weft_session *closed = nullptr;
        {
            const std::unique_lock lock = wait();
            std::swap(closed, session_);
        }
        nb::gil_scoped_release release;
        weft_session_close(closed);
    }

    bool is_closed() {
        const std::unique_lock lock = wait();
        return session_ == nullptr;
    }

  private:
    static weft_host host_of(const std::string &name) {
        for (int i = 0; i < WEFT_HOSTS; i++) {
            const auto host = static_cast<weft_host>(i);
            if (name == weft_host_names[i] && weft_host_available(host)) {
                return host;
            }
        }
        fail(WEFT_ARGUMENT, 0, "this computer has no kernels of that name");
    }

    // Whoever waits for another thread's run does not hold the GIL meanwhile, which that needs.
    std::unique_lock<std::mutex> wait() {
        std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock.owns_lock()) {
            nb::gil_scoped_release release;
            lock.lock();
        }
        return lock;
    }

    std::unique_lock<std::mutex> take() {
        std::unique_lock lock = wait();
        if (session_ == nullptr) {
            fail(WEFT_STATE, 0, "the session is closed");
        }
        return lock;
    }

    void set_inputs(const std::vector<Py_buffer> &inputs) {
        weft_error error;
        for (size_t i = 0; i < inputs.size(); i++) {
            check(weft_session_set_input(session_, i, inputs[i].buf,
                                         static_cast<size_t>(inputs[i].len), &error),
                  error);
        }
    }

    double run_alone() {
        weft_error error;
        nb::gil_scoped_release release;
        const double start = weft_clock_seconds();
        has_run_ = false;
        check(weft_session_run(session_, &error), error);
        has_run_ = true;
        seconds_ = weft_clock_seconds() - start;
        return seconds_;
    }

    void copy_outputs(const std::vector<Py_buffer> &outputs) {
        weft_error error;
        for (size_t i = 0; i < outputs.size(); i++) {
            const void *bytes = nullptr;
            size_t length = 0;
            check(weft_session_output(session_, i, &bytes, &length, &error), error);
            if (static_cast<size_t>(outputs[i].len) != length) {
                fail(WEFT_TENSOR, i, "the array for an output has another length");
            }
            memcpy(outputs[i].buf, bytes, length);
        }
    }

    const std::shared_ptr<Held> held_;
    const std::string target_;
    const uint64_t latency_;
    const uint64_t interval_;
    const std::string dram_;
    Options chosen_;
    std::mutex mutex_; // for all that follows
    weft_session *session_ = nullptr;
    bool has_run_ = false;
    double seconds_ = 0;
};

Session *open_session(const Module &self, const std::string &target, const std::string &kernels,
                      bool timing_only, bool no_fusion, uint64_t watchdog, uint64_t latency,
                      uint64_t interval, const std::string &dram, const std::string &server,
                      const std::string &key_file) {
    return new Session(self.held, target, kernels, timing_only, no_fusion, watchdog, latency,
                       interval, dram, server, key_file);
}

} // namespace

void bind_session(nb::module_ &module) {
    nb::class_<Session>(module, "Session")
        .def("run", &Session::run, nb::arg("inputs"), nb::arg("outputs"),
             nb::sig("def run(self, inputs: list, outputs: list) -> tuple[float, bytes]"))
        .def("reset", &Session::reset)
        .def("statistics", &Session::statistics_of, nb::arg("clock"))
        .def("close", &Session::close)
        .def_prop_ro("memory", &Session::memory)
        .def_prop_ro("closed", &Session::is_closed);
    module.def("open", &open_session, nb::arg("module"), nb::kw_only(), nb::arg("target"),
               nb::arg("kernels"), nb::arg("timing_only"), nb::arg("no_fusion"),
               nb::arg("watchdog"), nb::arg("latency"), nb::arg("interval"), nb::arg("dram"),
               nb::arg("server"), nb::arg("key_file"));
}
