/* SPDX-License-Identifier: Apache-2.0
 * client_message.c - the client's two messages taken apart: attributes "x=value" between commas, in the order that RFC 5802 gives. */
#include "proto/scram/scram_internal.h"

static ErrorCode malformed(const char *detail, Error *err) {
    return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "malformed SCRAM message (%s)", detail);
}

/* Takes "name=value" and the comma behind it, if one is there. false: another attribute, or none. */
static bool take_attribute(Str *rest, char name, Str *value_out) {
    if (rest->len < 2 || rest->data[0] != name || rest->data[1] != '=') {
        return false;
    }
    ptrdiff_t comma = str_find_char(*rest, ',', 2);
    size_t end = comma < 0 ? rest->len : (size_t)comma;
    *value_out = str_slice(*rest, 2, end);
    *rest = str_slice(*rest, comma < 0 ? end : end + 1, rest->len);
    return true;
}

static bool is_printable(Str text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < 0x21 || text.data[i] > 0x7E || text.data[i] == ',') {
            return false;
        }
    }
    return text.len > 0;
}

static ErrorCode check_text(Str message, Error *err) {
    if (message.len == 0) {
        return malformed("the message is empty", err);
    }
    if (message.len > SCRAM_MESSAGE_BYTES_MAX) {
        return malformed("the message is too long", err);
    }
    return str_find_char(message, '\0', 0) >= 0 ? malformed("a NUL byte", err) : ERR_OK;
}

/* "n,,", "y,,", "p=type,,"; an authorization identity between the commas is refused. */
static ErrorCode take_gs2_header(Str *rest, ClientFirst *first, Error *err) {
    first->binding_flag = rest->data[0];
    if (first->binding_flag == 'p') {
        if (!take_attribute(rest, 'p', &first->binding_type) || !is_printable(first->binding_type)) {
            return malformed("no channel binding type", err);
        }
    } else if (first->binding_flag != 'n' && first->binding_flag != 'y') {
        return malformed("unexpected channel-binding flag", err);
    } else if (rest->len < 2 || rest->data[1] != ',') {
        return malformed("comma expected", err);
    } else {
        *rest = str_slice(*rest, 2, rest->len);
    }
    if (rest->len > 0 && rest->data[0] == 'a') {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "client uses authorization identity, but it is not supported");
    }
    if (rest->len == 0 || rest->data[0] != ',') {
        return malformed("unexpected attribute in client-first-message", err);
    }
    *rest = str_slice(*rest, 1, rest->len);
    return ERR_OK;
}

ErrorCode scram__read_client_first(Str message, ClientFirst *first_out, Error *err) {
    Str rest = message, user;
    *first_out = (ClientFirst){0};
    TRY(check_text(message, err));
    TRY(take_gs2_header(&rest, first_out, err));
    first_out->gs2_header = str_slice(message, 0, message.len - rest.len);
    first_out->bare = rest;
    if (rest.len > 0 && rest.data[0] == 'm') {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "client requires an unsupported SCRAM extension");
    }
    if (!take_attribute(&rest, 'n', &user)) { /* the user of the start packet counts */
        return malformed("no user name attribute", err);
    }
    if (!take_attribute(&rest, 'r', &first_out->nonce) || !is_printable(first_out->nonce)) {
        return malformed("no printable nonce", err);
    }
    return ERR_OK; /* extensions that follow are the client's own business */
}

ErrorCode scram__read_client_final(Str message, ClientFinal *final_out, Error *err) {
    Str rest = message;
    *final_out = (ClientFinal){0};
    TRY(check_text(message, err));
    if (!take_attribute(&rest, 'c', &final_out->binding) || !take_attribute(&rest, 'r', &final_out->nonce)) {
        return malformed("no channel binding or nonce", err);
    }
    while (rest.len > 0 && rest.data[0] != 'p') { /* extensions */
        Str value;
        if (!take_attribute(&rest, rest.data[0], &value)) {
            return malformed("attribute expected", err);
        }
    }
    size_t proof_bytes = rest.len;
    if (!take_attribute(&rest, 'p', &final_out->proof) || rest.len > 0 || message.len <= proof_bytes) {
        return malformed("no proof at its end", err);
    }
    final_out->without_proof = str_slice(message, 0, message.len - proof_bytes - 1);
    return ERR_OK;
}
