/* Adds its total to every order. */
#include "leat.h"
#include <stdio.h>

/* Finds the number behind a name in a flat object. For more than that, bring a JSON library. */
static int number(const char *object, const char *name, double *value) {
    const char *at = strstr(object, name);
    return at != NULL && sscanf(at + strlen(name), " : %lf", value) == 1;
}

int leat_transform(leat_text payload) {
    char order[4096], *end;
    double qty, price;
    if (payload.length + 64 > sizeof order) return leat_failed("the order is too long");
    memcpy(order, payload.at, payload.length);
    order[payload.length] = 0;
    if (!number(order, "\"qty\"", &qty)) return leat_failed("the order has no qty");
    if (qty == 0) return LEAT_OK; /* nothing was ordered: no output filters the message */
    if (!number(order, "\"price\"", &price)) return leat_failed("the order has no price");
    if ((end = strrchr(order, '}')) == NULL) return leat_failed("not an order");
    end += sprintf(end, ",\"total\":%.15g}", qty * price);
    leat_emit(order, end - order);
    return LEAT_OK;
}
