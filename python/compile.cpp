// Compiling and reading models.
#include <dlfcn.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/model.h"

namespace nb = nanobind;

// ---- bytes ----

Bytes read_bytes(const Path &path, const Data &data) {
    Bytes read;
    if (path) {
        weft_error error;
        uint8_t *bytes = nullptr;
        check(weft_file_read(path->c_str(), &bytes, &read.length, &error), error);
        read.bytes.reset(bytes);
        return read;
    }
    read.length = data->size();
    read.bytes.reset(static_cast<uint8_t *>(malloc(read.length + 1)));
    if (read.bytes == nullptr) {
        fail(WEFT_OUT_OF_MEMORY, 0, "no memory for the bytes of a model");
    }
    memcpy(read.bytes.get(), data->c_str(), read.length);
    read.bytes.get()[read.length] = 0; // readers of text look for it
    return read;
}

// Whole or not at all; a device or a pipe is written to.
static void write_file(const nb::bytes &path, const nb::bytes &content) {
    const char *name = path.c_str();
    const void *bytes = content.c_str();
    const size_t length = content.size();
    weft_error error;
    nb::gil_scoped_release release; // a pipe waits for who reads it
    check(weft_file_write(name, bytes, length, &error) || weft_fail_context(&error, "%s", name),
          error);
}

// ---- plugins ----

// Plugins are linked with nothing: what they call is in this library, whose names others do not see
// unless it is asked for.
static void show_names() {
    Dl_info info;
    if (dladdr(reinterpret_cast<void *>(&weft_compile), &info) != 0) {
        (void)dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD); // for ever
    }
}

std::shared_ptr<Plugins> load_plugins(const std::vector<std::string> &paths) {
    auto made = std::make_shared<Plugins>();
    if (!paths.empty()) {
        show_names();
    }
    for (const std::string &path : paths) {
        weft_error error;
        check(weft_plugins_load(&made->plugins, path.c_str(), &error), error);
    }
    return made;
}

// ---- options ----

Import::Import(const Path &given, const Dims &wanted) {
    if (given) {
        path.assign(given->c_str(), given->size());
        size_t slash = path.rfind('/');
        folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
        options.folder = folder.c_str();
        reader = constant_folder_of(path.c_str(), nullptr, &constants);
    }
    if (wanted.size() > WEFT_MOST_DIMS) {
        fail(WEFT_ARGUMENT, 0, "more dimensions than any model has");
    }
    for (const auto &[name, size] : wanted) {
        weft_dim dim{};
        if (name.empty() || name.size() >= sizeof dim.name || size < 1 || size > INT32_MAX) {
            fail(
                WEFT_ARGUMENT, 0,
                "a dimension needs a name of 1 to 63 bytes and a size above 0 that int32 can hold");
        }
        memcpy(dim.name, name.data(), name.size());
        dim.size = size;
        dims.push_back(dim);
    }
    options.dim_count = dims.size();
    options.dims = dims.data();
}

weft_config read_config(const std::string &text, bool is_json) {
    weft_config config;
    weft_error error;
    check(is_json ? weft_config_parse(text.data(), text.size(), &config, &error) &&
                        weft_config_check_name(&config, &error)
                  : weft_config_find(text.c_str(), &config, &error),
          error);
    return config;
}

static uint32_t count_of(int64_t number, int64_t most, const char *message) {
    if (number < 1 || number > most) {
        fail(WEFT_ARGUMENT, 0, message);
    }
    return static_cast<uint32_t>(number);
}

// ---- the functions ----

namespace {

Module compile(const Path &path, const Data &data, const std::string &name,
               const std::string &config_text, bool config_is_json, int64_t frames, bool one_by_one,
               int64_t effort, const Dims &dims, bool keep_tensors, bool host_only,
               const std::optional<std::string> &decisions, uint64_t memory_limit,
               const std::vector<std::string> &plugins) {
    auto held = std::make_shared<Held>();
    const weft_config config = read_config(config_text, config_is_json);
    const Import import(path, dims);
    weft_compile_options options{};
    options.model_name = name.c_str();
    options.import = import.options;
    options.constants = import.reader;
    options.frames = count_of(frames, WEFT_MOST_FRAMES, "frames: expected 1 to 4096");
    options.effort = count_of(effort, WEFT_MOST_EFFORT, "effort: expected 1 to 64");
    options.one_by_one = one_by_one;
    options.keep_tensors = keep_tensors;
    options.host_only = host_only;
    options.bytes = memory_limit;
    if (decisions) {
        options.decisions = decisions->data();
        options.decisions_length = decisions->size();
    }
    const char *lost = weft_compile_ignores(&options, options.effort > 1);
    if (lost != nullptr) {
        fail(WEFT_ARGUMENT, 0, lost);
    }
    held->bytes = read_bytes(path, data);
    weft_error error;
    nb::gil_scoped_release release;
    held->plugins = load_plugins(plugins);
    weft_plugins_use(held->plugins->plugins, &options);
    if (weft_is_module(held->bytes.bytes.get(), held->bytes.length)) {
        fail(WEFT_ARGUMENT, 0, "a compiled model, which weft.load() reads");
    }
    check(weft_compile(held->bytes.bytes.get(), held->bytes.length, &config, &options,
                       &held->module, &error),
          error);
    return Module{held};
}

Module load(const Path &path, const Data &data, uint64_t cycle_limit, uint64_t host_limit,
            uint64_t memory_limit, const std::vector<std::string> &plugins) {
    auto held = std::make_shared<Held>();
    held->bytes = read_bytes(path, data);
    weft_read_options options{};
    options.cycles = cycle_limit;
    options.host_steps = host_limit;
    options.bytes = memory_limit;
    weft_error error;
    nb::gil_scoped_release release;
    held->plugins = load_plugins(plugins);
    weft_plugins_use_to_read(held->plugins->plugins, &options);
    check(weft_module_read(held->bytes.bytes.get(), held->bytes.length, &options, &held->module,
                           &error),
          error);
    return Module{held};
}

nb::str config_json(const std::string &text, bool is_json) {
    const weft_config config = read_config(text, is_json);
    Text json;
    weft_error error;
    check(weft_config_print(&config, &json.text, &error), error);
    return to_str(json.text.bytes, json.text.length);
}

nb::list config_names() {
    nb::list names;
    for (const weft_builtin_config *config = weft_builtin_configs; config->name != nullptr;
         config++) {
        names.append(config->name);
    }
    return names;
}

std::string config_fingerprint(const std::string &json) {
    const weft_config config = read_config(json, true);
    char text[32];
    (void)snprintf(text, sizeof text, "%016llx",
                   static_cast<unsigned long long>(weft_config_fingerprint(&config)));
    return text;
}

std::string config_area(const std::string &json, const std::string &target) {
    const weft_config config = read_config(json, true);
    const auto model = std::make_unique<weft_area_model>(); // too large for the stack
    weft_error error;
    check(weft_area_find(target.c_str(), model.get(), &error), error);
    json_begin(nullptr, 0);
    return dump(Json(area_json(model.get(), &config)));
}

} // namespace

void bind_compile(nb::module_ &module) {
    module.def("compile", &compile, nb::kw_only(), nb::arg("path").none(), nb::arg("data").none(),
               nb::arg("name"), nb::arg("config"), nb::arg("config_is_json"), nb::arg("frames"),
               nb::arg("one_by_one"), nb::arg("effort"), nb::arg("dims"), nb::arg("keep_tensors"),
               nb::arg("host_only"), nb::arg("decisions").none(), nb::arg("memory_limit"),
               nb::arg("plugins"));
    module.def("load", &load, nb::kw_only(), nb::arg("path").none(), nb::arg("data").none(),
               nb::arg("cycle_limit"), nb::arg("host_limit"), nb::arg("memory_limit"),
               nb::arg("plugins"));
    module.def("write_file", &write_file, nb::arg("path"), nb::arg("content"));
    module.def("config_json", &config_json, nb::arg("text"), nb::arg("is_json"));
    module.def("config_names", &config_names);
    module.def("config_fingerprint", &config_fingerprint, nb::arg("json"));
    module.def("config_area", &config_area, nb::arg("json"), nb::arg("target"));
    module.attr("DEFAULT_AREA") = WEFT_DEFAULT_AREA;
}
