// Models: files that were read, what is made of them, and plugins.
#ifndef WEFT_PYTHON_MODEL_H
#define WEFT_PYTHON_MODEL_H

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "python/failure.h"
#include "python/float_model.h"

// Memory of the C library.
struct Free {
    void operator()(void *memory) const {
        free(memory);
    }
};
template <typename T> using Owned = std::unique_ptr<T, Free>;

struct Text {
    weft_text text{};
    Text() = default;
    Text(const Text &) = delete;
    Text &operator=(const Text &) = delete;
    ~Text() {
        weft_text_free(&text);
    }
};

// Documents.
struct Decref {
    void operator()(json_t *json) const {
        json_decref(json);
    }
};
using Json = std::unique_ptr<json_t, Decref>;

// The text of one that was begun with json_begin().
std::string dump(const Json &json);

// The bytes of a file, or of a Python object.
struct Bytes {
    Owned<uint8_t> bytes;
    size_t length = 0;
};

// A path, or, where that is not given, bytes.
using Path = std::optional<nanobind::bytes>;
using Data = std::optional<nanobind::bytes>;
Bytes read_bytes(const Path &path, const Data &data);

// Plugins: they must outlive every module that was made with them.
struct Plugins {
    weft_plugins *plugins = nullptr;
    Plugins() = default;
    Plugins(const Plugins &) = delete;
    Plugins &operator=(const Plugins &) = delete;
    ~Plugins() {
        weft_plugins_free(plugins);
    }
};
std::shared_ptr<Plugins> load_plugins(const std::vector<std::string> &paths);

// What an import needs beside the bytes: the folder of the model, its dimensions.
using Dims = std::vector<std::pair<std::string, int64_t>>;
struct Import {
    std::string path;
    std::string folder;
    std::vector<weft_dim> dims;
    constant_folder constants{};
    weft_import_options options{};
    const weft_constant_reader *reader = nullptr;
    Import(const Path &path, const Dims &dims);
    Import(const Import &) = delete;
    Import &operator=(const Import &) = delete;
};

// The name of a configuration, or its JSON.
weft_config read_config(const std::string &text, bool is_json);

// A float model.
struct Floats {
    Bytes bytes;
    float_model *model = nullptr;
    std::mutex mutex; // for all that writes to its arena
    Floats() = default;
    Floats(const Floats &) = delete;
    Floats &operator=(const Floats &) = delete;
    ~Floats() {
        float_model_close(model);
    }
};

// A module with all that it points to. Sessions share it with the Python object.
struct Held {
    Bytes bytes;
    std::shared_ptr<Plugins> plugins;
    std::shared_ptr<Floats> floats;
    weft_module *module = nullptr;
    std::mutex mutex; // for all that writes to its arena
    Held() = default;
    Held(const Held &) = delete;
    Held &operator=(const Held &) = delete;
    ~Held() {
        weft_module_free(module);
    }
};

struct Module {
    std::shared_ptr<Held> held;
};

// (name, element type, shape, scales, zero points, axis of them or -1)
nanobind::list describe(size_t count, weft_value *const *values);

// Text of C as a Python string; bytes that are no UTF-8 become escapes.
nanobind::str to_str(const char *text);
nanobind::str to_str(const char *text, size_t length);

// What the caller says of the simulated machine; 0: as the configuration says.
struct Machine {
    weft_session_options options = weft_session_defaults();
    double clock = 0; // MHz; 0: not given
    // `dram`: "NAME@MHZ"; "": none.
    Machine(uint64_t latency, uint64_t interval, const std::string &dram, double clock);
};

// Documents are made in this: jansson counts no more when it ends.
struct Counting {
    Counting() = default;
    Counting(const Counting &) = delete;
    Counting &operator=(const Counting &) = delete;
    ~Counting() {
        json_end();
    }
};

// The figures of the last run of a session, as `weft run --json` writes them.
std::string statistics(const Held &held, const weft_session *session, const Machine &machine,
                       const char *target, double seconds);

void bind_codesign(nanobind::module_ &module);
void bind_compile(nanobind::module_ &module);
void bind_model(nanobind::module_ &module);
void bind_documents(nanobind::class_<Module> &type);
void bind_quantize(nanobind::module_ &module);
void bind_session(nanobind::module_ &module);
void bind_sweep(nanobind::module_ &module);
void bind_trace(nanobind::module_ &module);
void bind_tune(nanobind::module_ &module);

#endif
