/* SPDX-License-Identifier: Apache-2.0
 * bind_internal.h - the binder's state and the steps its files share.
 *
 * A Binder lives for one bind_statement call; everything it hands out lies in the statement's arena. Scopes say which columns a name
 * may mean; an AggregateState says that aggregates may be called and gathers them. */
#pragma once
#include "base/hash.h"
#include "base/number.h"
#include "catalog/privilege.h"
#include "column/value_text.h"
#include "sql/bind/bind.h"
#include "sql/bind/table_calls.h"

enum { RELS_MAX = 20000, CTE_DEPTH_MAX = 100, SUGGESTION_CANDIDATES_MAX = 3000, SUGGESTION_BYTES_MAX = 63 };

typedef struct Query {
    Rel *rel;
    ColumnId timestamp;         /* designated timestamp among rel's columns, 0 = none */
} Query;

typedef struct CteScope CteScope;
typedef struct Scope Scope;
struct CteScope {               /* WITH queries that are visible, innermost first */
    const AstCte *cte;
    CteScope *outer;            /* what the query itself may see */
    Scope *scope;               /* of the query around it: columns found there are refused as correlated */
    bool used;                  /* has been bound at least once */
    bool recursive;             /* of WITH RECURSIVE: may read itself */
    const struct Rel *first;    /* inside its own step: the first rows, whose types and names the rows have; else NULL */
    uint32_t working;           /* number of the rows that the step, or all readers of `shared`, read */
    Query shared;               /* .rel: what is computed once for all that read the item; NULL: each reader has a query of its own */
    bool read;                  /* the step does read them */
};

typedef struct VariableScope VariableScope;
struct VariableScope {          /* DECLARE @v := expr: the expression stands where @v stands */
    const AstDeclare *declare;
    VariableScope *outer;
};

typedef struct InternSlot InternSlot;

/* A subquery while it is bound: which columns of the queries around it are read inside it. */
typedef struct Capture Capture;
struct Capture {
    Capture *outer;
    const Scope *boundary;      /* scope of the query that it stands in */
    uint32_t volatile_before;   /* b->volatile_calls at its start */
    bool has_volatile;          /* after the pop */
    ColumnId *ids;
    Type *types;
    const Expr **values;        /* what an id stands for outside; NULL: the column itself */
    uint32_t count, capacity;
};

/* What CREATE VIEW gathers while its query is bound. */
typedef struct ViewRecord {
    const ViewRename *rename;   /* NULL: nothing gets another name */
    ObjectNeed *needs;
    uint32_t need_count, need_capacity;
    AstSelectItem *stars;       /* columns of the stars that are being bound */
    uint32_t star_count, star_capacity;
} ViewRecord;

/* The target of a change through a view (bind_target.c). */
typedef struct TargetNames { Str *names; uint16_t *numbers; uint16_t count; } TargetNames; /* columns in order: their names, and their numbers in the table */
typedef struct TargetCondition { const AstExpr *where; uint8_t dialect; uint32_t role_id; Str qualifier; TargetNames names; } TargetCondition; /* of one view; NULL: none */
typedef struct TargetView {
    const CatalogObject *view;      /* that was named */
    const TableDef *base, *table;   /* the table; the same under the view's names */
    TargetNames names;              /* of the view that was named */
    TargetCondition *conditions;    /* innermost first: TARGET_VIEWS_MAX, one a level */
    uint16_t condition_count, depth; /* depth: levels that were gone down */
} TargetView;

typedef struct Binder {
    const BindContext *context;
    Arena *arena;
    Error *err;
    Dialect dialect;
    IntMap interned;            /* hash -> InternSlot */
    bool merge_off;             /* cells of INSERT ... VALUES: many, and nobody compares them */
    uint32_t expr_count;
    ColumnId column_last;
    uint32_t rel_count;
    const SymbolTable **column_symbols; /* by ColumnId */
    uint32_t column_capacity;
    Type *param_types;          /* TYPE_UNKNOWN: not known yet */
    int64_t *param_positions;   /* of first use */
    uint32_t param_count;
    const AstStatement *statement;
    TypeUses *uses;             /* of types that users made in the text at hand; NULL: nobody asks */
    const Expr *domain_value;   /* what VALUE is in the check of a domain; NULL: there is none */
    ViewRecord *record;         /* NULL: no view is being made */
    uint32_t view_depth;
    const TargetView *target;   /* the statement changes a view; NULL: a table */
    uint32_t role_id;           /* of the context, or of the view's owner inside a view; 0: nothing is checked */
    CteScope *ctes;
    VariableScope *variables;
    Capture *captures;          /* subqueries that are being bound, innermost first */
    uint32_t volatile_calls;    /* bound so far */
    uint32_t captured_columns;  /* read through a Capture so far */
    IntMap column_shapes;       /* ColumnId -> RecordShape of columns of type record */
    IntMap expr_shapes;         /* Expr -> RecordShape */
    uint32_t working_count;
    ColumnId *laterals;         /* columns of FROM items to the left, read by items whose join is not made yet */
    uint32_t lateral_count, lateral_capacity;
    int depth;
} Binder;

/* ---- names in scope (scope.c) ---- */
typedef struct ScopeColumn {
    Str qualifier, schema;      /* empty: none */
    Str name;
    ColumnId id;
    Type type;
    const SymbolTable *symbols;
    uint32_t table_id;
    int16_t table_column;
    bool filled;                /* of a side of an outer join that NULLs stand for where it has no row */
    bool merged;                /* right side of USING: found by its qualifier only */
    bool in_star;               /* merged by ON (name) of QuestDB: * shows it all the same */
} ScopeColumn;

typedef struct GroupingCall { const Expr **args; uint32_t count; int64_t position; ColumnId id; } GroupingCall; /* GROUPING(a, b) */
typedef struct AggregateState {
    AggregateExpr *items;
    ColumnId *ids;              /* output column of each */
    uint32_t count, capacity;
    GroupingCall *groupings;
    uint32_t grouping_count, grouping_capacity;
} AggregateState;

/* Calls of set-returning functions in a select list: rows of each input row, beside each other. */
typedef struct SrfItem {
    Str name;
    const Expr **args; uint32_t arg_count;  /* as written, over the input */
    Rel *rel;                   /* reads value_ids as EXPR_OUTER */
    ColumnId *value_ids;        /* and their values over the input */
    const Expr **values; uint32_t value_count;
} SrfItem;
typedef struct SrfState { SrfItem *items; uint32_t count, capacity; } SrfState;

typedef struct WindowItem {     /* a window call of a select list, with where it is computed */
    WindowExpr expr;
    const Expr **partition; uint32_t partition_count;
    SortKey *order; uint32_t order_count;
    ColumnId id;
} WindowItem;
typedef struct WindowState {
    const AstSelect *select;    /* its WINDOW clause */
    WindowItem *items;
    uint32_t count, capacity;
} WindowState;

struct Scope {
    ScopeColumn *columns;
    uint32_t count, capacity;
    Scope *outer;               /* of the enclosing query: names found there are captured by the subquery */
    ColumnId timestamp;         /* designated timestamp among the columns, 0 = none */
    AggregateState *aggregates; /* NULL: aggregates are not allowed here */
    WindowState *windows;       /* NULL: window functions are not allowed here */
    SrfState *srfs;             /* NULL: set-returning functions are not allowed here */
    const char *clause;         /* for messages: "WHERE" */
    bool inside_aggregate;
    uint32_t unique_from;       /* table names are told apart among the columns from here on: what an aliased join holds is hidden outside */
    bool reads_itself;          /* the step of a recursive query: no aggregates */
};

void scope_add(Binder *b, Scope *scope, ScopeColumn column);
NODISCARD ErrorCode scope_find(Binder *b, const Scope *scope, const AstNames *names, const ScopeColumn **column_out); /* this scope only */
/* The column of that name here or in a query around: EXPR_COLUMN or EXPR_OUTER (noted in the captures that it crosses). */
NODISCARD ErrorCode scope_resolve(Binder *b, const Scope *scope, const AstNames *names, const Expr **expr_out);
/* ---- subqueries (correlate.c): push, bind the query with `boundary` as its outer scope, pop; also after an error. ---- */
void capture_push(Binder *b, Capture *capture, const Scope *boundary);
void capture_pop(Binder *b, Capture *capture);
/* Found in scope `home` outside of the innermost subquery: notes it where it is crossed. false: it crosses no subquery. */
bool capture_column(Binder *b, const Scope *home, const ScopeColumn *column, int64_t position, const Expr **expr_out);
/* Hands an expression of the query around to the subquery that is being bound: what it is called inside. */
NODISCARD ErrorCode capture_expr(Binder *b, Capture *capture, const Expr *value, const Expr **inside_out);
/* What the captured columns are where the subquery stands (after capture_pop): one expression each. */
NODISCARD ErrorCode capture_values(Binder *b, const Capture *capture, const Expr ***values_out);
/* Which of `count` names is meant: exact first, then the only one that differs in case (names in quotes: exact only).
 * -1 none, -2 several. name_at(context, i) gives the i-th name. */
int name_match(const AstName *name, uint32_t count, Str (*name_at)(const void *context, uint32_t i), const void *context);
bool name_same(const AstName *name, Str other);     /* exact, or ignoring case where the name stood without quotes */
Str name_closest(Str wanted, uint32_t count, Str (*name_at)(const void *context, uint32_t i), const void *context); /* empty: none is near */
/* PostgreSQL's names of columns without an alias; empty or ?column?: none. weak: a cast's type names the column instead. */
Str figured_name(const AstExpr *ast, bool *weak);
NODISCARD ErrorCode table_find(Binder *b, const AstNames *names, const TableDef **table_out);        /* as other statements name one: a schema that is missing is 3F000 */
NODISCARD ErrorCode table_find_to(Binder *b, const AstNames *names, const char *what, const TableDef **table_out);
NODISCARD ErrorCode query_table_find(Binder *b, const AstNames *names, const TableDef **table_out);  /* as queries do: 42P01, with a position */
uint32_t name_distance(Str a, Str b, uint32_t limit); /* letters that differ, ignoring case; more than limit: limit + 1 */
NODISCARD ErrorCode no_such_column(Binder *b, const Scope *scope, const AstNames *names); /* always an error */
/* Where PostgreSQL does not point: what DDL says of its tables, columns and constraints, but for types and expressions. */
int64_t ddl_position(const Binder *b, int64_t at);
/* Column number or an error at the name: 42703 with the closest name, 42702. */
NODISCARD ErrorCode table_column(Binder *b, const TableDef *table, const AstName *name, uint16_t *number_out);

/* ---- expressions: making them (expr_make.c) ---- */
const Expr *expr_column(Binder *b, ColumnId id, Type type, int64_t position);
const Expr *expr_constant(Binder *b, const Value *value, int64_t position);
const Expr *expr_null(Binder *b, Type type, int64_t position);
const Expr *expr_bool(Binder *b, bool value, int64_t position);
const Expr *expr_text(Binder *b, Str text, TypeId type, int64_t position);
const Expr *expr_param(Binder *b, uint32_t number, Type type, int64_t position);
NODISCARD ErrorCode expr_nary(Binder *b, ExprKind kind, Type type, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out);
NODISCARD ErrorCode expr_call(Binder *b, const Function *function, const void *cast_prepared, Type type, const Expr **args, uint32_t count,
                              int64_t position, const Expr **expr_out);
NODISCARD ErrorCode expr_not(Binder *b, const Expr *arg, int64_t position, const Expr **expr_out);
NODISCARD ErrorCode expr_is_null(Binder *b, const Expr *arg, int64_t position, const Expr **expr_out);
const Expr *expr_outer(Binder *b, ColumnId id, Type type, int64_t position);
/* capture NULL or empty: uncorrelated. Call after capture_pop. */
NODISCARD ErrorCode expr_rel(Binder *b, ExprKind kind, Type type, const Expr *left, Rel *rel, const Capture *capture, int64_t position, const Expr **expr_out);
/* The same subquery with other args. */
NODISCARD ErrorCode expr_rel_again(Binder *b, const Expr *expr, const Expr **args, const Expr **expr_out);
NODISCARD ErrorCode expr_time_in(Binder *b, const Expr *time, const KeyRange *ranges, uint32_t count, int64_t position, const Expr **expr_out);
static inline bool expr_is_null_constant(const Expr *expr) { return expr->kind == EXPR_CONSTANT && expr->as.value.is_null; }
const SymbolTable *expr_symbols(const Binder *b, const Expr *expr);
bool expr_has_column(const Expr *expr);

/* ---- types (coerce.c, overload.c) ---- */
/* Brings expr to `type` in that context, or fails with 42804/42846 at its position. Unknown literals are read, parameters typed. */
NODISCARD ErrorCode coerce(Binder *b, const Expr *expr, Type type, CastContext context, const Expr **expr_out);
NODISCARD ErrorCode coerce_boolean(Binder *b, const Expr *expr, const char *clause, const Expr **expr_out);
NODISCARD ErrorCode coerce_known(Binder *b, const Expr *expr, const Expr **expr_out);    /* unknown becomes text */
bool can_coerce(Type from, Type to, CastContext context);
/* The type to which all can be brought (PostgreSQL's rules for CASE, UNION, VALUES, COALESCE). what: for the message. */
NODISCARD ErrorCode common_type(Binder *b, const Expr *const *exprs, uint32_t count, const char *what, Type *type_out);
Str type_name(Binder *b, Type type);
NODISCARD ErrorCode type_from_ast(Binder *b, const AstType *ast, Type *type_out);
NODISCARD ErrorCode type_or_domain(Binder *b, const AstType *ast, Type *type_out, uint32_t *domain_out); /* the domain that is named, whose base the type is; 0: none */
/* ---- types that users made (user_type.c) ---- */
NODISCARD ErrorCode user_type_find(Binder *b, const AstType *ast, bool *found_out, Type *type_out, uint32_t *domain_out);  /* array marks and modifiers are the caller's */
/* pg_input_is_valid, pg_input_error_info (input_check.c) */
NODISCARD ErrorCode call_input_is_valid(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out);
NODISCARD ErrorCode input_error_rel(Binder *b, const Expr **args, uint32_t count, int64_t position, Rel **rel_out);
NODISCARD ErrorCode domain_checked(Binder *b, uint32_t domain_id, const Expr *value, const Expr **expr_out);
Str user_type_name(Binder *b, uint32_t object_id);     /* qualified unless the search path finds it; "???" if it is gone */
void note_type(Binder *b, const AstType *ast, uint32_t object_id, bool is_array_name);
void note_column(Binder *b, const AstName *name, uint32_t table_id, uint32_t column_id);
void note_label(Binder *b, Type type, int64_t position);
/* A text that is about to be stored, a part of the statement's: types outside of public with their schema in front. uses: noted while it was bound. */
Str user_types_qualified(Binder *b, Str text, const TypeUses *uses);
/* Types that came from outside by oid: whether they are there, and what they are. ERR_UNDEFINED_OBJECT. */
NODISCARD ErrorCode user_type_check(Binder *b, int64_t position, Type *type);
/* char(n) compares without trailing blanks, and so does what stands beside it, as in PostgreSQL: if one of the arguments is a char(n) and
 * the others are too, or varchar or literals, all become texts without those blanks. Beside text nothing changes: the char is a text. */
NODISCARD ErrorCode compare_as_text(Binder *b, const Expr **args, uint32_t count);
/* Calls of functions and operators by name with bound arguments; UNKNOWN arguments get their types here. */
NODISCARD ErrorCode call_function(Binder *b, Str name, const Expr **args, uint32_t count, int64_t position, bool is_operator, const Expr **expr_out);
NODISCARD ErrorCode find_aggregate(Binder *b, Str name, const Expr **args, uint32_t count, int64_t position, const Aggregate **aggregate_out, Type *type_out);
bool is_aggregate_name(Str name);

/* ---- expressions: binding them (bind_expr.c, bind_predicate.c, bind_call.c, literal.c, time_in.c) ---- */
NODISCARD ErrorCode bind_expr(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out);
NODISCARD ErrorCode bind_exprs(Binder *b, Scope *scope, AstExpr *const *asts, uint32_t count, const Expr ***exprs_out);
/* A default, a check or an index expression from its text, in the dialect that it was written in; type: what it becomes by assignment, NULL: its own. */
NODISCARD ErrorCode bind_stored(Binder *b, Scope *scope, Str text, uint8_t dialect, const Type *type, const Expr **expr_out);
NODISCARD ErrorCode bind_condition(Binder *b, Scope *scope, const AstExpr *ast, const char *clause, const Expr **expr_out);
NODISCARD ErrorCode bind_literal(Binder *b, const AstExpr *ast, const Expr **expr_out);
/* Trees that nobody wrote, at the place of `at`: a leaf, and a call of one to three arguments (NULL behind the last; flags: AST_OPERATOR). */
AstExpr *ast_make(Binder *b, const AstExpr *at, AstExprKind kind, Str text);
AstExpr *ast_call(Binder *b, const AstExpr *at, uint8_t flags, Str name, AstExpr *first, AstExpr *second, AstExpr *third);
NODISCARD ErrorCode bind_call(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out);          /* AST_CALL */
bool sort_keys_same(const SortKey *a, uint32_t a_count, const SortKey *c, uint32_t c_count);
NODISCARD ErrorCode bind_within_group(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out);
NODISCARD ErrorCode bind_special_call(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out);  /* AST_CALL_SPECIAL */
Str default_text_shown(Binder *b, const AstExpr *ast, const Expr *own, Type type, Str text); /* default_text.c; own: the bound tree before the cast to the column */
Type type_bare(Type type); /* without its modifiers */
typedef struct AggregateCallAst {
    Str name;
    AstExpr *const *args;
    uint32_t arg_count;
    const AstExpr *filter;
    const AstSortKey *order;
    uint32_t order_count;
    bool distinct;
    int64_t position;
} AggregateCallAst;
/* SET a[1] = value: the array that the column becomes; array: what it is before. */
NODISCARD ErrorCode bind_array_assignment(Binder *b, Scope *scope, const AstExpr *target, const AstExpr *value, const Expr *array, const Expr **expr_out);
/* f(b => 1, a => 2) with its arguments in order (bind_named.c); 42883: it has no such parameters. */
NODISCARD ErrorCode named_arguments(Binder *b, const AstExpr *ast, const AstExpr **ast_out);
/* ---- json (bind_json.c) ---- */
bool is_json_aggregate(Str name);
NODISCARD ErrorCode json_aggregate_arguments(Binder *b, const AggregateCallAst *call, const Expr **args); /* as array_agg shall take them */
NODISCARD ErrorCode json_aggregate_result(Binder *b, const AggregateCallAst *call, const Expr *first, const Expr **arrays, const Expr **expr_out);
/* to_json and its kin of a row whose fields are known: *found_out. */
NODISCARD ErrorCode json_of_record(Binder *b, Str name, const Expr **args, uint32_t count, int64_t position, bool *found_out, const Expr **expr_out);
bool is_json_rows(Str name);
bool has_column_name(Str function); /* its one column keeps its name under an alias: json_array_elements(j) AS e has e.value */
bool is_form_name(Str name);                                /* calls with rules of their own, which no row of the function table has */
NODISCARD ErrorCode json_rows_rel(Binder *b, Str name, const Expr **args, uint32_t count, int64_t position, Rel **rel_out); /* json_each and its kin */
bool is_hypothetical(Str name); /* rank, dense_rank, percent_rank, cume_dist WITHIN GROUP */
NODISCARD ErrorCode bind_hypothetical(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out);
NODISCARD ErrorCode bind_aggregate(Binder *b, Scope *scope, const AggregateCallAst *call, const Expr **expr_out);
NODISCARD ErrorCode bind_predicate(Binder *b, Scope *scope, const AstExpr *ast, bool *found_out, const Expr **expr_out);
NODISCARD ErrorCode bind_row_comparison(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out); /* (a, b) < (c, d) */
NODISCARD ErrorCode bind_row_in(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out);
NODISCARD ErrorCode bind_quantified(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out);     /* = ANY, < ALL */
NODISCARD ErrorCode in_subquery(Binder *b, Scope *scope, const Expr *x, const AstExpr *ast, const Expr **expr_out); /* ast->args[1] */
/* ---- arrays (bind_array.c) ---- */
NODISCARD ErrorCode bind_array_of(Binder *b, Scope *scope, const AstExpr *ast, const Type *element, const Expr **expr_out); /* element: from a cast, or NULL */
NODISCARD ErrorCode bind_array_query(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out);
NODISCARD ErrorCode bind_subscript(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out);
NODISCARD ErrorCode bind_quantified_value(Binder *b, Scope *scope, const AstExpr *ast, bool any, const Expr **expr_out);
TypeCategory type_group(TypeId id);                             /* what overloads and common types go by */
NODISCARD ErrorCode bind_operator(Binder *b, Str name, const Expr *left, const Expr *right, int64_t position, const Expr **expr_out);
NODISCARD ErrorCode time_ranges(Binder *b, Str text, Type type, int64_t position, const KeyRange **ranges_out, uint32_t *count_out);
NODISCARD ErrorCode case_of(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out); /* when, then, ..., else */
NODISCARD ErrorCode coalesce_of(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out);
ErrorCode not_supported(Binder *b, int64_t position, const char *format, ...) PRINTF_LIKE(3, 4);
const AstExpr *ast_variable(Binder *b, const AstExpr *ast);      /* what @v stands for; other expressions as they are */

/* ---- relations (rel_make.c, bind_from.c, bind_select.c, bind_group.c, bind_sample.c, bind_order.c, bind_set.c) ---- */
/* ---- views (bind_view.c); the record calls do nothing where no view is being made ---- */
void record_relation(Binder *b, const AstFrom *item, uint32_t object_id, Str schema_name, Str name);
void record_column(Binder *b, AstName *name, uint32_t table_id, int16_t number);
void record_type(Binder *b, const AstType *ast, const CatalogObject *object, bool array);
void record_star_column(Binder *b, const ScopeColumn *column);
void record_star(Binder *b, const AstSelect *ast, uint32_t at, uint32_t first_star);
static inline uint32_t record_stars(const Binder *b) { return b->record == NULL ? 0 : b->record->star_count; }
NODISCARD ErrorCode record_view(Binder *b, AstSelect *select, const ViewRename *rename, ViewBinding *binding_out);
NODISCARD ErrorCode bind_view_in_from(Binder *b, const AstFrom *item, const CatalogObject *object, Scope *scope, Rel **rel_out);
NODISCARD ErrorCode view_select(Binder *b, const CatalogObject *object, ViewBody *view, AstSelect **select_out); /* what it is stored as, parsed */
uint32_t view_role(Binder *b, const CatalogObject *object);      /* whose privileges it reads and writes with: its owner's; 0: all of them */

/* ---- targets of changes (bind_target.c) ---- */
/* What INSERT, UPDATE or DELETE names, and whether it may: a table, or what a view stands for, under the view's names (then b->target is set).
 * reads: SELECT is needed too. */
NODISCARD ErrorCode target_find(Binder *b, const AstNames *names, uint32_t privilege, bool reads, const TableDef **table_out);
NODISCARD ErrorCode target_check(Binder *b, const TableDef *table, uint32_t privilege); /* one more privilege; table: what target_find told */
void target_settle(Binder *b, BoundStatement *bound);            /* behind binding: bound->table is the table */
/* The names' columns into scope, each one of `columns` by its number. */
void target_scope(Binder *b, Scope *scope, const RelColumn *columns, const TargetNames *names, uint32_t table_id, Str qualifier, bool hidden);
NODISCARD ErrorCode target_conditions(Binder *b, Rel *rel, Rel **rel_out); /* only the rows that the view shows */
static inline bool is_target_view(const Binder *b, const TableDef *table) { return b->target != NULL && table == b->target->table; }

/* ---- sequences (bind_sequence.c) ---- */
const CatalogObject *relation_named(Binder *b, const AstNames *names);                       /* NULL: none, or one of the system's */
NODISCARD ErrorCode relation_of_text(Binder *b, Str text, int64_t position, const CatalogObject **object_out);
NODISCARD ErrorCode call_nextval(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out);
NODISCARD ErrorCode call_currval(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out);
NODISCARD ErrorCode call_setval(Binder *b, const Expr **args, uint32_t count, int64_t position, const Expr **expr_out);
NODISCARD ErrorCode sequence_next(Binder *b, uint32_t sequence_id, int64_t position, const Expr **expr_out);
NODISCARD ErrorCode bind_sequence_rel(Binder *b, const CatalogObject *sequence, int64_t position, Rel **rel_out);
bool bind_serial(Binder *b, const AstType *ast, uint16_t number, BoundStatement *bound, ColumnDef *column); /* false: another type */
NODISCARD ErrorCode check_column_name(Binder *b, Str name, int64_t position); /* 42701: the name of a system column */
NODISCARD ErrorCode bind_identity(Binder *b, const AstConstraint *constraint, uint16_t number, BoundStatement *bound, ColumnDef *column);
void note_default_sequence(Binder *b, const Expr *expr, ColumnDef *column);
NODISCARD ErrorCode check_identity(Binder *b, const ColumnDef *column, const AstExpr *value, bool overriding, int64_t position);
NODISCARD ErrorCode check_identity_update(Binder *b, const ColumnDef *column, const AstExpr *value);
NODISCARD ErrorCode check_table(Binder *b, const TableDef *table, uint32_t privileges); /* same; privileges 0: must own it */
/* 42501 unless the role holds one of the privileges. */
NODISCARD ErrorCode check_privilege(Binder *b, const CatalogObject *object, uint32_t privileges);

NODISCARD ErrorCode rel_new(Binder *b, RelKind kind, uint32_t column_count, int64_t position, Rel **rel_out); /* fresh columns, to be filled in */
ColumnId column_new(Binder *b, const SymbolTable *symbols);
RelColumn *rel_columns(Rel *rel);                               /* writable, of a rel made by rel_new */
NODISCARD ErrorCode rel_like(Binder *b, RelKind kind, Rel *input, Rel **rel_out);            /* columns are the input's */
NODISCARD ErrorCode rel_distinct(Binder *b, Rel *input, Rel **rel_out);
NODISCARD ErrorCode rel_filter(Binder *b, Rel *input, const Expr *condition, Rel **rel_out);
NODISCARD ErrorCode rel_project(Binder *b, Rel *input, const Expr *const *exprs, const Str *names, uint32_t count, Rel **rel_out);
NODISCARD ErrorCode rel_scan(Binder *b, const TableDef *table, bool with_ref, Rel **rel_out);
const Expr *rel_column_expr(Binder *b, const Rel *rel, uint32_t number);
void rel_column_exprs(Binder *b, const Rel *rel, uint32_t count, const Expr **exprs, Str *names); /* its first columns, with their names */
void scope_add_table(Binder *b, Scope *scope, const Rel *rel, const TableDef *table, Str qualifier);
NODISCARD ErrorCode bind_from_behind(Binder *b, AstFrom *const *list, uint32_t count, Scope *scope, Rel *rel, Rel **rel_out);
NODISCARD ErrorCode bind_from_list(Binder *b, AstFrom *const *list, uint32_t count, Scope *scope, Rel **rel_out);
NODISCARD ErrorCode bind_query(Binder *b, const AstSelect *select, Scope *outer, Query *query_out);
/* One column; an untyped literal in it takes `type`, if given. */
NODISCARD ErrorCode bind_subselect(Binder *b, const AstSelect *select, Scope *outer, const char *what, const Type *type, Query *query_out);
/* Columns of bind_query may still be untyped literals: gives them these types (one a column), or text. Callers of bind_query must. */
NODISCARD ErrorCode query_settle(Binder *b, const Query *query, const Type *types);
NODISCARD ErrorCode bind_set_operation(Binder *b, const AstSelect *select, Scope *outer, Query *query_out);
NODISCARD ErrorCode bind_limit(Binder *b, const AstLimit *limit, Query *query);
NODISCARD ErrorCode bind_cte_query(Binder *b, CteScope *cte, Query *query_out); /* the query of a WITH item, recursive or not */
NODISCARD ErrorCode bind_cte_read(Binder *b, CteScope *cte, Query *query_out);  /* what a reader of it gets */
NODISCARD ErrorCode bind_show_rel(Binder *b, const AstShow *show, Rel **rel_out);
NODISCARD ErrorCode table_call(Binder *b, TableCallId id, const Expr **args, uint32_t count, int64_t position, Rel **rel_out);
SortKey sort_key(const Binder *b, const AstSortKey *ast, const Expr *expr);
NODISCARD ErrorCode check_sort_key(Binder *b, const AstSortKey *key);

/* A SELECT while it is bound: shared by bind_select.c, bind_group.c, bind_sample.c, bind_order.c. */
typedef struct OutputItem { const Expr *expr; Str name; int64_t position; } OutputItem;
typedef struct SelectState {
    const AstSelect *ast;
    Scope scope;
    AggregateState aggregates;
    WindowState windows;
    SrfState srfs;
    Rel *rel;                   /* what has been built so far */
    OutputItem *items;
    uint32_t item_count, visible_count;     /* items behind visible_count are there for ORDER BY only */
    uint32_t item_capacity;
    const Expr *having;
    SortKey *order;
    uint32_t order_count;
    uint32_t *distinct_on;      /* items of DISTINCT ON */
    uint32_t distinct_on_count;
    bool grouped, by_sets;
    bool implied_groups;        /* the select list has aggregates: without GROUP BY the rest of it are the groups */
    const Expr **groups;        /* group expressions over the input */
    uint32_t group_count;
    ColumnId *group_ids;        /* their output columns */
    ColumnId timestamp;         /* designated timestamp among rel's columns now */
} SelectState;
NODISCARD ErrorCode group_query(Binder *b, SelectState *s);      /* GROUP BY, implied groups, aggregates without groups */
NODISCARD ErrorCode sample_query(Binder *b, SelectState *s);     /* SAMPLE BY */
NODISCARD ErrorCode regroup_all(Binder *b, SelectState *s);
/* ---- GROUPING SETS (bind_grouping_sets.c) ---- */
NODISCARD ErrorCode group_expr(Binder *b, SelectState *s, const AstExpr *ast, uint32_t *place_out);
bool has_grouping_sets(const AstSelect *ast);
NODISCARD ErrorCode bind_grouping_call(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out);
NODISCARD ErrorCode grouping_sets(Binder *b, SelectState *s, uint64_t **sets_out, uint32_t *count_out);    /* bits: places of groups */
NODISCARD ErrorCode grouping_sets_rel(Binder *b, SelectState *s, const uint64_t *sets, uint32_t count, Rel **rel_out);
NODISCARD ErrorCode regroup(Binder *b, SelectState *s, const Expr *expr, const Expr **expr_out);
/* ---- records (bind_record.c): which fields a value of type record has is known by where it comes from ---- */
typedef struct RecordShape { uint32_t count; const Str *names; const Type *types; } RecordShape;
const RecordShape *record_shape(const Binder *b, const Expr *expr);              /* NULL: not known */
void record_shape_column(Binder *b, ColumnId id, const Expr *value);             /* the column has what value has */
NODISCARD ErrorCode record_of(Binder *b, const Expr **args, const Str *names, uint32_t count, int64_t position, const Expr **expr_out);
NODISCARD ErrorCode bind_row_value(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out);
NODISCARD ErrorCode bind_field(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out);
bool option_is_tuning(Str name);   /* of a table: accepted, there is nothing to tune */
NODISCARD ErrorCode bind_star_value(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out);    /* t.* where a value is wanted: the row */
NODISCARD ErrorCode bind_whole_row(Binder *b, Scope *scope, const AstName *table, bool *found_out, const Expr **expr_out);
NODISCARD ErrorCode record_field(Binder *b, const Expr *record, uint32_t number, int64_t position, const Expr **expr_out);

/* ---- set-returning functions (bind_srf.c, bind_table_function.c) ---- */
bool is_srf_name(Str name);
NODISCARD ErrorCode srf_rel(Binder *b, Str name, const Expr **args, uint32_t count, int64_t position, Rel **rel_out);
NODISCARD ErrorCode rel_zip(Binder *b, Rel **rels, uint32_t count, Rel **rel_out);      /* rows beside each other, NULLs behind the shorter ones */
NODISCARD ErrorCode rel_numbered(Binder *b, Rel *rel, Str name, Rel **rel_out);          /* with the row's number as last column */
NODISCARD ErrorCode rel_add_values(Binder *b, Rel *input, const ColumnId *ids, const Expr *const *values, uint32_t count, Rel **rel_out);
NODISCARD ErrorCode bind_table_function(Binder *b, const AstFrom *item, Scope *scope, Rel **rel_out);
void note_laterals(Binder *b, const Capture *capture);
NODISCARD ErrorCode bind_srf_call(Binder *b, Scope *scope, Str name, const Expr **args, uint32_t count, int64_t position, const SrfItem **item_out);
NODISCARD ErrorCode regroup_srfs(Binder *b, SelectState *s);
NODISCARD ErrorCode apply_srfs(Binder *b, SelectState *s);
bool is_srf_column(const SelectState *s, ColumnId id);
/* ---- window functions (bind_window.c) ---- */
bool is_window_only(Str name);
NODISCARD ErrorCode bind_window_call(Binder *b, Scope *scope, const AstExpr *ast, const Expr **expr_out);
NODISCARD ErrorCode regroup_windows(Binder *b, SelectState *s);
NODISCARD ErrorCode apply_windows(Binder *b, SelectState *s);
NODISCARD ErrorCode order_aggregates(Binder *b, SelectState *s); /* aggregate_order.c: sorts the input as they ask */
bool is_window_column(const SelectState *s, ColumnId id);
void collect_groups(Binder *b, SelectState *s, const Expr *expr, ColumnId except);
void add_group(Binder *b, SelectState *s, const Expr *expr);
bool reads_aggregate(const SelectState *s, const Expr *expr);
bool reads_column(const Expr *expr, ColumnId id);
NODISCARD ErrorCode bind_order_by(Binder *b, SelectState *s);
NODISCARD ErrorCode bind_distinct_on(Binder *b, SelectState *s); /* after ORDER BY */
NODISCARD ErrorCode bind_set_pair(Binder *b, const AstSelect *select, Query *left, Query *right, Query *query_out); /* INTERSECT, EXCEPT */
NODISCARD ErrorCode union_all(Binder *b, const AstSelect *select, Query *arms, uint32_t count, Rel **rel_out);
NODISCARD ErrorCode cast_arm(Binder *b, Rel *arm, const Type *types, Rel **rel_out);
NODISCARD ErrorCode union_types(Binder *b, Query *arms, uint32_t count, Type **types_out); /* one a column; settles untyped literals */
uint32_t add_item(Binder *b, SelectState *s, OutputItem item);
const RelColumn *aggregate_columns(Binder *b, SelectState *s, RelColumn *columns);

/* ---- statements (bind_dml.c, bind_ddl.c, bind_session.c) ---- */
NODISCARD ErrorCode bind_insert(Binder *b, const AstInsert *insert, BoundStatement *bound);
NODISCARD ErrorCode bind_update(Binder *b, const AstUpdate *update, BoundStatement *bound);
NODISCARD ErrorCode bind_delete(Binder *b, const AstDelete *delete_, BoundStatement *bound);
NODISCARD ErrorCode bind_create_table(Binder *b, const AstCreateTable *table, BoundStatement *bound);
NODISCARD ErrorCode bind_column_default(Binder *b, const AstExpr *ast, Str text, ColumnDef *column);
NODISCARD ErrorCode bind_column(Binder *b, const AstColumn *ast, uint16_t number, BoundStatement *bound, ColumnDef *column_out);
NODISCARD ErrorCode column_default(Binder *b, const ColumnDef *column, int64_t position, const Expr **expr_out); /* DEFAULT or NULL */
NODISCARD ErrorCode bind_durability(Binder *b, const AstOption *option, bool *found_out, uint8_t *durability_out, uint32_t *ms_out);
NODISCARD ErrorCode bind_drop(Binder *b, const AstDrop *drop, BoundStatement *bound);
NODISCARD ErrorCode bind_truncate(Binder *b, const AstDrop *drop, BoundStatement *bound);
NODISCARD ErrorCode bind_alter(Binder *b, const AstAlterTable *alter, BoundStatement *bound);
/* bind_returning.c */
NODISCARD ErrorCode bind_returning(Binder *b, const AstSelectItem *items, uint32_t count, const Scope *scope, BoundStatement *bound);
/* Columns of the rows that RETURNING reads: the table's, with ids of their own. */
RelColumn *row_columns(Binder *b, const TableDef *table, uint32_t more);
void scope_add_columns(Binder *b, Scope *scope, const RelColumn *columns, uint32_t count, const TableDef *table, Str qualifier, bool hidden);
NODISCARD ErrorCode bind_on_conflict(Binder *b, const AstInsert *insert, BoundStatement *bound);
NODISCARD ErrorCode set_assignments(Binder *b, Scope *scope, const TableDef *table, const AstAssignment *set, uint32_t count, const Expr **exprs, bool *taken);
Str item_name(Binder *b, const AstSelectItem *item);
/* bind_keys.c */
Str expression_text(Binder *b, const AstExpr *ast); /* as the catalog keeps it */
bool is_table_constraint(AstConstraintKind kind);   /* kept with the table, not in the column */
NODISCARD ErrorCode bind_table_constraint(Binder *b, const BoundStatement *bound, const AstConstraint *ast, const AstName *column, BoundConstraint *out);
NODISCARD ErrorCode bind_create_constraints(Binder *b, const AstCreateTable *ast, BoundStatement *bound);
NODISCARD ErrorCode bind_create_index(Binder *b, const AstCreateIndex *ast, BoundStatement *bound);
NODISCARD ErrorCode bind_drop_index(Binder *b, const AstDrop *drop, BoundStatement *bound);
NODISCARD ErrorCode bind_alter_index(Binder *b, const AstAlterTable *alter, BoundStatement *bound);
const TableDef *shadow_table(Binder *b, const BoundStatement *bound); /* as the statement will leave it, as far as columns go */
void binder_begin(Binder *b, const BindContext *context, Arena *arena, Error *err);
void binder_end(Binder *b);
NODISCARD ErrorCode bind_session(Binder *b, const AstStatement *statement, BoundStatement *bound);
/* Items of WITH RECURSIVE read themselves only where they may; order_out: their numbers, each behind those that it reads. */
NODISCARD ErrorCode check_recursion(Binder *b, const AstWith *with, uint32_t *order_out);
NODISCARD ErrorCode with_push(Binder *b, const AstWith *with, Scope *outer);
/* Binds the queries of WITH that nobody has used, down to `until`: their errors are errors too, and what may not stand there is refused. */
NODISCARD ErrorCode with_check(Binder *b, const CteScope *until);
void declare_push(Binder *b, const AstDeclare *declares, uint32_t count);
