/* SPDX-License-Identifier: Apache-2.0
 * text/regex.c - ~ ~* !~ !~* and the regexp_ functions, on PCRE2.
 *
 * Why:     constant patterns are compiled once, at plan time, into the plan's arena; others when the row's pattern differs from the last.
 *          PCRE2 gets its memory from arenas, so that nothing must be freed.
 * Limits:  steps, depth and memory of a match are bounded; past them 54001.
 * Rules:   as PostgreSQL: the dot matches line ends, ^ and $ match at the ends of the text only. */
#include "column/any_array.h"
#include "sql/func/text/regex_internal.h"

enum { MATCH_STEPS_MAX = 10000000, MATCH_DEPTH_MAX = 10000, MATCH_HEAP_KIB_MAX = 65536, GROUPS_MAX = 100 };

/* ---- memory ---- */

static void *arena_malloc(size_t bytes, void *arena) {
    return arena_alloc_aligned(arena, bytes, 16);
}
static void arena_free(void *pointer, void *arena) {
    (void)pointer;
    (void)arena;
}

/* ---- compiling ---- */

/* Alternatives, and nothing that asks for the shortest or refers back. */
static bool wants_longest(Str pattern) {
    bool alternatives = false;
    for (size_t i = 0; i < pattern.len; i++) {
        char c = pattern.data[i], next = i + 1 < pattern.len ? pattern.data[i + 1] : '\0';
        if (c == '\\') {
            if (next >= '1' && next <= '9') {
                return false;
            }
            i++;
        } else if ((c == '*' || c == '+' || c == '?' || c == '}') && next == '?') {
            return false;
        }
        alternatives = alternatives || c == '|';
    }
    return alternatives;
}

static const char *error_text(int number, char *room, size_t bytes) {
    switch (number) {
    case PCRE2_ERROR_MISSING_SQUARE_BRACKET: return "brackets [] not balanced";
    case PCRE2_ERROR_CLASS_RANGE_ORDER:
    case PCRE2_ERROR_CLASS_INVALID_RANGE: return "invalid character range";
    case PCRE2_ERROR_QUANTIFIER_INVALID: return "quantifier operand invalid";
    case PCRE2_ERROR_UNKNOWN_POSIX_CLASS: return "invalid character class";
    default: (void)pcre2_get_error_message(number, (PCRE2_UCHAR *)room, bytes); return room;
    }
}

/* The questdb dialect keeps the pattern as it is. */
static ErrorCode regex_compile(const FunctionEnvironment *environment, Str pattern, uint32_t options, Arena *arena, Regex *regex_out, Error *err) {
    bool postgres = environment == NULL || !environment->questdb;
    uint32_t all = PCRE2_UTF | PCRE2_UCP | PCRE2_NO_UTF_CHECK | PCRE2_NEVER_BACKSLASH_C | options;
    Str text = pattern;
    if (postgres) {
        Buffer translated;
        buffer_init(&translated, TEXT_RESULT_BYTES_MAX);
        RegexForm form = {.literal = (options & PCRE2_LITERAL) != 0, .extended = (options & PCRE2_EXTENDED) != 0};
        ErrorCode code = text__regex_translate(pattern, form, &translated, err);
        text = code == ERR_OK ? arena_str(arena, buffer_str(&translated)) : pattern;
        buffer_deinit(&translated);
        TRY(code);
        all &= ~(uint32_t)(PCRE2_LITERAL | PCRE2_EXTENDED); /* done by the translation */
    }
    pcre2_general_context *general = pcre2_general_context_create(arena_malloc, arena_free, arena);
    pcre2_compile_context *context = pcre2_compile_context_create(general);
    int number;
    size_t offset;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)text.data, text.len, all, &number, &offset, context);
    if (code == NULL) {
        char room[200] = {0};
        const char *what = error_text(number, room, sizeof room);
        return postgres ? error_set(err, ERR_INVALID_REGEX, ERROR_NO_POSITION, "invalid regular expression: %s", what)
                        : error_set(err, ERR_INVALID_REGEX, ERROR_NO_POSITION, "invalid regular expression: %s at offset %zu", what, offset);
    }
    *regex_out = (Regex){pattern, options, code, postgres && wants_longest(pattern)};
    return ERR_OK;
}

/* Flag letters of PostgreSQL; g is told by *global_out. */
static ErrorCode read_flags(Str flags, uint32_t *options_out, bool *global_out, Error *err) {
    uint32_t options = PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY;
    *global_out = false;
    for (size_t i = 0; i < flags.len; i++) {
        switch (flags.data[i]) {
        case 'g':
            *global_out = true;
            break;
        case 'i':
            options |= PCRE2_CASELESS;
            break;
        case 'c':
            options &= ~(uint32_t)PCRE2_CASELESS;
            break;
        case 'n':
        case 'm':
            options = (options | PCRE2_MULTILINE) & ~(uint32_t)(PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY);
            break;
        case 's':
            options = (options | PCRE2_DOTALL) & ~(uint32_t)PCRE2_MULTILINE;
            break;
        case 'x':
            options |= PCRE2_EXTENDED;
            break;
        case 'q':
            options |= PCRE2_LITERAL;
            break;
        case 'p':
            options &= ~(uint32_t)PCRE2_DOTALL;
            break;
        case 'w':
            options = (options | PCRE2_MULTILINE) & ~(uint32_t)PCRE2_DOLLAR_ENDONLY;
            break;
        case 'e':
        case 't':
            break;
        default:
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "invalid regular expression option: \"%c\"", flags.data[i]);
        }
    }
    *options_out = options;
    return ERR_OK;
}

static ErrorCode prepare(const PrepareCall *call, uint32_t extra, uint16_t flags_argument, const void **prepared_out, Error *err) {
    const Vector *pattern = call->constants[1];
    const Vector *flags = call->arg_count > flags_argument ? call->constants[flags_argument] : NULL;
    bool flags_vary = call->arg_count > flags_argument && flags == NULL;
    if (pattern == NULL || vector_is_null(pattern, 0) || flags_vary || (flags != NULL && vector_is_null(flags, 0))) {
        return ERR_OK;
    }
    uint32_t options;
    bool global;
    TRY(read_flags(flags == NULL ? STR("") : vector_text(flags, 0), &options, &global, err));
    Regex *regex = arena_new(call->arena, Regex);
    TRY(regex_compile(call->environment, arena_str(call->arena, vector_text(pattern, 0)), options | extra, call->arena, regex, err));
    *prepared_out = regex;
    return ERR_OK;
}

ErrorCode func__prepare_regex(const PrepareCall *call, const void **prepared_out, Error *err) {
    return prepare(call, 0, 2, prepared_out, err);
}
ErrorCode func__prepare_regex_fold(const PrepareCall *call, const void **prepared_out, Error *err) {
    return prepare(call, PCRE2_CASELESS, 2, prepared_out, err);
}
ErrorCode func__prepare_regex_replace(const PrepareCall *call, const void **prepared_out, Error *err) {
    return prepare(call, 0, 3, prepared_out, err);
}

/* ---- matching ---- */

void regex__begin(RegexRun *run, const KernelCall *call) {
    pcre2_general_context *general = pcre2_general_context_create(arena_malloc, arena_free, call->arena);
    *run = (RegexRun){.call = call, .regex = call->prepared};
    run->limits = pcre2_match_context_create(general);
    (void)pcre2_set_match_limit(run->limits, MATCH_STEPS_MAX);
    (void)pcre2_set_depth_limit(run->limits, MATCH_DEPTH_MAX);
    (void)pcre2_set_heap_limit(run->limits, MATCH_HEAP_KIB_MAX);
    run->data = pcre2_match_data_create(GROUPS_MAX, general);
}

static ErrorCode run_pattern(RegexRun *run, Str pattern, uint32_t options, Error *err) {
    if (run->call->prepared != NULL) {
        return ERR_OK;
    }
    if (run->own.code == NULL || run->own.options != options || !str_equal(run->own.pattern, pattern)) {
        TRY(regex_compile(run->call->environment, pattern, options, run->call->arena, &run->own, err));
    }
    run->regex = &run->own;
    return ERR_OK;
}

enum { LONGEST_WORKSPACE = 2000 };

/* The longest match at the leftmost place: its ends by the DFA matcher, its groups by a match of just that text. false: not to be had. */
static bool longest_match(RegexRun *run, Str text, size_t from, int *groups_out) {
    int workspace[LONGEST_WORKSPACE];
    int found = pcre2_dfa_match(run->regex->code, (PCRE2_SPTR)text.data, text.len, from, PCRE2_NO_UTF_CHECK, run->data, run->limits, workspace, LONGEST_WORKSPACE);
    if (found == PCRE2_ERROR_NOMATCH) {
        *groups_out = 0;
        return true;
    }
    if (found < 0) {
        return false;
    }
    const size_t *ends = pcre2_get_ovector_pointer(run->data);
    size_t start = ends[0], end = ends[1];
    found = pcre2_match(run->regex->code, (PCRE2_SPTR)text.data, end, start, PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_NO_UTF_CHECK, run->data, run->limits);
    *groups_out = found == 0 ? GROUPS_MAX : found;
    return found >= 0;
}

/* *groups_out: 0 = no match, else 1 + the highest group that was set. */
ErrorCode regex__match(RegexRun *run, Str text, size_t from, uint32_t options, int *groups_out, Error *err) {
    if (run->regex->longest && options == 0 && longest_match(run, text, from, groups_out)) {
        return ERR_OK;
    }
    int found = pcre2_match(run->regex->code, (PCRE2_SPTR)text.data, text.len, from, options | PCRE2_NO_UTF_CHECK, run->data, run->limits);
    if (found == PCRE2_ERROR_NOMATCH) {
        *groups_out = 0;
        return ERR_OK;
    }
    if (found < 0) {
        return error_set(err, ERR_TOO_COMPLEX, ERROR_NO_POSITION, "regular expression match takes too many steps (%d)", found);
    }
    *groups_out = found == 0 ? GROUPS_MAX : found;
    return ERR_OK;
}

static ErrorCode test_rows(const KernelCall *call, Vector *out, uint32_t extra, bool negate, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    RegexRun run;
    regex__begin(&run, call);
    FOR_ROWS(call, row) {
        int groups;
        TRY(run_pattern(&run, func__text(b, row), PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY | extra, err));
        TRY(regex__match(&run, func__text(a, row), 0, 0, &groups, err));
        func__put_bool(out, row, (groups > 0) != negate);
    }
    return ERR_OK;
}

ErrorCode func__regex(const KernelCall *call, Vector *out, Error *err) {
    return test_rows(call, out, 0, false, err);
}
ErrorCode func__regex_fold(const KernelCall *call, Vector *out, Error *err) {
    return test_rows(call, out, PCRE2_CASELESS, false, err);
}
ErrorCode func__regex_not(const KernelCall *call, Vector *out, Error *err) {
    return test_rows(call, out, 0, true, err);
}
ErrorCode func__regex_fold_not(const KernelCall *call, Vector *out, Error *err) {
    return test_rows(call, out, PCRE2_CASELESS, true, err);
}

/* ---- regexp_like, substring ---- */

/* Pattern and flags of a row: (text, pattern[, flags at number]). */
ErrorCode regex__row(RegexRun *run, size_t row, uint16_t flags_argument, bool *global_out, Error *err) {
    const KernelCall *call = run->call;
    Str flags = call->arg_count > flags_argument ? func__text(func__arg(call, flags_argument), row) : STR("");
    uint32_t options;
    TRY(read_flags(flags, &options, global_out, err));
    return run_pattern(run, func__text(func__arg(call, 1), row), options, err);
}

ErrorCode regex__refuse_global(const char *function, bool global, Error *err) {
    return !global ? ERR_OK : error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "%s() does not support the \"global\" option", function);
}

ErrorCode func__regexp_like(const KernelCall *call, Vector *out, Error *err) {
    RegexRun run;
    regex__begin(&run, call);
    FOR_ROWS(call, row) {
        bool global;
        int groups;
        TRY(regex__row(&run, row, 2, &global, err));
        TRY(call->environment->questdb ? ERR_OK : regex__refuse_global("regexp_like", global, err));
        TRY(regex__match(&run, func__text(func__arg(call, 0), row), 0, 0, &groups, err));
        func__put_bool(out, row, groups > 0);
    }
    return ERR_OK;
}

/* Where the search goes on after a match; an empty match steps one character ahead. */
size_t regex__next(Str text, const size_t *ends) {
    if (ends[1] > ends[0] || ends[1] >= text.len) {
        return ends[1] == ends[0] ? ends[1] + 1 : ends[1];
    }
    uint32_t ignored;
    int used = utf8_decode(text, ends[1], &ignored);
    return ends[1] + (used <= 0 ? 1 : (size_t)used);
}

/* substring(text from pattern): the first group if there is one, else the match. */
ErrorCode func__substring_regex(const KernelCall *call, Vector *out, Error *err) {
    RegexRun run;
    regex__begin(&run, call);
    FOR_ROWS(call, row) {
        if (func__any_null(call, row)) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        Str text = func__text(func__arg(call, 0), row);
        int groups;
        TRY(run_pattern(&run, func__text(func__arg(call, 1), row), PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY, err));
        TRY(regex__match(&run, text, 0, 0, &groups, err));
        uint32_t captures = 0;
        (void)pcre2_pattern_info(run.regex->code, PCRE2_INFO_CAPTURECOUNT, &captures);
        const size_t *ends = pcre2_get_ovector_pointer(run.data) + (captures > 0 ? 2 : 0);
        if (groups == 0 || (captures > 0 && (groups < 2 || ends[0] == PCRE2_UNSET))) {
            vector_set_null(out, call->arena, row);
        } else {
            func__put_copy(call, out, row, str_slice(text, ends[0], ends[1]));
        }
    }
    return ERR_OK;
}

/* ---- regexp_match, regexp_matches, regexp_split_to_array ---- */

/* The groups of a match, or the whole of it if the pattern has none. */
static void add_groups(const RegexRun *run, Str text, int groups, AnyArrayBuilder *builder) {
    uint32_t captures = 0;
    (void)pcre2_pattern_info(run->regex->code, PCRE2_INFO_CAPTURECOUNT, &captures);
    const size_t *ends = pcre2_get_ovector_pointer(run->data);
    for (uint32_t g = captures > 0 ? 1 : 0; g <= captures; g++) {
        bool set = (int)g < groups && ends[2 * g] != PCRE2_UNSET;
        Str part = set ? str_slice(text, ends[2 * g], ends[2 * g + 1]) : STR("");
        StrRef ref = strref_make(part.len == 0 ? "" : part.data, part.len);
        any_array_add(builder, set ? &ref : NULL);
    }
}

/* One match: an array of its groups; NULL if there is none. */
ErrorCode func__regexp_match(const KernelCall *call, Vector *out, Error *err) {
    RegexRun run;
    regex__begin(&run, call);
    FOR_ROWS(call, row) {
        AnyArrayBuilder builder;
        bool global = false;
        int groups = 0;
        if (func__any_null(call, row)) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        Str text = func__text(func__arg(call, 0), row);
        TRY(regex__row(&run, row, 2, &global, err));
        TRY(regex__refuse_global("regexp_match", global, err));
        TRY(regex__match(&run, text, 0, 0, &groups, err));
        if (groups == 0) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        any_array_begin(&builder, TYPE_TEXT, TEXT_RESULT_BYTES_MAX);
        add_groups(&run, text, groups, &builder);
        TRY(func__put_array(call, out, row, &builder, 0, NULL, NULL, err));
    }
    return ERR_OK;
}

static ErrorCode add_matches(RegexRun *run, Str text, bool global, AnyArrayBuilder *builder, uint32_t *count_out, Error *err) {
    for (size_t from = 0; from <= text.len;) {
        int groups = 0;
        TRY(regex__match(run, text, from, 0, &groups, err));
        if (groups == 0) {
            break;
        }
        add_groups(run, text, groups, builder);
        ++*count_out;
        from = regex__next(text, pcre2_get_ovector_pointer(run->data));
        if (!global) {
            break;
        }
    }
    return ERR_OK;
}

/* All matches as an array of two dimensions, a row a match: what regexp_matches gives one by one. */
ErrorCode func__regexp_all(const KernelCall *call, Vector *out, Error *err) {
    RegexRun run;
    regex__begin(&run, call);
    FOR_ROWS(call, row) {
        AnyArrayBuilder builder;
        bool global = false;
        uint32_t lengths[2] = {0, 0};
        if (func__any_null(call, row)) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        TRY(regex__row(&run, row, 2, &global, err));
        any_array_begin(&builder, TYPE_TEXT, TEXT_RESULT_BYTES_MAX);
        ErrorCode code = add_matches(&run, func__text(func__arg(call, 0), row), global, &builder, &lengths[0], err);
        lengths[1] = lengths[0] == 0 ? 0 : builder.count / lengths[0];
        code = code == ERR_OK ? func__put_array(call, out, row, &builder, 2, lengths, NULL, err) : code;
        any_array_abandon(&builder);
        TRY(code);
    }
    return ERR_OK;
}

static ErrorCode add_pieces(RegexRun *run, Str text, AnyArrayBuilder *builder, Error *err) {
    size_t piece = 0;
    for (size_t from = 0; from <= text.len;) {
        int groups = 0;
        TRY(regex__match(run, text, from, 0, &groups, err));
        const size_t *ends = pcre2_get_ovector_pointer(run->data);
        if (groups == 0) {
            break;
        }
        bool empty = ends[0] == ends[1];
        from = regex__next(text, ends);
        if (empty && (ends[0] >= text.len || ends[0] == piece)) { /* an empty match parts characters, not ends */
            if (ends[0] >= text.len) {
                break;
            }
            if (ends[0] == 0 || ends[0] == piece) {
                continue;
            }
        }
        StrRef ref = strref_make(ends[0] == piece ? "" : text.data + piece, ends[0] - piece);
        any_array_add(builder, &ref);
        piece = ends[1];
    }
    StrRef last = strref_make(piece == text.len ? "" : text.data + piece, text.len - piece);
    any_array_add(builder, &last);
    return ERR_OK;
}

ErrorCode func__regexp_split_to_array(const KernelCall *call, Vector *out, Error *err) {
    RegexRun run;
    regex__begin(&run, call);
    FOR_ROWS(call, row) {
        AnyArrayBuilder builder;
        bool global = false;
        TRY(regex__row(&run, row, 2, &global, err));
        TRY(regex__refuse_global("regexp_split_to_array", global, err));
        any_array_begin(&builder, TYPE_TEXT, TEXT_RESULT_BYTES_MAX);
        ErrorCode code = add_pieces(&run, func__text(func__arg(call, 0), row), &builder, err);
        code = code == ERR_OK ? func__put_array(call, out, row, &builder, 0, NULL, NULL, err) : code;
        any_array_abandon(&builder);
        TRY(code);
    }
    return ERR_OK;
}

/* ---- SIMILAR TO, substring SIMILAR ---- */

typedef struct Similar {
    char *text;
    size_t len;
    int parts; /* how many separators (escape and ") there were; before the first one matches are the shortest */
} Similar;

static void similar_put(Similar *s, const char *text) {
    size_t len = strlen(text);
    memcpy(s->text + s->len, text, len);
    s->len += len;
}

static void similar_plain(Similar *s, char c, bool splits) {
    if (c == '%') {
        similar_put(s, splits && s->parts == 0 ? ".*?" : ".*");
    } else if (c == '_') {
        similar_put(s, ".");
    } else {
        if (c == '.' || c == '^' || c == '$' || c == '\\') {
            s->text[s->len++] = '\\';
        }
        s->text[s->len++] = c;
        if (splits && s->parts == 0 && (c == '*' || c == '+' || c == '?' || c == '}')) {
            s->text[s->len++] = '?';
        } else if (c == '(') { /* what is in parentheses is not what substring takes */
            similar_put(s, "?:");
        }
    }
}

/* A pattern of SIMILAR TO as a regular expression that the whole text must match. Two separators make its middle the first group. */
static ErrorCode similar_pattern(Str pattern, Str escape, Arena *arena, Str *out, Error *err) {
    enum { GROWTH = 4, FRAME_BYTES = 32 };
    Similar s = {.text = arena_alloc_aligned(arena, pattern.len * GROWTH + FRAME_BYTES, 1)};
    bool bracket = false;
    bool splits = false; /* whether there is a separator at all */
    for (size_t i = 0; escape.len > 0 && i + escape.len < pattern.len; i++) {
        splits = splits || (memcmp(pattern.data + i, escape.data, escape.len) == 0 && pattern.data[i + escape.len] == '"');
    }
    similar_put(&s, "^(?:");
    for (size_t i = 0; i < pattern.len; i++) {
        bool escaped = escape.len > 0 && i + escape.len <= pattern.len && memcmp(pattern.data + i, escape.data, escape.len) == 0;
        if (escaped && i + escape.len < pattern.len) {
            i += escape.len;
            char c = pattern.data[i];
            if (c != '"') {
                s.text[s.len++] = '\\';
                s.text[s.len++] = c;
                continue;
            }
            if (s.parts == 2) {
                return error_set(err, ERR_INVALID_ESCAPE, ERROR_NO_POSITION, "SQL regular expression may not contain more than two escape-double-quote separators");
            }
            similar_put(&s, s.parts++ == 0 ? ")(" : ")(?:");
        } else if (bracket) {
            bracket = pattern.data[i] != ']';
            s.text[s.len++] = pattern.data[i];
        } else {
            bracket = pattern.data[i] == '[';
            similar_plain(&s, pattern.data[i], splits);
        }
    }
    similar_put(&s, ")$");
    *out = (Str){s.text, s.len};
    return ERR_OK;
}

/* One character, or none: then nothing is escaped. */
static ErrorCode similar_escape(const KernelCall *call, size_t row, Str *escape_out, Error *err) {
    *escape_out = call->arg_count > 2 ? func__text(func__arg(call, 2), row) : STR("\\");
    return utf8_length(*escape_out) > 1 ? error_set(err, ERR_INVALID_ESCAPE, ERROR_NO_POSITION, "invalid escape string") : ERR_OK;
}

static ErrorCode similar_match(const KernelCall *call, size_t row, RegexRun *run, int *groups_out, Error *err) {
    Str escape, pattern;
    TRY(similar_escape(call, row, &escape, err));
    TRY(similar_pattern(func__text(func__arg(call, 1), row), escape, call->arena, &pattern, err));
    TRY(run_pattern(run, pattern, PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY, err));
    return regex__match(run, func__text(func__arg(call, 0), row), 0, 0, groups_out, err);
}

ErrorCode func__similar_to(const KernelCall *call, Vector *out, Error *err) {
    RegexRun run;
    regex__begin(&run, call);
    FOR_ROWS(call, row) {
        int groups = 0;
        TRY(similar_match(call, row, &run, &groups, err));
        func__put_bool(out, row, groups > 0);
    }
    return ERR_OK;
}

/* substring(text SIMILAR pattern ESCAPE escape): what stands between the separators, or the whole text that matches. */
ErrorCode func__substring_similar(const KernelCall *call, Vector *out, Error *err) {
    RegexRun run;
    regex__begin(&run, call);
    FOR_ROWS(call, row) {
        int groups = 0;
        if (func__any_null(call, row)) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        TRY(similar_match(call, row, &run, &groups, err));
        if (groups == 0) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        const size_t *ends = pcre2_get_ovector_pointer(run.data) + (groups > 1 ? 2 : 0);
        func__put_copy(call, out, row, str_slice(func__text(func__arg(call, 0), row), ends[0], ends[1]));
    }
    return ERR_OK;
}

/* ---- regexp_replace ---- */

static void append_group(Buffer *buffer, Str text, const RegexRun *run, int groups, int number) {
    const size_t *ends = pcre2_get_ovector_pointer(run->data) + 2 * number;
    if (number < groups && ends[0] != PCRE2_UNSET) {
        buffer_append_str(buffer, str_slice(text, ends[0], ends[1]));
    }
}

/* PostgreSQL: \1..\9, \&, \\. The questdb dialect: $0..$9, \ takes the next character as it is. */
static void append_replacement(Buffer *buffer, Str replacement, Str text, const RegexRun *run, int groups, char mark) {
    for (size_t i = 0; i < replacement.len; i++) {
        char c = replacement.data[i];
        char next = i + 1 < replacement.len ? replacement.data[i + 1] : '\0';
        if (c == mark && next >= (mark == '$' ? '0' : '1') && next <= '9') {
            append_group(buffer, text, run, groups, next - '0');
            i++;
        } else if (c == '\\' && next == '&' && mark == '\\') {
            append_group(buffer, text, run, groups, 0);
            i++;
        } else if (c == '\\' && next != '\0' && (next == '\\' || mark == '$')) {
            buffer_append_char(buffer, next);
            i++;
        } else {
            buffer_append_char(buffer, c);
        }
    }
}

/* The n-th match from byte `from` on is replaced, 0: all of them. */
typedef struct Replace { size_t from; int64_t number; char mark; } Replace;

static ErrorCode replace_row(RegexRun *run, size_t row, Replace replace, Buffer *buffer, Error *err) {
    Str text = func__text(func__arg(run->call, 0), row), replacement = func__text(func__arg(run->call, 2), row);
    size_t copied = 0;
    int64_t number = 0;
    for (size_t from = replace.from; from <= text.len;) {
        int groups;
        TRY(regex__match(run, text, from, 0, &groups, err));
        if (groups == 0) {
            break;
        }
        const size_t *ends = pcre2_get_ovector_pointer(run->data);
        size_t start = ends[0], end = ends[1];
        if (start < copied) {
            break;
        }
        number++;
        if (replace.number == 0 || replace.number == number) {
            buffer_append_str(buffer, str_slice(text, copied, start));
            append_replacement(buffer, replacement, text, run, groups, replace.mark);
            copied = end;
        }
        from = regex__next(text, ends);
        if (number == replace.number) {
            break;
        }
    }
    buffer_append_str(buffer, str_slice(text, copied, text.len));
    return buffer->failed ? func__check_text_bytes(UINT64_MAX, err) : ERR_OK;
}

static ErrorCode replace_rows(const KernelCall *call, Vector *out, bool always_global, char mark, Error *err) {
    RegexRun run;
    Buffer buffer;
    ErrorCode code = ERR_OK;
    bool starts = call->arg_count > 3 && call->args[3]->type.id == TYPE_INT4; /* (…, start [, N [, flags]]) */
    regex__begin(&run, call);
    buffer_init(&buffer, TEXT_RESULT_BYTES_MAX);
    FOR_ROWS(call, row) {
        bool global;
        Replace replace = {.number = 1, .mark = mark};
        TRY_OR(done, regex__row(&run, row, starts ? 5 : 3, &global, err));
        TRY_OR(done, starts ? regex__start(call, 3, row, &replace.from, err) : ERR_OK);
        TRY_OR(done, starts && call->arg_count > 4 ? regex__count(call, 4, 0, "n", row, &replace.number, err) : ERR_OK);
        replace.number = (global && call->arg_count != 5 && call->arg_count != 6) || always_global ? 0 : replace.number;
        TRY_OR(done, replace_row(&run, row, replace, &buffer, err));
        text__end(call, out, row, &buffer);
    }
done:
    buffer_deinit(&buffer);
    return code;
}

ErrorCode func__regexp_replace(const KernelCall *call, Vector *out, Error *err) {
    return replace_rows(call, out, false, '\\', err);
}
ErrorCode func__regexp_replace_all(const KernelCall *call, Vector *out, Error *err) {
    return replace_rows(call, out, true, '$', err);
}
