/* SPDX-License-Identifier: Apache-2.0
 * misc.c - functions of any type: greatest, least, is distinct from, num_nulls, pg_typeof; and those that tell of the session. */
#include "column/any_array.h"
#include "sql/func/func_internal.h"
#include "sql/func/order.h"

/* ---- greatest, least ---- */

static const void *value_at(const Vector *vector, size_t row) {
    return vector_value(vector, row);
}

static void copy_value(const KernelCall *call, Vector *out, size_t row, const Vector *from) {
    if (type_physical((TypeId)out->type.id) == PHYS_BIT) {
        func__put_bool(out, row, vector_bool(from, row));
        return;
    }
    (void)call;
    size_t width = physical_bytes(type_physical((TypeId)out->type.id));
    memcpy((uint8_t *)vector_data(out) + row * width, value_at(from, row), width);
}

static int order_values(const Vector *a, const Vector *b, size_t row) {
    if (type_physical((TypeId)a->type.id) == PHYS_BIT) {
        return (int)vector_bool(a, row) - (int)vector_bool(b, row);
    }
    if (a->type.id == TYPE_SYMBOL) {
        return str_compare(vector_text(a, row), vector_text(b, row));
    }
    return func__order((TypeId)a->type.id)(value_at(a, row), value_at(b, row));
}

/* NULLs are left out; all NULL gives NULL. */
static ErrorCode extreme_rows(const KernelCall *call, Vector *out, int sign) {
    FOR_ROWS(call, row) {
        const Vector *best = NULL;
        for (size_t i = 0; i < call->arg_count; i++) {
            const Vector *argument = call->args[i];
            if (!vector_is_null(argument, row) && (best == NULL || sign * order_values(argument, best, row) > 0)) {
                best = argument;
            }
        }
        if (best == NULL) {
            vector_set_null(out, call->arena, row);
        } else {
            copy_value(call, out, row, best);
        }
    }
    return ERR_OK;
}

ErrorCode func__greatest(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return extreme_rows(call, out, 1);
}
ErrorCode func__least(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return extreme_rows(call, out, -1);
}

/* ---- NULL-aware comparison ---- */

static bool is_distinct(const KernelCall *call, size_t row) {
    bool a_null = vector_is_null(call->args[0], row), b_null = vector_is_null(call->args[1], row);
    if (a_null || b_null) {
        return a_null != b_null;
    }
    return order_values(call->args[0], call->args[1], row) != 0;
}

ErrorCode func__is_distinct(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        func__put_bool(out, row, is_distinct(call, row));
    }
    return ERR_OK;
}
ErrorCode func__is_not_distinct(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        func__put_bool(out, row, !is_distinct(call, row));
    }
    return ERR_OK;
}

/* nullif(a, b) */
ErrorCode func__nullif(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        if (vector_is_null(call->args[0], row) || !is_distinct(call, row)) {
            vector_set_null(out, call->arena, row);
        } else {
            copy_value(call, out, row, call->args[0]);
        }
    }
    return ERR_OK;
}

static int32_t count_nulls(const KernelCall *call, size_t row) {
    int32_t nulls = 0;
    for (size_t i = 0; i < call->arg_count; i++) {
        nulls += vector_is_null(call->args[i], row);
    }
    return nulls;
}

ErrorCode func__num_nulls(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        ((int32_t *)vector_data(out))[row] = count_nulls(call, row);
    }
    return ERR_OK;
}
ErrorCode func__num_nonnulls(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        ((int32_t *)vector_data(out))[row] = (int32_t)call->arg_count - count_nulls(call, row);
    }
    return ERR_OK;
}

/* ---- telling ---- */

static ErrorCode fill_text(const KernelCall *call, Vector *out, Str text) {
    for (size_t row = 0; row < call->row_count; row++) {
        func__put_text(out, row, text);
    }
    return ERR_OK;
}

ErrorCode func__pg_typeof(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    for (size_t row = 0; row < call->row_count; row++) {
        ((uint32_t *)vector_data(out))[row] = type_oid_of(call->args[0]->type);
    }
    return ERR_OK;
}
ErrorCode func__pg_typeof_name(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return fill_text(call, out, str_from_c(type_sql_name((TypeId)call->args[0]->type.id)));
}
ErrorCode func__version(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return fill_text(call, out, call->environment->version_text);
}
ErrorCode func__current_schema(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return fill_text(call, out, call->environment->schema_name);
}
Type func__names(const Type *arg_types, uint16_t arg_count) {
    (void)arg_types, (void)arg_count;
    return type_array(type_of(TYPE_NAME));
}

static void add_name(AnyArrayBuilder *builder, Str name) {
    StrRef ref = strref_make(name.data, name.len);
    any_array_add(builder, &ref);
}

static ErrorCode schemas_of_path(const KernelCall *call, bool implicit, Vector *out, size_t row, Error *err) {
    const FunctionEnvironment *environment = call->environment;
    AnyArrayBuilder builder;
    any_array_begin(&builder, TYPE_NAME, TEXT_RESULT_BYTES_MAX);
    if (implicit && environment->temp_schema_name.len > 0) {
        add_name(&builder, environment->temp_schema_name);
    }
    if (implicit) {
        add_name(&builder, STR("pg_catalog"));
    }
    for (uint32_t i = 0; i < environment->search_path_count; i++) {
        add_name(&builder, environment->search_path[i]);
    }
    return func__put_array(call, out, row, &builder, 0, NULL, NULL, err);
}

/* The argument: with those that are searched without being named. */
ErrorCode func__current_schemas(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        TRY(schemas_of_path(call, func__bool(a, row), out, row, err));
    }
    return ERR_OK;
}

ErrorCode func__current_database(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return fill_text(call, out, call->environment->database_name);
}
ErrorCode func__current_user(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return fill_text(call, out, call->environment->user_name);
}
ErrorCode func__session_user(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    Str name = call->environment->session_user_name;
    return fill_text(call, out, name.len > 0 ? name : call->environment->user_name);
}
