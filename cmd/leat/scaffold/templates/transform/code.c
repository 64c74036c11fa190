/* {{.Node}} passes every message on and marks it. */
#include "leat.h"

/* Emit nothing to filter the message; return leat_failed("why") to dead-letter it. */
int leat_transform(leat_text payload) {
    leat_meta_set("{{.Node}}", strlen("{{.Node}}"), "done", 4);
    leat_emit(payload.at, payload.length);
    return LEAT_OK;
}
