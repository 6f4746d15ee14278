/* SPDX-License-Identifier: Apache-2.0
 * target.h - where statements go: a folder through the C API, or a server over HTTP; and who takes the rows.
 *
 * Threads: one, but target_cancel may be called from a signal handler. */
#pragma once
#include "cli/cli.h"

enum { TARGET_COLUMNS_MAX = 2048 };
typedef struct ResultColumn {
    Str name, type;    /* type as SQL names it, or as the server does */
    bool align_right;  /* numbers */
    bool is_raw_json;  /* numbers and booleans: JSON writes them without quotes */
} ResultColumn;
typedef struct ResultCell {
    Str text;
    bool is_null;
} ResultCell;

/* Takes one result: begin, rows, end; begin is left out for statements without rows. */
typedef struct ResultSink ResultSink;
struct ResultSink {
    ErrorCode (*begin)(ResultSink *sink, const ResultColumn *columns, uint32_t count, Error *err);
    ErrorCode (*row)(ResultSink *sink, const ResultCell *cells, Error *err);
    ErrorCode (*end)(ResultSink *sink, Error *err);
};

typedef struct ResultSummary {
    uint64_t rows;
    bool has_rows;     /* the statement gives rows, even if none came */
    char tag[64];      /* "INSERT 0 3", "OK" */
} ResultSummary;

typedef struct Target Target;
typedef struct TargetVtable {
    /* Runs one statement. err->position: byte offset in sql. *exit_code_out tells more than err->code where it does. */
    ErrorCode (*run)(Target *target, Str sql, ResultSink *sink, ResultSummary *summary_out, Error *err);
    void (*cancel)(Target *target); /* safe in a signal handler */
    void (*close)(Target *target);
} TargetVtable;
struct Target {
    const TargetVtable *vtable;
};

/* A folder, or http://host:port. code_out: the exit code if it fails. */
NODISCARD ErrorCode target_open(const char *name, bool must_exist, Target **target_out, ExitCode *code_out, Error *err);
bool target_is_url(const char *name);
NODISCARD ErrorCode target_folder_open(const char *folder, bool must_exist, Target **target_out, ExitCode *code_out, Error *err);
NODISCARD ErrorCode target_url_open(const char *url, Target **target_out, ExitCode *code_out, Error *err);

/* The first statement of text: its end (behind the semicolon), or 0 if it is not complete. */
size_t statement_end(Str text);
/* Nothing but blanks, comments and semicolons. */
bool statement_is_empty(Str text);

/* Sinks. All write to stdout; free with mem_free after end. */
typedef enum OutputMode { OUTPUT_TABLE, OUTPUT_CSV, OUTPUT_JSON } OutputMode;
typedef struct OutputOptions {
    OutputMode mode;
    uint32_t width;     /* of the terminal, 0 = do not fit */
    bool ascii;         /* boxes of + - | */
} OutputOptions;
ResultSink *output_open(const OutputOptions *options);
void output_close(ResultSink *sink); /* also in the middle of a result */
bool output_mode_from_name(const char *name, OutputMode *mode_out);
uint32_t text_width(Str text);       /* columns of a terminal */
