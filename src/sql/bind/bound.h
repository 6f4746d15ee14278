/* SPDX-License-Identifier: Apache-2.0
 * bound.h - what the binder hands to the planner: interned expressions, relations, bound statements.
 *
 * Every output column has a statement-wide ColumnId; positions exist only in the physical plan. Expressions are interned: the same
 * expression is the same pointer (volatile calls excepted). Everything lives in the statement arena. Depth <= 1,000 by construction. */
#pragma once
#include "catalog/bodies.h"
#include "sql/func/func.h"

enum { EXPR_DEPTH_MAX = 1000 };
typedef uint32_t ColumnId; /* 0 = none */

typedef struct Value {
    Type type;
    bool is_null;
    union { uint8_t bytes[16]; int64_t i64; int32_t i32; double f64; StrRef str; bool boolean; Interval interval; NumericSlot numeric; } as;
} Value;

typedef enum ExprKind {
    EXPR_COLUMN, EXPR_CONSTANT, EXPR_PARAM,
    EXPR_CALL,      /* function over args (operators, casts by their Function too) */
    EXPR_CASE,      /* args: when1, then1, when2, then2, …, else (odd count; else may be a NULL constant); conditions are boolean */
    EXPR_AND, EXPR_OR, /* n-ary, three-valued */
    EXPR_NOT,
    EXPR_IS_NULL,   /* one argument; IS NOT NULL = NOT of it */
    EXPR_COALESCE,  /* n-ary, all of the result type */
    EXPR_IN_LIST,   /* args[0] IN (args[1..]), all of one type; constants are sorted out by the planner; NULLs three-valued */
    EXPR_TIME_IN,   /* args[0] (a timestamp type) in ranges[]: exact, in units of its type */
    EXPR_IN_REL,    /* args[0] IN (subquery rel with one column); for all three: further args are the outer values, see as.subquery */
    EXPR_SCALAR_REL,/* scalar subquery: NULL for no row, 21000 for two */
    EXPR_EXISTS_REL,
    EXPR_OUTER      /* inside a subquery: column as.column of an enclosing query; constant while the subquery runs once */
} ExprKind;

enum { EXPR_FAILS = 1, EXPR_VOLATILE = 2, EXPR_EXPENSIVE = 4, EXPR_STABLE = 8, EXPR_HAS_SUBQUERY = 16, EXPR_HAS_OUTER = 32 }; /* inherited from arguments */

typedef struct Rel Rel;
typedef struct Expr Expr;
struct Expr {
    uint8_t kind, flags;
    uint16_t depth;
    uint32_t arg_count, id;
    Type type;
    const Expr *const *args;
    int64_t position;                  /* byte offset in the statement, -1 = none */
    union {
        ColumnId column;
        Value value;                   /* CONSTANT */
        uint32_t param;                /* 0-based */
        struct { const Function *function; const void *cast_prepared; const SymbolTable *symbols; } call;
        struct { const KeyRange *ranges; uint32_t range_count; } time_in;
        Rel *rel;
        struct { Rel *rel; const ColumnId *outer_ids; uint32_t outer_count; } subquery; /* …_REL; the last outer_count args give what
                                        * EXPR_OUTER outer_ids[i] means inside rel. 0: uncorrelated. rel is `rel` above */
    } as;
};

typedef struct RelColumn {
    ColumnId id;
    Type type;
    Str name;                          /* as shown to the client */
    const SymbolTable *symbols;        /* SYMBOL typed: the dictionary */
    uint32_t table_id;                 /* origin, 0 = computed */
    int16_t table_column;              /* column number in the origin */
} RelColumn;

typedef enum RelKind {
    REL_SCAN, REL_VALUES, REL_TABLE_CALL, REL_FILTER, REL_PROJECT, REL_JOIN, REL_AGGREGATE, REL_SAMPLE, REL_LATEST,
    REL_SORT, REL_LIMIT, REL_DISTINCT, REL_UNION_ALL, REL_SET_OP, REL_WINDOW, REL_RECURSE, REL_WORKING
} RelKind;
typedef enum JoinKind { JOIN_INNER, JOIN_LEFT, JOIN_CROSS, JOIN_RIGHT, JOIN_FULL, JOIN_SEMI, JOIN_ANTI } JoinKind;
typedef struct SortKey { const Expr *expr; bool descending, nulls_first; } SortKey; /* nulls_first is always decided by the binder (D3) */
typedef struct AggregateExpr { const Aggregate *aggregate; const Expr *const *args; uint16_t arg_count; bool distinct; const Expr *filter; Type type; const void *prepared; const SymbolTable *symbols;
    const SortKey *order; uint16_t order_count; } AggregateExpr; /* order: the binder sorts the input; kept to tell calls apart */
typedef enum WindowKind {
    WINDOW_AGGREGATE, WINDOW_ROW_NUMBER, WINDOW_RANK, WINDOW_DENSE_RANK, WINDOW_PERCENT_RANK, WINDOW_CUME_DIST, WINDOW_NTILE, WINDOW_LAG, WINDOW_LEAD,
    WINDOW_FIRST_VALUE, WINDOW_LAST_VALUE, WINDOW_NTH_VALUE
} WindowKind;
typedef enum FrameMode { FRAME_ROWS, FRAME_RANGE, FRAME_GROUPS } FrameMode;
typedef enum FrameEdge { EDGE_UNBOUNDED_PRECEDING, EDGE_PRECEDING, EDGE_CURRENT, EDGE_FOLLOWING, EDGE_UNBOUNDED_FOLLOWING } FrameEdge;
typedef enum FrameExclude { FRAME_EXCLUDE_NONE, FRAME_EXCLUDE_ROW, FRAME_EXCLUDE_GROUP, FRAME_EXCLUDE_TIES } FrameExclude;
typedef struct WindowFrame {
    uint8_t mode, start, end, exclude;
    const Expr *start_offset, *end_offset;  /* ROWS, GROUPS: INT8 without columns. RANGE: the value that bounds the key, per row. NULL: none */
    const Expr *key;                        /* RANGE with an offset: the order key, of the bounds' type */
} WindowFrame;
typedef struct WindowExpr { uint8_t kind; AggregateExpr call; WindowFrame frame; } WindowExpr; /* call.aggregate NULL: not an aggregate */
typedef enum FillKind { FILL_NONE, FILL_NULL, FILL_PREV, FILL_LINEAR, FILL_VALUE } FillKind;
typedef struct FillSpec { uint8_t kind; const Expr *value; } FillSpec;
typedef enum SampleUnit { SAMPLE_NANOS, SAMPLE_MICROS, SAMPLE_MILLIS, SAMPLE_SECONDS, SAMPLE_MINUTES, SAMPLE_HOURS, SAMPLE_DAYS, SAMPLE_WEEKS, SAMPLE_MONTHS, SAMPLE_YEARS } SampleUnit;

struct Rel {
    uint8_t kind;
    uint16_t column_count;
    const RelColumn *columns;          /* output */
    Rel *inputs[2];                    /* unary: inputs[0] */
    ColumnId order_column;             /* output is in ascending order of this designated timestamp (0 = no promise) */
    bool order_descending;
    union {
        struct { const TableDef *table; ColumnId row_ref; uint64_t row_count; /* about */ } scan; /* columns[].table_column; row_ref != 0: an extra INT8 column (part<<32|offset), also listed in columns with table_column -1 */
        struct { const Expr *const *exprs; uint32_t row_count; } values; /* row-major, row_count x column_count */
        struct { uint32_t function; const Expr *const *args; uint16_t arg_count; } table_call; /* see table_calls.h: TABLE_CALL_… */
        struct { const Expr *condition; } filter;
        struct { const Expr *const *exprs; } project;              /* one per column */
        struct { uint8_t kind; const Expr *const *left_keys, *const *right_keys; uint16_t key_count; const Expr *residual;
                 const ColumnId *lateral_ids; uint32_t lateral_count; bool ordered; /* by the planner */ } join; /* columns: left then right. lateral_ids: left columns that
                                        * stand as EXPR_OUTER in the right side, which runs once for each left row (inner, left) */
        struct { const Expr *const *groups; uint16_t group_count; const AggregateExpr *aggregates; uint16_t aggregate_count; } aggregate; /* columns: groups then aggregates */
        struct {
            const Expr *timestamp;     /* over the input; the input is in ascending order of it or the planner sorts */
            const Expr *const *keys; uint16_t key_count;
            const AggregateExpr *aggregates; uint16_t aggregate_count;
            int64_t step; uint8_t unit;
            const FillSpec *fills;     /* one per aggregate, or NULL = FILL(NONE) */
            bool first_observation; const Zone *zone; int64_t offset_micros;
            const Expr *from, *to;     /* or NULL */
        } sample;                      /* columns: bucket timestamp, keys, aggregates */
        struct { const Expr *timestamp; const Expr *const *keys; uint16_t key_count; } latest; /* columns = input's */
        struct { const SortKey *keys; uint16_t key_count; } sort;
        struct { const Expr *low, *high, *offset; bool range; } limit; /* LIMIT high [OFFSET offset]; range: QuestDB's lo,hi (negatives count from the end); LIMIT -n = high negative */
        struct { const Expr *const *on; uint16_t on_count; } distinct;  /* ON: one row for each value of these, the first; columns = input's */
        struct { Rel **more; uint32_t more_count; } union_all;      /* all arms; inputs unused; columns by position */
        struct { uint32_t working; bool all; } recurse;            /* inputs: first rows; step, which reads REL_WORKING of that number. !all: new rows only */
        struct { uint32_t number; Rel *query; } working;           /* rows of the round before; query: those of a WITH item that runs once for all readers */
        struct { uint8_t op; bool all; } set_op;                   /* later: INTERSECT, EXCEPT */
        struct {                       /* columns: the input's, then one per item; the input is sorted by partition, then order */
            const WindowExpr *items; uint16_t item_count;
            const Expr *const *partition; uint16_t partition_count;
            const SortKey *order; uint16_t order_count;
        } window;
    } as;
};

/* ---- statements ---- */
typedef enum StatementKind {
    STATEMENT_EMPTY, STATEMENT_SELECT, STATEMENT_EXPLAIN, STATEMENT_INSERT, STATEMENT_UPDATE, STATEMENT_DELETE,
    STATEMENT_CREATE_TABLE, STATEMENT_CREATE_TABLE_AS, STATEMENT_TRUNCATE, STATEMENT_ALTER_TABLE, STATEMENT_RENAME_TABLE,
    STATEMENT_BEGIN, STATEMENT_COMMIT, STATEMENT_ROLLBACK, STATEMENT_SAVEPOINT, STATEMENT_RELEASE,
    STATEMENT_ROLLBACK_TO, STATEMENT_SET, STATEMENT_SHOW, STATEMENT_RESET, STATEMENT_CHECKPOINT, STATEMENT_VACUUM,
    STATEMENT_CREATE_INDEX, STATEMENT_DROP_INDEX, STATEMENT_ALTER_INDEX, STATEMENT_REINDEX, STATEMENT_SET_CONSTRAINTS,
    STATEMENT_OBJECT /* sequences, views, roles, grants, comments, extensions, ALTER and DROP of them: done from the tree */,
    /* the session's own, never seen by the binder */
    STATEMENT_PREPARE, STATEMENT_EXECUTE, STATEMENT_DEALLOCATE, STATEMENT_DECLARE_CURSOR, STATEMENT_FETCH, STATEMENT_MOVE, STATEMENT_CLOSE_CURSOR,
    STATEMENT_DISCARD, STATEMENT_LOCK, STATEMENT_UNLISTEN, STATEMENT_ANALYZE, STATEMENT_SET_TRANSACTION, STATEMENT_COPY_IN, STATEMENT_COPY_OUT
} StatementKind;

/* A column of CREATE TABLE that brings a sequence of its own: serial, or identity with the options that were written (sql/parse/ast.h). */
typedef struct ColumnSequence { uint16_t column; uint8_t type; bool identity; const struct AstSequenceOptions *options; } ColumnSequence;

/* What CREATE VIEW is made of. */
typedef struct ViewBinding { Str text; ViewColumn *columns; uint16_t column_count; ObjectNeed *needs; uint16_t need_count; } ViewBinding;

typedef enum AlterKind { ALTER_ADD_COLUMN, ALTER_DROP_COLUMN, ALTER_RENAME_COLUMN, ALTER_RENAME_TABLE, ALTER_SET_DURABILITY, ALTER_NOTHING,
    ALTER_ADD_CONSTRAINT, ALTER_DROP_CONSTRAINT, ALTER_RENAME_CONSTRAINT, ALTER_VALIDATE_CONSTRAINT, ALTER_SET_NOT_NULL, ALTER_DROP_NOT_NULL,
    ALTER_SET_DEFAULT /* column: as it will be; also DROP DEFAULT */, ALTER_TYPE /* column; text: SQL of the value, over the old columns */,
    ALTER_ADD_IDENTITY, ALTER_DROP_IDENTITY } AlterKind;
/* Columns go by name: numbers move while a statement alters a table. */
typedef struct BoundConstraint {
    ConstraintSpec spec;               /* columns and referenced columns are filled in when it is made */
    Str *names; uint16_t column_count;
    const TableDef *referenced;        /* NULL = the table itself */
    Str *referenced_names; uint16_t referenced_count;
    int64_t position;
} BoundConstraint;
typedef struct AlterAction { uint8_t kind; bool if_exists; Str name, new_name; ColumnDef column; uint8_t durability; uint32_t durability_ms;
    bool cascade, fills /* ADD COLUMN: rows that are there get the default, one by one */, in_place /* TYPE: every value stays as it is stored */; Str text; BoundConstraint constraint;
    const char *notice; /* NULL, or what ALTER_NOTHING tells */ } AlterAction;

typedef enum OnCommit { ON_COMMIT_NOTHING, ON_COMMIT_DELETE_ROWS, ON_COMMIT_DROP } OnCommit; /* of a temporary table */
typedef struct BoundConflict {
    uint32_t index_id;                 /* 0 = any unique index */
    bool update;                       /* DO UPDATE */
    const RelColumn *columns;          /* twice the table's: the row that is there, the one that was to come */
    const Expr **set;                  /* DO UPDATE: one per column of the table */
    const Expr *where;                 /* or NULL */
} BoundConflict;

typedef struct BoundStatement {
    uint8_t kind;
    Rel *rel;                          /* SELECT, EXPLAIN, INSERT (one column per table column, in order, exact types; SYMBOL columns come as
                                        * TEXT or SYMBOL), UPDATE (columns: row_ref, then every table column), DELETE (row_ref), CTAS, SHOW */
    const TableDef *table;             /* target of DML and ALTER, TRUNCATE */
    TableSpec spec;                    /* CREATE TABLE [AS] */
    ColumnSequence *sequences; uint32_t sequence_count;   /* CREATE TABLE */
    ViewBinding view;                  /* CREATE VIEW */
    const struct AstStatement *tree;   /* STATEMENT_OBJECT: what ddl/ does */
    Type *declared_types;              /* PREPARE with types that users made: all its types, TYPE_UNKNOWN = to be found out */
    const TableDef **tables; uint32_t table_count;   /* TRUNCATE, DROP INDEX: the list (IF EXISTS leaves missing ones out) */
    uint32_t named_count;              /* TRUNCATE ... CASCADE: tables that were named; those behind them follow */
    /* DML: values that rel has behind those named above (UPDATE: behind the table's columns; DELETE: behind row_ref) are what RETURNING reads
     * besides. rows: all that it reads, in order: INSERT, UPDATE: the stored columns, then rel's further ones; DELETE: rel's further ones. */
    const RelColumn *rows; uint32_t row_count;
    const Expr **returning; RelColumn *returning_columns; uint32_t returning_count;
    const bool *assigned;              /* UPDATE: one a column of the table; NULL = any may change */
    struct BoundConflict *conflict;    /* INSERT ... ON CONFLICT, or NULL */
    AlterAction *actions; uint32_t action_count;
    BoundConstraint *constraints; uint32_t constraint_count; /* CREATE TABLE: made behind it, in order */
    IndexSpec index;                   /* CREATE INDEX */
    uint32_t *index_ids;               /* DROP INDEX: one a table of tables; ALTER INDEX: of table */
    bool analyze, verbose, as_json, cascade, already_there, restart_identity, with_no_data;
    Str name;                          /* RENAME: the new one; SHOW: the setting */
    uint8_t on_commit;                 /* CREATE TABLE: OnCommit */
    uint32_t working_count;            /* numbers of REL_WORKING */
    Type *param_types; uint32_t param_count;         /* inferred or declared */
    int16_t timestamp_index;           /* SELECT: output column that is the designated timestamp, -1 = none */
    uint32_t next_offset;              /* where the next statement of the text begins */
} BoundStatement;

static inline bool bound_lists_table(const BoundStatement *bound, uint32_t table_id) {
    for (uint32_t i = 0; i < bound->table_count; i++) {
        if (bound->tables[i]->id == table_id) {
            return true;
        }
    }
    return false;
}
