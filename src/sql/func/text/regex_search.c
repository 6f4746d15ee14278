/* SPDX-License-Identifier: Apache-2.0
 * text/regex_search.c - regexp_count, regexp_instr, regexp_substr: the n-th match from a character on, its place or its text. */
#include "sql/func/text/regex_internal.h"

ErrorCode regex__count(const KernelCall *call, size_t argument, int32_t least, const char *name, size_t row, int64_t *count_out, Error *err) {
    int32_t value = AT(int32_t, func__arg(call, argument), row);
    *count_out = value;
    return value >= least ? ERR_OK : error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "invalid value for parameter \"%s\": %d", name, (int)value);
}

ErrorCode regex__start(const KernelCall *call, size_t argument, size_t row, size_t *from_out, Error *err) {
    Str text = func__text(func__arg(call, 0), row);
    int64_t start = 1;
    TRY(regex__count(call, argument, 1, "start", row, &start, err));
    bool behind = start - 1 > (int64_t)utf8_length(text);
    *from_out = behind ? text.len + 1 : utf8_offset(text, (size_t)start - 1);
    return ERR_OK;
}

ErrorCode func__regexp_count(const KernelCall *call, Vector *out, Error *err) {
    RegexRun run;
    regex__begin(&run, call);
    bool starts = call->arg_count > 2 && call->args[2]->type.id == TYPE_INT4;
    FOR_ROWS(call, row) {
        Str text = func__text(func__arg(call, 0), row);
        int32_t count = 0;
        bool global;
        size_t from = 0;
        TRY(regex__row(&run, row, starts ? 3 : 2, &global, err));
        TRY(call->environment->questdb ? ERR_OK : regex__refuse_global("regexp_count", global, err));
        TRY(starts ? regex__start(call, 2, row, &from, err) : ERR_OK);
        while (from <= text.len) {
            int groups;
            TRY(regex__match(&run, text, from, 0, &groups, err));
            if (groups == 0) {
                break;
            }
            count++;
            from = regex__next(text, pcre2_get_ovector_pointer(run.data));
        }
        ((int32_t *)vector_data(out))[row] = count;
    }
    return ERR_OK;
}

/* Ends of the n-th match, of a group in it; false: there is none. */
static ErrorCode find(RegexRun *run, Str text, size_t from, int64_t number, int64_t group, bool *found_out, size_t ends_out[2], Error *err) {
    *found_out = false;
    for (int64_t i = 1; from <= text.len; i++) {
        int groups;
        TRY(regex__match(run, text, from, 0, &groups, err));
        const size_t *ends = pcre2_get_ovector_pointer(run->data);
        if (groups == 0) {
            return ERR_OK;
        }
        if (i == number) {
            *found_out = group < groups && ends[2 * group] != PCRE2_UNSET;
            ends_out[0] = *found_out ? ends[2 * group] : 0;
            ends_out[1] = *found_out ? ends[2 * group + 1] : 0;
            return ERR_OK;
        }
        from = regex__next(text, ends);
    }
    return ERR_OK;
}

/* regexp_substr(text, pattern [, start [, n [, flags [, group]]]]) */
ErrorCode func__regexp_substr(const KernelCall *call, Vector *out, Error *err) {
    RegexRun run;
    regex__begin(&run, call);
    bool starts = call->arg_count > 2 && call->args[2]->type.id == TYPE_INT4;
    FOR_ROWS(call, row) {
        size_t from = 0, ends[2];
        int64_t number = 1, group = 0;
        bool found = false, global;
        if (!func__any_null(call, row)) {
            Str text = func__text(func__arg(call, 0), row);
            TRY(regex__row(&run, row, starts ? 4 : 2, &global, err));
            TRY(call->environment->questdb ? ERR_OK : regex__refuse_global("regexp_substr", global, err));
            TRY(starts ? regex__start(call, 2, row, &from, err) : ERR_OK);
            TRY(call->arg_count > 3 ? regex__count(call, 3, 1, "n", row, &number, err) : ERR_OK);
            TRY(call->arg_count > 5 ? regex__count(call, 5, 0, "subexpr", row, &group, err) : ERR_OK);
            TRY(find(&run, text, from, number, group, &found, ends, err));
            if (found) {
                func__put_copy(call, out, row, str_slice(text, ends[0], ends[1]));
            }
        }
        if (!found) {
            vector_set_null(out, call->arena, row);
        }
    }
    return ERR_OK;
}

/* regexp_instr(text, pattern [, start [, n [, end [, flags [, group]]]]]): the character from 1 on, 0 = none. */
ErrorCode func__regexp_instr(const KernelCall *call, Vector *out, Error *err) {
    RegexRun run;
    regex__begin(&run, call);
    FOR_ROWS(call, row) {
        Str text = func__text(func__arg(call, 0), row);
        size_t from = 0, ends[2];
        int64_t number = 1, end = 0, group = 0;
        bool found = false, global;
        TRY(call->arg_count > 2 ? regex__start(call, 2, row, &from, err) : ERR_OK);
        TRY(call->arg_count > 3 ? regex__count(call, 3, 1, "n", row, &number, err) : ERR_OK);
        TRY(call->arg_count > 4 ? regex__count(call, 4, 0, "endoption", row, &end, err) : ERR_OK);
        if (end > 1) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "invalid value for parameter \"endoption\": %d", (int)end);
        }
        TRY(call->arg_count > 6 ? regex__count(call, 6, 0, "subexpr", row, &group, err) : ERR_OK);
        TRY(regex__row(&run, row, 5, &global, err));
        TRY(regex__refuse_global("regexp_instr", global, err));
        TRY(find(&run, text, from, number, group, &found, ends, err));
        ((int32_t *)vector_data(out))[row] = found ? (int32_t)utf8_length(str_slice(text, 0, ends[end])) + 1 : 0;
    }
    return ERR_OK;
}
