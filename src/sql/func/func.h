/* SPDX-License-Identifier: Apache-2.0
 * func.h - the one list of functions, operators, casts and aggregates: rows, kernels, and the calls that find them.
 *
 * Rows live in functions.inc, casts.h (X-macro tables) and aggregate/ and are collected into static const arrays by functions.c.
 * A kernel sees dense vectors only (FLAT or CONSTANT) and up to 1,024 rows; it may compute every row, but may raise only for
 * rows set in call->rows (unselected rows can never raise). The manual and a CI test (example = answer) come
 * from the same rows. Threads: everything here is immutable; a prepared state is read-only while running. */
#pragma once
#include "base/calendar.h"
#include "base/memory.h"
#include "base/random.h"
#include "column/source.h"
#include "column/value_text.h"
#include "column/vector.h"
#include "sql/func/session_calls.h"
#include "sql/func/system_calls.h"

enum { FUNCTION_ARGS_MAX = 8, CALL_ARGS_MAX = 100 };

/* Pseudo types of argument lists and results. */
enum {
    ARG_ANY = TYPE_COUNT, /* any type, as it comes */
    ARG_SAME,             /* any type; all ARG_SAME arguments are brought to one common type; as a result: that type */
    ARG_ARRAY,            /* an array (PostgreSQL's anycompatiblearray); all ARG_ARRAY and ARG_ELEMENT arguments agree on an element type */
    ARG_ELEMENT,          /* that element type */
    ARG_NONARRAY,         /* any type but an array, as it comes */
    ARG_ENUM,             /* an enum; all ARG_ENUM arguments are of the same one; as a result: that type */
    ARG_TEXTS,            /* text[] */
    ARG_END = 255
};

enum {
    FN_FAILS = 1,        /* may raise for some values: guarded by the program */
    FN_VOLATILE = 2,     /* never folded or merged (random, nextval) */
    FN_STABLE = 4,       /* constant within a statement (now()) */
    FN_EXPENSIVE = 8,    /* guarded even if it cannot fail (regex) */
    FN_NOT_STRICT = 16,  /* sees NULLs itself and writes validity; others: result NULL where any argument is */
    FN_COMMUTES = 32,
    FN_VARIADIC = 64,    /* the last argument type may repeat, 0 or more times beyond the first */
    FN_OPERATOR = 128,   /* name is an operator; not callable as name(...) */
    FN_POSTGRES = 256,   /* row counts in the postgres dialect only (float8 / 0 raises, ^ is power, now() is timestamptz) */
    FN_QUESTDB = 512,    /* in the questdb dialect only */
    FN_BOUND = 1024      /* calls are made by the binder alone, which gives the prepared state: calls with different states differ */
};
/* Overload resolution (binder): rows of the other dialect do not count. DECIMAL8 and DECIMAL16 resolve as NUMERIC where no row names
 * them, VARCHAR, BPCHAR, CHAR and SYMBOL as TEXT. Operators that the parser spells with words have rows by that name ("like", "ilike",
 * "at time zone", "is distinct from"); their negations (not like …) and !=  are the binder's (NOT of the row, "<>"). extract(field, x)
 * of the questdb dialect answers INT4; for the constant field 'epoch' the binder takes "extract_epoch"(x), INT8. */

/* What nextval and its kin ask of the session. */
typedef enum SequenceAction { SEQUENCE_NEXT, SEQUENCE_CURRENT, SEQUENCE_LAST /* lastval(): no oid */, SEQUENCE_SET, SEQUENCE_READ, SEQUENCE_READ_CALLED } SequenceAction;
typedef struct SequenceCall { uint8_t action; uint32_t oid; int64_t value; bool called; } SequenceCall;

/* What a statement gives its functions. Owned by the session; constant while the statement runs. */
typedef struct FunctionEnvironment {
    int64_t now_micros;                    /* transaction start, UTC */
    int64_t (*clock_micros)(void *clock);  /* systimestamp() */
    void *clock;
    const Zone *zone;                      /* session time zone; NULL = UTC */
    ValueStyle style;                      /* how texts of values look and are read */
    ErrorCode (*zone_load)(Str name, Arena *arena, const Zone **zone_out, Error *err); /* by name or offset (os_zone_load); NULL: only offsets */
    /* As PostgreSQL names zones: any case, POSIX rules (os_zone_find). NULL: as zone_load */
    ErrorCode (*zone_find)(Str name, Arena *arena, Str *name_out, const Zone **zone_out, Error *err);
    Random *random;                        /* one thread only: FN_VOLATILE calls run on the session's thread */
    Str user_name, database_name, schema_name, version_text;
    bool questdb;                          /* dialect, for the few text forms that differ */
    /* Schemas that exist of the search path, in order, without the implicit pg_catalog; schema_name is the first (empty: none). */
    const Str *search_path;
    uint32_t search_path_count;
    Str temp_schema_name;                  /* the session's own schema of temporary tables; empty: none yet */
    Str session_user_name;                 /* who connected; user_name is who it acts as (SET ROLE) */
    const SessionCalls *calls;             /* NULL: outside of a session */
    void *session;                         /* first argument of the calls */
    ErrorCode (*sequence)(void *context, const SequenceCall *call, int64_t *value_out, Error *err); /* on the session's thread; NULL: none here */
    void *sequence_context;
    const OidNames *names;                 /* of regclass and its kin; NULL: numbers only */
    const SystemCalls *system;             /* functions that ask the catalog; NULL: there is none */
} FunctionEnvironment;

typedef struct KernelCall KernelCall;
struct KernelCall {
    const Vector *const *args;             /* FLAT or CONSTANT */
    uint16_t arg_count, row_count;
    const uint64_t *rows;                  /* rows whose value is needed and that may raise (strict: no NULL argument among them); never NULL */
    Arena *arena;                          /* batch lifetime: text results, big numerics */
    const void *prepared;                  /* from prepare, or NULL */
    const FunctionEnvironment *environment;
    uint64_t *counter;                     /* of this call site, 0 at the start of an execution; FN_VOLATILE kernels may count rows in it. NULL: none */
};
/* out: made by vector_new with the result type (data writable by vector_data); strict functions leave out->valid alone. */
typedef ErrorCode (*Kernel)(const KernelCall *call, Vector *out, Error *err);

/* At plan time, once per call site: sees constant arguments (NULL entries = not constant) and may refuse, compile (regex, format)
 * into *prepared_out (arena = plan lifetime; NULL = nothing) and fix the result type (numeric scale). */
typedef struct PrepareCall {
    const Vector *const *constants;        /* one per argument: CONSTANT vector or NULL */
    const Type *arg_types;
    uint16_t arg_count;
    Arena *arena;
    const FunctionEnvironment *environment;
} PrepareCall;
typedef ErrorCode (*Prepare)(const PrepareCall *call, const void **prepared_out, Error *err);
typedef Type (*ResultType)(const Type *arg_types, uint16_t arg_count);  /* NULL: type_of(result) */

typedef struct Function {
    const char *name;
    uint8_t args[FUNCTION_ARGS_MAX];       /* TypeId or ARG_…, ended by ARG_END when fewer */
    uint8_t arg_count;
    uint8_t result;                        /* TypeId or ARG_SAME */
    uint32_t flags;
    Kernel kernel;
    Prepare prepare;
    ResultType result_type;
    const char *example, *answer;          /* SQL text and its text answer */
} Function;

/* All rows of that name (case-insensitive), contiguous; count 0 = unknown. */
const Function *function_lookup(Str name, size_t *count_out);
size_t function_count(void);
const Function *function_at(size_t index);  /* for SHOW FUNCTIONS, manual, tests */

/* ---- calls that the binder makes of syntax ---- */
typedef enum BoundFunction {
    BOUND_QUANTIFIED,   /* x op ANY (array), x op ALL (array): two arguments, prepared by a Quantifier; the elements have the operator's right type */
    BOUND_ARRAY,        /* ARRAY[...]: elements of the result's element type, or arrays of one more dimension */
    BOUND_SUBSCRIPT,    /* a[i][j]: array, then int4 subscripts */
    BOUND_SLICE,        /* a[l:u]: array, then low and high of each dimension; INT32_MIN and INT32_MAX where left out */
    BOUND_ASSIGN,       /* a[i][j] = value: array, value, then int4 subscripts; the whole array */
    BOUND_ASSIGN_SLICE, /* a[l:u] = values: array, array of values, low and high as for a slice; one dimension */
    BOUND_ROW,          /* ROW(...) */
    BOUND_FIELD,        /* (row).n: record, field number from 0 */
    BOUND_DOMAIN        /* raises for the rows that it is asked for: the value, prepared by a DomainFailure; answers the value's type */
} BoundFunction;
const Function *function_bound(BoundFunction which);
typedef struct DomainFailure { Str schema_name, domain, check; } DomainFailure; /* check empty: the domain takes no NULL */
typedef struct Quantifier {
    const Function *function;   /* the operator over (x, element) */
    const void *prepared;       /* its state, or NULL */
    bool all, negated;          /* negated: NOT of the operator's answer */
    bool equal;                 /* = ANY or <> ALL: an element that is equal by value_rules decides */
} Quantifier;

NODISCARD ErrorCode domain_failure(const DomainFailure *failure, Error *err);       /* 23514, 23502 with their fields */

/* ---- casts ---- */
typedef enum CastContext { CAST_IMPLICIT, CAST_ASSIGNMENT, CAST_EXPLICIT } CastContext;
typedef struct Cast {
    uint8_t from, to;        /* TypeId */
    uint8_t context;         /* the weakest context in which it is allowed */
    bool binary;             /* same physical value: no kernel runs */
    Function function;       /* one argument; result type carries target modifiers through prepared (see cast_prepare) */
} Cast;
/* NULL: no such cast. UNKNOWN -> any type is text input. SYMBOL -> TEXT is a cast; TEXT -> SYMBOL is done by the insert sink. */
const Cast *cast_find(TypeId from, TypeId to);
/* A cast to a type with modifiers (numeric(p,s), varchar(n)) or another scale: prepared state for the target. NULL if none needed. */
const void *cast_prepare(Type from, Type to, CastContext context, Arena *arena);
/* Text input without a vector: parse one value of `type` (literals, COPY, CSV, line protocol, parameters). value: physical_bytes
 * (PHYS_BIT: one byte 0/1; PHYS_STR: StrRef into arena or text). ERR_INVALID_TEXT etc. with position = offset in text. */
NODISCARD ErrorCode value_parse(Type type, Str text, const FunctionEnvironment *environment, Arena *arena, void *value_out, Error *err);

/* ---- aggregates (rows and kernels in sql/func/aggregate/) ---- */
enum {
    AGG_ORDERED = 1,         /* first, last: uses RowPosition; result independent of threads */
    AGG_COUNT_NULLS = 2,     /* sees NULL arguments (count(*), first of QuestDB…) */
    AGG_EMPTY_ZERO = 4,      /* 0 rows give 0, not NULL (count) */
    AGG_TEXT_STATE = 8,      /* states hold arena pointers: cannot be moved by memcpy to disk */
    AGG_POSTGRES = 16,       /* row counts in the postgres dialect only (sum(int8) is numeric) */
    AGG_QUESTDB = 32,        /* in the questdb dialect only (sum(int8) is int8, avg(int) is float8, first() takes nulls) */
    AGG_CONSTANT_TAIL = 64,  /* arguments after the first must be constant (percentile, string_agg's separator); prepare sees them */
    AGG_DISTINCT = 128,      /* the executor hands on distinct arguments only, as for agg(DISTINCT x) */
    AGG_SERIAL = 256,        /* one worker, rows in source order: string_agg, array_agg */
    AGG_HIDDEN = 512         /* made by the planner, not callable by name */
};
typedef struct AggregateCall {
    const Vector *const *args;             /* FLAT or CONSTANT */
    uint16_t arg_count, row_count;
    const uint64_t *rows;                  /* rows to take; never NULL. NULL arguments must be skipped by the aggregate itself (unless AGG_COUNT_NULLS) */
    RowPosition first;                     /* of row 0 */
    Arena *arena;                          /* lifetime of the states */
    const void *prepared;
    const SymbolTable *symbols;            /* of the first argument, if SYMBOL */
} AggregateCall;
/* Sums by small group numbers, kept by the executor beside the states (sql/exec/dense_sums.h): rows as pairs of integers (kernels.h). */
typedef enum DenseSplit { DENSE_TAKEN, DENSE_REFUSED /* this batch goes to update_groups */, DENSE_RESCALE /* settle, then ask again */ } DenseSplit;
typedef struct DenseScale { int exponent; bool used; } DenseScale; /* floats: |value| < 2^exponent; used: the sums hold pairs of this scale */
typedef struct Aggregate {
    const char *name;
    uint8_t args[4], arg_count, result;    /* as in Function; count(*) has arg_count 0 */
    uint32_t flags;
    uint32_t state_bytes;                  /* multiple of 16; states are 16-byte aligned, start zeroed, then init */
    ResultType result_type;
    Prepare prepare;
    void (*init)(void *state);             /* NULL: zeroes are right */
    ErrorCode (*update)(const AggregateCall *call, void *state, Error *err);
    /* state of row r = states + group[r] * stride; only rows in call->rows */
    ErrorCode (*update_groups)(const AggregateCall *call, uint8_t *states, size_t stride, const uint32_t *group, Error *err);
    ErrorCode (*merge)(void *into, const void *from, Arena *arena, Error *err);
    ErrorCode (*finish)(const void *state, const void *prepared, Vector *out, size_t row, Arena *arena, Error *err); /* writes value or NULL at row */
    bool (*from_stats)(void *state, const BlockStats *stats, Type argument); /* NULL or false: read the rows */
    /* NULL: not offered. Split: all rows of a FLAT argument without NULLs (none: count(*), pairs stay unused). Settle: rows' sum into a state. */
    DenseSplit (*dense_split)(const AggregateCall *call, DenseScale *scale, int64_t *pairs);
    void (*dense_settle)(void *state, const DenseScale *scale, const int64_t *pair, int64_t count);
    const char *example, *answer;          /* over a VALUES list */
} Aggregate;
const Aggregate *aggregate_lookup(Str name, size_t *count_out);
size_t aggregate_count(void);
const Aggregate *aggregate_at(size_t index);
