/* Notes where every record with a value came from, and passes its headers on. */
#define LEAT_HANDLE
#include "../leat.h"

int leat_handle(leat_call call) {
    if (leat_is(call.value, "null")) return LEAT_OK; /* a deletion: nothing to note */
    if (*call.value.at != '{') return leat_failed("the value is no object");
    leat_text offset = leat_member(call.msg, "offset"), headers = leat_member(call.msg, "headers");
    return leat_answer("[{\"to\":\"audit\",\"value\":{\"topic\":%.*s,\"offset\":%.*s,\"value\":%.*s},\"headers\":%.*s}]",
                       LEAT_TEXT(call.topic), LEAT_TEXT(offset), LEAT_TEXT(call.value), LEAT_TEXT(headers));
}
