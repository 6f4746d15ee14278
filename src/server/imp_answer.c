/* SPDX-License-Identifier: Apache-2.0
 * imp_answer.c - see imp_answer.h. */
#include "server/imp_answer.h"

enum { ANSWER_BYTES_MAX = 16 << 20, TYPE_BYTES = 64, BOX_WIDTH = 103 };

static const char *const PARTITION_NAMES[] = {[PARTITION_NONE] = "NONE", [PARTITION_HOUR] = "HOUR",   [PARTITION_DAY] = "DAY",
                                              [PARTITION_WEEK] = "WEEK", [PARTITION_MONTH] = "MONTH", [PARTITION_YEAR] = "YEAR"};

void imp_answer_failure(Request *request, bool json) {
    Buffer out;
    buffer_init(&out, ANSWER_BYTES_MAX);
    if (json) {
        buffer_append_str(&out, STR("{\"status\":"));
        json_append_error(&out, &request->error);
        buffer_append_char(&out, '}');
        answer_json(request, request->fail_status, buffer_str(&out));
    } else {
        buffer_printf(&out, "%s\r\n", request->error.message);
        buffer_append_char(&out, '\0');
        answer_text(request, request->fail_status, (const char *)out.data);
    }
    buffer_deinit(&out);
}

static void write_json(Str table, const LoadReport *report, Buffer *out) {
    buffer_append_str(out, STR("{\"status\":\"OK\",\"location\":"));
    json_append_text(out, table);
    buffer_printf(out, ",\"rowsRejected\":%llu,\"rowsImported\":%llu,\"header\":%s,\"partitionBy\":\"%s\"", (unsigned long long)report->rejected,
                  (unsigned long long)report->rows, report->header ? "true" : "false", PARTITION_NAMES[report->partition]);
    if (report->timestamp.len > 0) {
        buffer_append_str(out, STR(",\"timestamp\":"));
        json_append_text(out, report->timestamp);
    }
    buffer_append_str(out, STR(",\"columns\":["));
    for (uint32_t i = 0; i < report->column_count; i++) {
        const LoadColumnReport *column = &report->columns[i];
        char type[TYPE_BYTES];
        size_t len = type_format_exec(type, sizeof type, column->type);
        buffer_append_str(out, i == 0 ? STR("{\"name\":") : STR(",{\"name\":"));
        json_append_text(out, column->name);
        buffer_printf(out, ",\"type\":\"%.*s\",\"size\":%zu,\"errors\":%llu}", (int)len, type, physical_bytes(type_physical((TypeId)column->type.id)),
                      (unsigned long long)column->errors);
    }
    buffer_append_str(out, STR("]}"));
}

static void write_rule(Buffer *out) {
    buffer_append_char(out, '+');
    buffer_append_fill(out, '-', BOX_WIDTH);
    buffer_append_str(out, STR("+\r\n"));
}

static void write_row(Buffer *out, Str name, Str value, Str pattern, Str errors) {
    buffer_printf(out, "|%15.*s  |%48.*s  |%15.*s  |%13.*s  |\r\n", STR_ARG(name), STR_ARG(value), STR_ARG(pattern), STR_ARG(errors));
}

static Str number_text(char room[24], uint64_t number) {
    return (Str){room, (size_t)snprintf(room, 24, "%llu", (unsigned long long)number)};
}

static void write_table(Str table, const LoadReport *report, Buffer *out) {
    char number[24], errors[24], type[TYPE_BYTES];
    Str none = STR("");
    write_rule(out);
    write_row(out, STR("Location:"), table, STR("Pattern"), STR("Errors"));
    write_row(out, STR("Partition by"), str_from_c(PARTITION_NAMES[report->partition]), none, none);
    write_row(out, STR("Timestamp"), report->timestamp.len > 0 ? report->timestamp : STR("NONE"), none, none);
    write_rule(out);
    write_row(out, STR("Rows handled"), number_text(number, report->rows + report->rejected), none, none);
    write_row(out, STR("Rows imported"), number_text(number, report->rows), none, none);
    write_rule(out);
    for (uint32_t i = 0; i < report->column_count; i++) {
        const LoadColumnReport *column = &report->columns[i];
        Str type_text = {type, type_format_exec(type, sizeof type, column->type)};
        write_row(out, number_text(number, i), column->name, type_text, number_text(errors, column->errors));
    }
    write_rule(out);
    for (uint32_t i = 0; i < report->problem_count; i++) {
        buffer_printf(out, "line %llu: %.*s\r\n", (unsigned long long)report->problems[i].line, STR_ARG(report->problems[i].message));
    }
}

void imp_answer_report(Request *request, Str table, const LoadReport *report, bool json) {
    Buffer out;
    buffer_init(&out, ANSWER_BYTES_MAX);
    if (json) {
        write_json(table, report, &out);
        answer_json(request, 200, buffer_str(&out));
    } else {
        write_table(table, report, &out);
        buffer_append_char(&out, '\0');
        answer_text(request, 200, (const char *)out.data);
    }
    buffer_deinit(&out);
}
