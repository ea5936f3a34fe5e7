/* The hardware parameters as a Python module: the fields of weft.Config (python/weft/config.py). */
#include "isa/definitions.h"

void write_python(FILE *out) {
    fprintf(out, "\"\"\"Hardware parameters: made from isa/config.def.\"\"\"\n\n"
                 "from dataclasses import dataclass\n"
                 "from typing import Dict, Tuple\n\n\n"
                 "@dataclass(frozen=True)\n"
                 "class Parameters:\n"
                 "    \"\"\"Every hardware parameter of a configuration.\"\"\"\n");
    for (int i = 0; i < COUNT(parameters); i++) {
        fprintf(out, "\n    %s: int\n    \"\"\"%s (%ld to %ld)\"\"\"\n", parameters[i].name,
                parameters[i].doc, parameters[i].low, parameters[i].high);
    }
    fprintf(out, "\n\nRANGES: Dict[str, Tuple[int, int]] = {\n");
    for (int i = 0; i < COUNT(parameters); i++) {
        fprintf(out, "    \"%s\": (%ld, %ld),\n", parameters[i].name, parameters[i].low,
                parameters[i].high);
    }
    fprintf(out, "}\n\"\"\"The smallest and the largest value of each parameter.\"\"\"\n\n"
                 "MEANINGS: Dict[str, str] = {\n");
    for (int i = 0; i < COUNT(parameters); i++) {
        fprintf(out, "    \"%s\": \"%s\",\n", parameters[i].name, parameters[i].doc);
    }
    fprintf(out, "}\n\"\"\"What each parameter means.\"\"\"\n");
}
