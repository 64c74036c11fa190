/* Ships an order once it is paid. It means the same as guests/go/fulfil. */
#define LEAT_FOLD
#include "../leat.h"
#include <errno.h>

/* A member that is a whole number; 0 where there is none. Reports whether it is one. */
static int number(leat_text object, const char *name, long long *value) {
    leat_text text = leat_member(object, name);
    char *end = (char *)text.at;
    errno = 0;
    /* A number is followed by a comma or a bracket, which ends strtoll. */
    *value = text.at == NULL ? 0 : strtoll(text.at, &end, 10);
    return end == text.at + text.length && errno == 0;
}

int leat_fold(leat_call call) {
    long long total, paid, more;
    int is_order = leat_is(call.topic, "\"orders\"");
    if (!is_order && leat_is(call.state, "null")) return leat_failed("a payment before its order");
    if (!number(call.value, is_order ? "total" : "amount", &more)) return leat_failed("a total or an amount is no number");
    if (!number(call.state, "total", &total) || !number(call.state, "paid", &paid)) return leat_failed("the state is no order");
    if (is_order) {
        total = more;
        paid = 0;
    } else {
        paid += more;
    }
    if (paid < total) return leat_answer("{\"state\":{\"total\":%lld,\"paid\":%lld}}", total, paid);
    return leat_answer("{\"state\":null,\"emit\":[{\"to\":\"shipments\",\"value\":{\"order\":%.*s,\"paid\":%lld}}]}",
                       LEAT_TEXT(call.key), paid);
}
