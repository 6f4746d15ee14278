/* SPDX-License-Identifier: Apache-2.0
 * ast.h - the tree that the parser makes of one statement: what was written, with positions, before names mean anything.
 *
 * Layout:     plain structs in the statement's arena; lists are (pointer, count); text points into the statement or the arena.
 * Why:        every operator and predicate is an AST_CALL by name (`+`, `like`, `is null`, `between`, `in`), so that overload
 *             resolution is one thing; n-ary chains (AND, OR, IN lists, VALUES, UNION arms, FROM lists) are flat.
 * Invariants: depth of a node is 1 + that of its deepest part and at most AST_DEPTH_MAX, so walks over the tree may recurse.
 *             Spans are byte offsets in the statement text handed to sql_parse. Unquoted names are folded as the dialect says.
 * Tests:      test/unit/sql/parse/ */
#pragma once
#include "base/memory.h"
#include "sql/parse/dialect.h"

enum { AST_DEPTH_MAX = 1000, SQL_TEXT_BYTES_MAX = 1 << 30 };

typedef struct Span { uint32_t at, len; } Span;

/* One identifier. */
typedef struct AstName {
    Str text;          /* unquoted: folded to lower case in the postgres dialect, as written in questdb */
    Span span;
    bool quoted;       /* "x": look-up is exact */
    bool from_string;  /* 'x': a table or alias written as a string (QuestDB) */
} AstName;

/* a, a.b or a.b.c */
typedef struct AstNames { AstName *parts; uint32_t count; Span span; } AstNames;

typedef struct AstExpr AstExpr;
typedef struct AstSelect AstSelect;
typedef struct AstStatement AstStatement;

/* ---------------------------------------------------------------- types */

/* A type name. Words of SQL's many-word names are joined in lower case by one blank: "double precision", "character varying",
 * "timestamp with time zone", "timestamp without time zone", "time with time zone", "bit varying", "interval". */
typedef struct AstType {
    AstNames name;          /* the last part is the joined name; a schema may stand before it */
    AstExpr **modifiers;    /* numeric(10,2): two AST_INTEGER; geohash(6c): AST_NUMBER with flag AST_SUFFIXED */
    uint32_t modifier_count;
    uint8_t array_dimensions;   /* double[][] = 2 */
    Str interval_fields;    /* "day", "year to month"; empty if none */
    Span span;
} AstType;

/* ---------------------------------------------------------------- expressions */

typedef enum AstExprKind {
    AST_NULL,          /* NULL */
    AST_BOOLEAN,       /* true, false: as.boolean */
    AST_INTEGER,       /* 12, 0x1f, 1_000: as.text = digits without `_` (0x, 0o, 0b kept) */
    AST_NUMBER,        /* 1.5, 1e5: as.text without `_`; flag AST_SUFFIXED: 12.5m, 10L (the suffix is kept in the text) */
    AST_STRING,        /* 'x', E'x', $$x$$: as.text = the value */
    AST_BIT_STRING,    /* B'01', X'ff': as.text as written with B or X */
    AST_GEOHASH,       /* #u33d8b, ##0101, #u33/12: as.text as written */
    AST_PARAM,         /* $1: as.param = number; :name: as.name with flag AST_NAMED */
    AST_VARIABLE,      /* @v of DECLARE: as.text without @ */
    AST_NAME,          /* a, t.a, s.t.a: as.names */
    AST_STAR,          /* *, t.*, s.t.*: as.names (count 0 for *) */
    AST_DEFAULT,       /* DEFAULT in VALUES and SET */
    AST_CALL,          /* operator or function: as.text = name, args. Names of operators written with words are in lower case:
                        *   and or not | is null, is [not] true/false/unknown/distinct from | [not] between [symmetric]
                        *   [not] in, [not] like, [not] ilike, [not] similar to (third argument = ESCAPE) | exists | array (subquery)
                        *   at time zone | collate | overlaps | row functions: extract(field string, x), position(needle, haystack), substring, overlay, btrim.. */
    AST_CALL_SPECIAL,  /* a call with more than arguments: as.call (schema, DISTINCT, ORDER BY, FILTER, OVER, named arguments) */
    AST_CASE,          /* args: [operand if AST_HAS_OPERAND], when, then, when, then, ..., [else if AST_HAS_ELSE] */
    AST_CAST,          /* args[0], as.type; AST_TYPED_LITERAL: date '2024-01-01' */
    AST_SUBQUERY,      /* (SELECT ...): as.select */
    AST_ARRAY,         /* ARRAY[...], nested [..] inside */
    AST_ROW,           /* (a, b) or ROW(a, b) */
    AST_FIELD,         /* (x).field: args[0], as.text; (x).* has text "*" */
    AST_SUBSCRIPT,     /* a[i], a[i,j], a[lo:hi]: args[0] = array, then the subscripts */
    AST_SLICE          /* lo:hi inside a subscript: two args, either may be NULL */
} AstExprKind;

enum { /* flags of AstExpr */
    AST_OPERATOR = 1,       /* AST_CALL written as an operator or predicate */
    AST_ANY = 2,            /* a op ANY (b): args [a, b]; b is AST_SUBQUERY or an array */
    AST_ALL = 4,
    AST_BARE = 8,           /* IN without parentheses (ts IN '2024-09'); function without them (CURRENT_DATE); ROW without the word */
    AST_PARENS = 16,        /* stood in parentheses */
    AST_HAS_OPERAND = 32, AST_HAS_ELSE = 64,  /* AST_CASE */
    AST_TYPED_LITERAL = 32, /* AST_CAST */
    AST_SUFFIXED = 32,      /* AST_NUMBER */
    AST_NAMED = 32,         /* AST_PARAM */
    AST_STAR_ARGUMENT = 32, /* AST_CALL: count(*), no args */
    AST_VARIADIC = 128
};

typedef struct AstSortKey {
    AstExpr *expr;
    bool descending, nulls_given, nulls_first;
    Str using_operator;     /* ORDER BY x USING <; empty if none */
} AstSortKey;

typedef struct AstFrameBound {
    enum { AST_UNBOUNDED_PRECEDING, AST_PRECEDING, AST_CURRENT_ROW, AST_FOLLOWING, AST_UNBOUNDED_FOLLOWING } kind;
    AstExpr *offset;        /* PRECEDING and FOLLOWING */
    Str unit;               /* QuestDB: 5 seconds PRECEDING; empty if none */
} AstFrameBound;

typedef struct AstWindow {
    AstName *name;          /* OVER name, or WINDOW name AS: NULL if none */
    AstName *base;          /* OVER (base ...) */
    AstExpr **partition_by; uint32_t partition_count;
    AstSortKey *order_by;   uint32_t order_count;
    enum { AST_FRAME_NONE, AST_FRAME_ROWS, AST_FRAME_RANGE, AST_FRAME_GROUPS, AST_FRAME_CUMULATIVE } frame;
    AstFrameBound start, end;
    enum { AST_EXCLUDE_NONE, AST_EXCLUDE_CURRENT_ROW, AST_EXCLUDE_GROUP, AST_EXCLUDE_TIES, AST_EXCLUDE_NO_OTHERS } exclude;
    Span span;
} AstWindow;

typedef struct AstCall {
    AstNames name;
    AstName *argument_names; /* one per argument, empty text where the argument has none; NULL if none has one */
    AstSortKey *order_by; uint32_t order_count;     /* inside the parentheses, or WITHIN GROUP */
    AstExpr *filter;
    AstWindow *over;
    bool distinct, within_group, star, ignore_nulls, respect_nulls;
} AstCall;

struct AstExpr {
    uint8_t kind, flags;
    uint16_t depth;
    uint32_t arg_count;
    Span span;              /* of the operator, name or literal: what the caret points at */
    AstExpr **args;
    union {
        Str text;
        AstNames names;
        AstName *name;
        AstSelect *select;
        AstCall *call;
        AstType *type;
        int32_t param;
        bool boolean;
    } as;
};

/* ---------------------------------------------------------------- queries */

typedef struct AstCte {
    AstName name;
    AstName *columns; uint32_t column_count;
    AstStatement *statement;    /* SELECT, or a data-modifying statement */
    enum { AST_MATERIALIZED_UNSAID, AST_MATERIALIZED, AST_NOT_MATERIALIZED } materialized;
} AstCte;
typedef struct AstWith { AstCte *ctes; uint32_t count; bool recursive; Span span; } AstWith;

/* DECLARE @v := expr */
typedef struct AstDeclare { AstName name; AstExpr *value; bool overridable; } AstDeclare;

typedef struct AstSelectItem {
    AstExpr *expr;
    AstName *alias;         /* NULL if none */
    Span span;              /* the expression's whole text: the column's name in the questdb dialect */
} AstSelectItem;

typedef enum AstFromKind {
    AST_FROM_TABLE, AST_FROM_SUBQUERY, AST_FROM_FUNCTION, AST_FROM_JOIN,
    AST_FROM_STATEMENT,     /* (SHOW ...), (EXPLAIN ...) as a table */
    AST_FROM_PIVOT          /* left PIVOT (...): parsed for its name only */
} AstFromKind;

typedef enum AstJoinKind {
    AST_JOIN_INNER, AST_JOIN_LEFT, AST_JOIN_RIGHT, AST_JOIN_FULL, AST_JOIN_CROSS,
    AST_JOIN_ASOF, AST_JOIN_LT, AST_JOIN_SPLICE, AST_JOIN_WINDOW, AST_JOIN_HORIZON
} AstJoinKind;

typedef struct AstFrom AstFrom;
typedef struct AstJoin {
    AstJoinKind kind;
    bool natural;
    AstFrom *left, *right;
    AstExpr *on;            /* ON expr; QuestDB's ON (a, b) is AST_ROW of names or one AST_NAME: same meaning as USING */
    AstName *using_columns; uint32_t using_count;
    AstName *using_alias;
    AstExpr *tolerance;     /* ASOF, LT: AST_NUMBER with AST_SUFFIXED */
    AstFrameBound range_start, range_end;   /* WINDOW JOIN RANGE BETWEEN */
    bool has_range, exclude_prevailing;
    AstExpr *from, *to, *step;              /* HORIZON JOIN RANGE FROM..TO..STEP..AS name, or LIST(...) in `list` */
    AstExpr **list; uint32_t list_count;
    AstName *horizon_alias;
} AstJoin;

struct AstFrom {
    AstFromKind kind;
    bool lateral, only, with_ordinality;
    uint16_t depth;
    AstName *alias;
    AstName *columns; uint32_t column_count;    /* alias(a, b) */
    AstName *timestamp;     /* ... TIMESTAMP(ts): names the designated timestamp */
    AstExpr *tablesample;   /* TABLESAMPLE method(args) as a call */
    Span span;
    union {
        AstNames table;
        AstSelect *select;
        AstExpr *function;
        AstJoin *join;
        AstStatement *statement;
        AstFrom *pivot;
    } as;
};

/* SAMPLE BY 5m FROM a TO b FILL(...) ALIGN TO ... */
typedef struct AstSampleBy {
    AstExpr *step;          /* AST_NUMBER with AST_SUFFIXED ("5m"; a bare unit has text "1m"), or any expression beside `unit` */
    Str unit;               /* one of n U T s m h d w M y, taken off the text of step if it is a suffixed number */
    Span unit_span;
    AstExpr *from, *to;
    AstExpr **fill; uint32_t fill_count;    /* AST_NAME none null prev linear (AST_NULL for null), a constant, or prev(col) */
    bool has_fill;
    enum { AST_ALIGN_UNSAID, AST_ALIGN_CALENDAR, AST_ALIGN_FIRST_OBSERVATION } align;
    AstExpr *time_zone, *offset;
    Span span, fill_span;
} AstSampleBy;

/* LATEST ON ts PARTITION BY a, b; LATEST BY a, b has timestamp NULL */
typedef struct AstLatest {
    AstExpr *timestamp;
    AstExpr **partition_by; uint32_t partition_count;
    bool before_where;      /* stood before WHERE: the filter applies to its result */
    Span span;
} AstLatest;

typedef struct AstLimit {
    AstExpr *low;           /* LIMIT low, high of QuestDB: rows (low, high], negatives count from the end; NULL if one value */
    AstExpr *high;          /* LIMIT n; NULL = none or LIMIT ALL; FETCH FIRST n */
    AstExpr *offset;
    bool with_ties, has_limit;
    Span limit_span, offset_span;
} AstLimit;

typedef enum AstGroupingKind { AST_GROUP_EXPR, AST_GROUP_ROLLUP, AST_GROUP_CUBE, AST_GROUP_SETS, AST_GROUP_EMPTY } AstGroupingKind;
typedef struct AstGrouping {
    AstGroupingKind kind;
    AstExpr *expr;                              /* AST_GROUP_EXPR */
    AstExpr **args; uint32_t arg_count;         /* ROLLUP, CUBE: AST_ROW for composite elements */
    struct AstGrouping *sets; uint32_t set_count;   /* GROUPING SETS */
    Span span;
} AstGrouping;

typedef enum AstSelectKind { AST_SELECT_QUERY, AST_SELECT_VALUES, AST_SELECT_SET_OPERATION, AST_SELECT_TABLE } AstSelectKind;
typedef enum AstSetOperation { AST_UNION, AST_UNION_ALL, AST_EXCEPT, AST_EXCEPT_ALL, AST_INTERSECT, AST_INTERSECT_ALL } AstSetOperation;
typedef struct AstLocking { bool share, key, no_key, nowait, skip_locked; Span span; } AstLocking;
typedef struct AstExprList { AstExpr **items; uint32_t count, end; } AstExprList; /* end: offset of the closing parenthesis, where there is one */

struct AstSelect {
    AstSelectKind kind;     /* AST_SELECT_TABLE: `t;` or TABLE t: same as SELECT * FROM t, from[0] holds it, the rest may follow */
    uint16_t depth;
    Span span;              /* first word */
    AstWith *with;
    AstDeclare *declares; uint32_t declare_count;
    /* AST_SELECT_QUERY */
    bool distinct, distinct_on_given;
    AstExpr **distinct_on; uint32_t distinct_on_count;
    AstSelectItem *items; uint32_t item_count;
    AstNames *into;
    AstFrom **from; uint32_t from_count;
    AstExpr *where;
    AstGrouping *group_by; uint32_t group_count;
    bool has_group_by, group_by_all, group_by_distinct;
    Span group_span;
    AstExpr *having;
    AstWindow *windows; uint32_t window_count;
    AstSampleBy *sample_by;
    AstLatest *latest;
    /* AST_SELECT_VALUES */
    AstExprList *rows; uint32_t row_count;
    /* AST_SELECT_SET_OPERATION: arms[0] op arms[1] op ...; one operation for all, mixed chains nest to the left */
    AstSetOperation operation;
    AstSelect **arms; uint32_t arm_count;
    /* all */
    AstSortKey *order_by; uint32_t order_count;
    Span order_span;
    AstLimit *limit;
    AstLocking *locking; uint32_t locking_count;
};

/* ---------------------------------------------------------------- DML */

typedef struct AstAssignment {
    AstName *columns; uint32_t column_count;    /* SET (a, b) = (...) has several */
    AstExpr *value;
    bool has_field;                             /* SET column.field = ... */
    AstExpr *target;                            /* SET a[1] = ...: the column under its subscripts; NULL: the column itself */
} AstAssignment;

typedef struct AstOnConflict {
    AstExprList targets;
    AstExpr *target_where;
    AstName *constraint;
    bool do_update;
    AstAssignment *set; uint32_t set_count;
    AstExpr *where;
    Span span;
} AstOnConflict;

typedef struct AstInsert {
    AstWith *with;
    AstDeclare *declares; uint32_t declare_count;
    AstNames table;
    AstName *alias;
    AstName *columns; uint32_t column_count;
    AstExpr **targets;          /* INSERT INTO t (a[1], b): the column under its subscripts, NULL: the column itself; NULL if none has any */
    AstSelect *source;          /* VALUES or a query; NULL = DEFAULT VALUES */
    enum { AST_OVERRIDING_NONE, AST_OVERRIDING_SYSTEM, AST_OVERRIDING_USER } overriding;
    AstOnConflict *on_conflict;
    AstSelectItem *returning; uint32_t returning_count;
    bool atomic;                /* INSERT ATOMIC */
    AstExpr *batch, *o3_max_lag; /* INSERT BATCH n o3MaxLag v */
} AstInsert;

typedef struct AstUpdate {
    AstWith *with;
    AstDeclare *declares; uint32_t declare_count;
    AstNames table;
    AstName *alias;
    bool only;
    AstAssignment *set; uint32_t set_count;
    AstFrom **from; uint32_t from_count;
    AstExpr *where;
    AstName *cursor;            /* WHERE CURRENT OF */
    AstSelectItem *returning; uint32_t returning_count;
} AstUpdate;

typedef struct AstDelete {
    AstWith *with;
    AstNames table;
    AstName *alias;
    bool only;
    AstFrom **using_from; uint32_t using_count;
    AstExpr *where;
    AstName *cursor;
    AstSelectItem *returning; uint32_t returning_count;
} AstDelete;

/* ---------------------------------------------------------------- DDL */

typedef enum AstConstraintKind {
    AST_CONSTRAINT_NOT_NULL, AST_CONSTRAINT_NULL, AST_CONSTRAINT_DEFAULT, AST_CONSTRAINT_PRIMARY_KEY, AST_CONSTRAINT_UNIQUE,
    AST_CONSTRAINT_CHECK, AST_CONSTRAINT_FOREIGN_KEY, AST_CONSTRAINT_GENERATED, AST_CONSTRAINT_IDENTITY, AST_CONSTRAINT_EXCLUDE
} AstConstraintKind;
typedef struct AstConstraint {
    AstConstraintKind kind;
    AstName *name;              /* CONSTRAINT name */
    AstExpr *expr;              /* DEFAULT, CHECK, GENERATED ... AS (expr) STORED */
    Str expr_text;              /* its source text: what the catalog keeps */
    AstName *columns; uint32_t column_count;        /* of table constraints */
    AstNames references;
    AstName *reference_columns; uint32_t reference_count;
    Str on_delete, on_update, match;                /* "cascade", "set null", ...; empty if unsaid */
    bool deferrable, initially_deferred, not_valid, no_inherit, always, nulls_not_distinct, virtual_column;
    struct AstSequenceOptions *sequence;            /* IDENTITY (...), NULL if none */
    Span span;
} AstConstraint;

/* Options of sequences, as they were given. */
enum {
    AST_SEQUENCE_TYPE = 1, AST_SEQUENCE_INCREMENT = 2, AST_SEQUENCE_MINIMUM = 4, AST_SEQUENCE_NO_MINIMUM = 8, AST_SEQUENCE_MAXIMUM = 16,
    AST_SEQUENCE_NO_MAXIMUM = 32, AST_SEQUENCE_START = 64, AST_SEQUENCE_RESTART = 128, AST_SEQUENCE_RESTART_WITH = 256, AST_SEQUENCE_CACHE = 512,
    AST_SEQUENCE_CYCLE = 1024, AST_SEQUENCE_NO_CYCLE = 2048, AST_SEQUENCE_OWNED = 4096 /* owned_by, or NONE if that has no parts */,
    AST_SEQUENCE_NAME = 8192
};
typedef struct AstSequenceOptions {
    uint32_t given;
    AstType *type;
    int64_t increment, minimum, maximum, start, restart, cache;
    AstNames owned_by, name;
} AstSequenceOptions;

/* name = value of WITH (...), SET (...), WITH maxUncommittedRows=... */
typedef struct AstOption { AstName name; AstExpr *value; } AstOption;

typedef struct AstIndexSpec {   /* QuestDB's INDEX [CAPACITY n | TYPE POSTING ...] */
    AstName column;             /* of the table-level form INDEX(c ...); empty on a column */
    AstExpr *capacity;
    Str type;                   /* "posting delta", "bitmap"; empty if unsaid */
    AstName *include; uint32_t include_count;
    Span span;
} AstIndexSpec;

typedef struct AstColumn {
    AstName name;
    AstType *type;              /* NULL in CTAS column lists */
    AstConstraint *constraints; uint32_t constraint_count;
    AstNames *collation;
    Str compression, storage;   /* PostgreSQL's COMPRESSION x, STORAGE x */
    /* QuestDB's tail */
    AstExpr *symbol_capacity;
    bool cache, no_cache;
    AstIndexSpec *index;
    AstExpr *parquet;           /* PARQUET(...) as a call */
    bool dedup_key;
} AstColumn;

typedef struct AstCastColumn { AstName column; AstType *type; AstExpr *symbol_capacity; bool cache, no_cache; AstIndexSpec *index; } AstCastColumn;

typedef struct AstTtl { AstExpr *count; Str unit; Span span; } AstTtl;  /* unit: lower case singular word, or one letter as written */

typedef struct AstCreateTable {
    AstNames name;
    bool if_not_exists, temporary, unlogged, atomic;
    AstExpr *batch, *o3_max_lag;                    /* CREATE BATCH n o3MaxLag v TABLE */
    AstColumn *columns; uint32_t column_count;
    AstConstraint *constraints; uint32_t constraint_count;
    AstNames *like; uint32_t like_count;            /* LIKE t [INCLUDING ...] */
    AstSelect *as;                                  /* CTAS, NULL if none */
    Str as_text;
    AstStatement *as_statement;                     /* CREATE TABLE t AS EXECUTE ... */
    bool with_no_data;
    AstCastColumn *casts; uint32_t cast_count;      /* AS (query), CAST(c AS t) */
    AstIndexSpec *indexes; uint32_t index_count;    /* , INDEX(c CAPACITY n) */
    AstName *timestamp;                             /* TIMESTAMP(ts) */
    Str partition_by;                               /* lower case: none hour day week month year; empty if unsaid */
    Span partition_span;
    AstExpr *postgres_partition;                    /* PARTITION BY RANGE (...): parsed for its name only */
    Str postgres_partition_kind;
    AstTtl *ttl;
    enum { AST_WAL_UNSAID, AST_WAL, AST_BYPASS_WAL } wal;
    AstName *dedup_keys; uint32_t dedup_count; bool dedup; Span dedup_span;
    AstOption *options; uint32_t option_count;      /* WITH (...) or WITH a=b, ... */
    AstName *volume, *owner, *tablespace, *access_method;
    AstNames *inherits; uint32_t inherits_count;
    Str on_commit, format;
} AstCreateTable;

typedef struct AstCreateView {
    AstNames name;
    bool or_replace, temporary, recursive, materialized, if_not_exists, live;
    AstName *columns; uint32_t column_count;
    AstSelect *as;
    Str as_text;
    Str tail;                   /* what followed in QuestDB's materialized form (REFRESH, PERIOD, ...) */
} AstCreateView;

typedef struct AstCreateIndex {
    AstName *name;
    bool unique, concurrently, if_not_exists, nulls_not_distinct;
    AstNames table;
    AstName *method;
    AstSortKey *keys; uint32_t key_count;
    AstName *include; uint32_t include_count;
    AstOption *options; uint32_t option_count;
    AstExpr *where;
} AstCreateIndex;

typedef struct AstCreateSchema { AstNames name; bool if_not_exists; AstName *owner; } AstCreateSchema; /* name.count 0: as the owner is called */

/* CREATE TYPE, ALTER TYPE ... VALUE */
typedef struct AstLabel { Str text; Span span; } AstLabel;
typedef struct AstUserType {
    enum { AST_CREATE_ENUM, AST_ADD_VALUE, AST_RENAME_VALUE, AST_CREATE_DOMAIN, AST_DOMAIN_SET_DEFAULT, AST_DOMAIN_DROP_DEFAULT, AST_DOMAIN_SET_NOT_NULL,
           AST_DOMAIN_DROP_NOT_NULL, AST_DOMAIN_ADD, AST_DOMAIN_DROP, AST_DOMAIN_RENAME, AST_DOMAIN_VALIDATE } kind;
    AstNames name;
    bool if_not_exists, before, after;              /* ADD VALUE */
    AstLabel *labels; uint32_t label_count;         /* CREATE */
    AstLabel label, neighbor, new_label;
    AstType *base;                                  /* CREATE DOMAIN */
    AstNames *collation;
    AstConstraint *constraints; uint32_t constraint_count; /* CREATE, ADD; SET DEFAULT as one */
    AstName constraint, new_name;                   /* DROP, VALIDATE, RENAME CONSTRAINT */
    bool if_exists, cascade;
} AstUserType;

/* CREATE SEQUENCE, ALTER SEQUENCE with options */
typedef struct AstSequence {
    AstNames name;
    bool alter, temporary, if_not_exists, if_exists;
    AstSequenceOptions options;
} AstSequence;

/* CREATE, ALTER ROLE|USER|GROUP. Flags are -1 = not said, 0, 1. */
typedef struct AstRole {
    Str object;                 /* "role", "user", "group" */
    AstName name;
    bool alter;
    int8_t superuser, inherit, create_role, create_db, login, replication, bypass_rls;
    bool connection_limit_given, password_given, valid_until_given, sysid_given;
    int64_t connection_limit;
    AstExpr *password;          /* AST_STRING, AST_NULL */
    AstExpr *valid_until;
    AstName *in_roles; uint32_t in_role_count;      /* IN ROLE */
    AstName *members; uint32_t member_count;        /* ROLE, USER; ALTER GROUP ADD|DROP USER */
    AstName *admins; uint32_t admin_count;
    bool drops_members;         /* ALTER GROUP DROP USER */
} AstRole;

/* Options of a membership: -1 = not said, 0, 1 */
typedef struct AstMembership { int8_t admin, inherit, set; } AstMembership;
typedef struct AstPrivilege { Str name; AstName *columns; uint32_t column_count; Span span; } AstPrivilege; /* lower case; empty name = ALL */
typedef struct AstGrant {
    bool revoke, option_only, with_option, cascade;
    AstMembership membership;   /* of_roles: WITH ADMIN TRUE, INHERIT FALSE; REVOKE: options that go, 0 */
    bool of_roles;              /* GRANT role TO role: privileges hold the roles' names */
    bool defaults;              /* ALTER DEFAULT PRIVILEGES */
    bool in_schemas;            /* ALL TABLES IN SCHEMA: objects are schemas */
    AstPrivilege *privileges; uint32_t privilege_count;
    Str object;                 /* "table", "sequence", "schema", "database", "function", "type", ...; defaults: "table", ... */
    AstNames *objects; uint32_t object_count;
    AstName *grantees; uint32_t grantee_count;
    AstName *for_roles; uint32_t for_role_count;    /* defaults */
} AstGrant;

typedef struct AstComment {
    Str object;                 /* "table", "column", "constraint", ... */
    AstNames name;              /* column: t.c or s.t.c */
    AstNames on_table;          /* constraint, trigger, ... ON t */
    AstExpr *text;              /* AST_STRING or AST_NULL */
} AstComment;

typedef struct AstExtension { AstName name; bool if_not_exists, cascade; AstName *schema; Str version; } AstExtension;

/* ALTER ROLE|DATABASE name SET ..., RESET ...; SET without values: FROM CURRENT */
typedef struct AstObjectSetting { Str object; AstName name; AstName *database; bool all_roles; AstStatement *set; } AstObjectSetting;

/* REASSIGN OWNED BY a TO b; DROP OWNED BY a */
typedef struct AstOwned { bool drop, cascade; AstName *roles; uint32_t role_count; AstName to; } AstOwned;

/* DROP TABLE/VIEW/SCHEMA/INDEX/... and TRUNCATE */
typedef struct AstDrop {
    Str object;                 /* "table", "view", "materialized view", "schema", "index", "sequence", "all" ... */
    AstNames *names; uint32_t count;
    bool if_exists, cascade, restrict_given, concurrently;
    bool restart_identity, keep_symbol_maps, only;  /* TRUNCATE */
} AstDrop;

typedef enum AstAlterKind {
    AST_ALTER_ADD_COLUMN, AST_ALTER_DROP_COLUMN, AST_ALTER_RENAME_COLUMN, AST_ALTER_RENAME_TABLE, AST_ALTER_SET_SCHEMA,
    AST_ALTER_COLUMN_TYPE, AST_ALTER_COLUMN_DEFAULT, AST_ALTER_COLUMN_DROP_DEFAULT, AST_ALTER_COLUMN_SET_NOT_NULL,
    AST_ALTER_COLUMN_DROP_NOT_NULL, AST_ALTER_COLUMN_ADD_IDENTITY, AST_ALTER_COLUMN_DROP_IDENTITY, AST_ALTER_ADD_CONSTRAINT, AST_ALTER_VALIDATE_CONSTRAINT, AST_ALTER_DROP_CONSTRAINT, AST_ALTER_RENAME_CONSTRAINT,
    AST_ALTER_COLUMN_ADD_INDEX, AST_ALTER_COLUMN_DROP_INDEX, AST_ALTER_COLUMN_CACHE, AST_ALTER_COLUMN_NOCACHE,
    AST_ALTER_COLUMN_CAPACITY, AST_ALTER_DROP_PARTITION, AST_ALTER_DETACH_PARTITION, AST_ALTER_ATTACH_PARTITION,
    AST_ALTER_CONVERT_PARTITION, AST_ALTER_SQUASH_PARTITIONS, AST_ALTER_SET_PARAM, AST_ALTER_SET_OPTIONS, AST_ALTER_SET_TTL,
    AST_ALTER_SET_WAL, AST_ALTER_DEDUP_ENABLE, AST_ALTER_DEDUP_DISABLE, AST_ALTER_SUSPEND_WAL, AST_ALTER_RESUME_WAL,
    AST_ALTER_OWNER, AST_ALTER_OTHER
} AstAlterKind;

typedef struct AstAlterAction {
    AstAlterKind kind;
    Span span;                  /* what the caret points at: the column, else the action's first word */
    AstName column, new_name;   /* RENAME: column -> new_name; the table's new name, schema, constraint or owner in new_name */
    AstColumn *definition;      /* ADD COLUMN; ALTER TYPE has name and type in it */
    AstConstraint *constraint;
    AstExpr *expr;              /* SET DEFAULT, TYPE ... USING, CAPACITY, partitions' WHERE */
    Str expr_text;
    AstExprList list;           /* PARTITION LIST '...', ... */
    AstOption *options; uint32_t option_count;
    AstName *names; uint32_t name_count;    /* UPSERT KEYS(...) */
    AstTtl *ttl;
    AstIndexSpec *index;
    Str what;                   /* AST_ALTER_OTHER: the words, for the refusal */
    bool if_exists, if_not_exists, cascade, bypass;
} AstAlterAction;

typedef struct AstAlterTable {
    AstNames table;
    bool if_exists, only, renames_table_statement;  /* RENAME TABLE a TO b */
    Str object;                 /* "table", "view", "materialized view", "sequence", ... */
    AstAlterAction *actions; uint32_t action_count;
} AstAlterTable;

/* ---------------------------------------------------------------- session */

typedef struct AstSet {
    enum { AST_SET, AST_SET_DEFAULT, AST_RESET, AST_RESET_ALL } kind;
    bool local, session;
    AstNames name;              /* "transaction isolation level", "time zone", "session characteristics" are joined to one part */
    AstExpr **values; uint32_t value_count; /* words come as AST_STRING */
} AstSet;

typedef struct AstShow {
    enum { AST_SHOW_SETTING, AST_SHOW_ALL, AST_SHOW_TABLES, AST_SHOW_COLUMNS, AST_SHOW_PARTITIONS, AST_SHOW_CREATE,
           AST_SHOW_PARAMETERS, AST_SHOW_OTHER } kind;
    AstNames name;              /* setting, or the table */
    Str object;                 /* SHOW CREATE: "table", "view", ... */
} AstShow;

typedef struct AstExplain {
    AstStatement *statement;
    bool analyze, verbose, costs_off;
    AstOption *options; uint32_t option_count;  /* as written in parentheses; analyze and verbose are also set above */
    Str format;                 /* lower case; empty = text */
} AstExplain;

typedef struct AstTransaction {
    enum { AST_BEGIN, AST_START_TRANSACTION, AST_COMMIT, AST_ROLLBACK, AST_SAVEPOINT, AST_RELEASE, AST_ROLLBACK_TO,
           AST_PREPARE_TRANSACTION, AST_COMMIT_PREPARED, AST_ROLLBACK_PREPARED, AST_SET_TRANSACTION } kind;
    enum { AST_ISOLATION_UNSAID, AST_READ_UNCOMMITTED, AST_READ_COMMITTED, AST_REPEATABLE_READ, AST_SERIALIZABLE } isolation;
    enum { AST_ACCESS_UNSAID, AST_READ_ONLY, AST_READ_WRITE } access;
    enum { AST_DEFERRABLE_UNSAID, AST_DEFERRABLE, AST_NOT_DEFERRABLE } deferrable;
    bool chain, session_characteristics;
    AstName name;               /* savepoint; gid of two-phase commit; id of the snapshot to import */
} AstTransaction;

typedef struct AstPrepare { AstName name; AstType **types; uint32_t type_count; AstStatement *statement; Str text; } AstPrepare;
typedef struct AstExecute { AstName name; AstExpr **args; uint32_t arg_count; } AstExecute;
typedef struct AstDeallocate { AstName name; bool all; } AstDeallocate;

typedef struct AstCopy {
    AstNames table;
    AstName *columns; uint32_t column_count;
    AstStatement *query;        /* COPY (query) TO */
    bool from;                  /* FROM or TO */
    bool binary;                /* COPY BINARY t ..., the old spelling */
    enum { AST_COPY_STDIN, AST_COPY_STDOUT, AST_COPY_FILE, AST_COPY_PROGRAM, AST_COPY_CANCEL } target;
    Str path;
    AstOption *options; uint32_t option_count;
    AstExpr *where;
} AstCopy;

/* DECLARE name CURSOR FOR query; FETCH and MOVE; CLOSE */
typedef enum AstFetchDirection { AST_FETCH_FORWARD, AST_FETCH_BACKWARD, AST_FETCH_ABSOLUTE, AST_FETCH_RELATIVE } AstFetchDirection;
typedef struct AstCursor {
    AstName name;
    bool binary, scroll, no_scroll, hold;   /* DECLARE */
    AstStatement *query;
    Str text;                   /* of the query */
    bool move, all;             /* MOVE instead of FETCH; CLOSE ALL */
    uint8_t direction;          /* AstFetchDirection */
    int64_t count;              /* INT64_MAX = ALL; negative: the other way, from the end */
} AstCursor;

typedef struct AstLock { AstNames *tables; uint32_t table_count; Str mode; bool nowait; } AstLock; /* mode: "access share" */

/* CHECKPOINT, VACUUM, ANALYZE, DISCARD, REINDEX ... */
typedef struct AstUtility {
    Str what;                   /* "checkpoint", "checkpoint create", "vacuum", "analyze", "discard all", "cancel query" */
    AstNames *names; uint32_t count;
    AstOption *options; uint32_t option_count;
    AstExpr *argument;
} AstUtility;

/* ---------------------------------------------------------------- statements */

#define AST_STATEMENTS(X)                                                                                              \
    X(SELECT, "SELECT") X(INSERT, "INSERT") X(UPDATE, "UPDATE") X(DELETE, "DELETE")                                    \
    X(CREATE_TABLE, "CREATE TABLE") X(CREATE_VIEW, "CREATE VIEW") X(CREATE_INDEX, "CREATE INDEX")                      \
    X(CREATE_SCHEMA, "CREATE SCHEMA") X(DROP, "DROP") X(TRUNCATE, "TRUNCATE") X(ALTER_TABLE, "ALTER TABLE")            \
    X(SET, "SET") X(SHOW, "SHOW") X(EXPLAIN, "EXPLAIN") X(TRANSACTION, "TRANSACTION") X(PREPARE, "PREPARE")            \
    X(EXECUTE, "EXECUTE") X(SEQUENCE, "SEQUENCE") X(ROLE, "ROLE") X(GRANT, "GRANT") X(COMMENT, "COMMENT")                \
    X(USER_TYPE, "TYPE") X(EXTENSION, "CREATE EXTENSION") X(OBJECT_SETTING, "ALTER") X(OWNED, "OWNED") X(DEALLOCATE, "DEALLOCATE") X(COPY, "COPY") X(UTILITY, "UTILITY")                 \
    X(DECLARE_CURSOR, "DECLARE CURSOR") X(FETCH, "FETCH") X(CLOSE, "CLOSE") X(LOCK, "LOCK TABLE")

typedef enum AstStatementKind {
#define X(name, text) AST_##name##_STATEMENT,
    AST_STATEMENTS(X)
#undef X
        AST_STATEMENT_COUNT
} AstStatementKind;

struct AstStatement {
    AstStatementKind kind;
    Dialect dialect;
    Span span;                  /* first word to last word, without the semicolon */
    int32_t param_max;          /* highest $n, 0 if none */
    AstName *named_params; uint32_t named_param_count;  /* :name in order of first use; numbered behind param_max */
    union {
        AstSelect *select;
        AstInsert *insert;
        AstUpdate *update;
        AstDelete *delete_;
        AstCreateTable *create_table;
        AstCreateView *create_view;
        AstCreateIndex *create_index;
        AstCreateSchema *create_schema;
        AstDrop *drop;          /* DROP and TRUNCATE */
        AstAlterTable *alter_table;
        AstSet *set;
        AstShow *show;
        AstExplain *explain;
        AstTransaction *transaction;
        AstPrepare *prepare;
        AstExecute *execute;
        AstDeallocate *deallocate;
        AstCopy *copy;
        AstUtility *utility;
        AstSequence *sequence;
        AstUserType *user_type;
        AstRole *role;
        AstGrant *grant;
        AstComment *comment;
        AstExtension *extension;
        AstObjectSetting *object_setting;
        AstOwned *owned;
        AstCursor *cursor;      /* DECLARE CURSOR, FETCH, CLOSE */
        AstLock *lock;
    } as;
};
