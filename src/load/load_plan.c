/* SPDX-License-Identifier: Apache-2.0
 * load_plan.c - from the sample: delimiter, header, types; then finds or makes the table and says which field goes where.
 *
 * Why:   one place decides, before the first row is stored, so that a file that does not fit leaves nothing behind.
 * Tests: test/unit/load, test/real */
#include "load/load_internal.h"

/* What the sample says about the file. */
typedef struct Survey {
    Str *names;          /* of the fields, made up where the file has none */
    ColumnGuess *guesses;
    uint32_t count;
} Survey;

static ErrorCode survey_rows(Load *load, CsvReader *csv, bool sample_is_all, Survey *survey, Error *err);
static ErrorCode name_fields(Load *load, const Str *first, Survey *survey, Error *err);
static ErrorCode table_make(Load *load, const Survey *survey, bool sample_is_all, Error *err);
static ErrorCode columns_add(Load *load, const Survey *survey, bool sample_is_all, Error *err);
static ErrorCode fields_match(Load *load, const Survey *survey, Error *err);
static ErrorCode columns_open(Load *load, const Survey *survey, Error *err);

static const LoadColumnSpec *spec_find(const Load *load, Str name) {
    for (uint32_t i = 0; i < load->options.column_count; i++) {
        if (str_equal_ignore_case(load->options.columns[i].name, name)) {
            return &load->options.columns[i];
        }
    }
    return NULL;
}

/* A spec that names no field is a mistake that would else go unseen. */
static ErrorCode check_specs(const Load *load, const Survey *survey, Error *err) {
    for (uint32_t i = 0; i < load->options.column_count; i++) {
        bool found = false;
        for (uint32_t f = 0; f < survey->count && !found; f++) {
            found = str_equal_ignore_case(survey->names[f], load->options.columns[i].name);
        }
        if (!found) {
            return error_set(err, ERR_UNDEFINED_COLUMN, ERROR_NO_POSITION, "the file has no column \"%.*s\" of the schema",
                             STR_ARG(load->options.columns[i].name));
        }
    }
    return ERR_OK;
}

static ErrorCode table_find(Load *load, const TableDef **table_out, Error *err) {
    CatalogView *view = txn_catalog(session_txn(load->session));
    Error ignored = {0};
    *table_out = NULL;
    ErrorCode code = view->table_find(view, load->options.schema_name, load->options.table, table_out, &ignored);
    if (code == ERR_OK || code == ERR_UNDEFINED_TABLE) {
        return ERR_OK;
    }
    *err = ignored;
    return code;
}

static ErrorCode table_prepare(Load *load, const Survey *survey, bool sample_is_all, Error *err) {
    Txn *txn = session_txn(load->session);
    TRY(table_find(load, &load->table, err));
    if (load->table != NULL && load->options.overwrite) {
        TRY(txn_table_drop(txn, load->table, err));
        load->table = NULL;
    }
    if (load->table != NULL) {
        return load->options.add_columns && load->report.header ? columns_add(load, survey, sample_is_all, err) : ERR_OK;
    }
    if (load->options.no_create && !load->options.overwrite) {
        return error_set(err, ERR_UNDEFINED_TABLE, ERROR_NO_POSITION, "table \"%.*s\" does not exist", STR_ARG(load->options.table));
    }
    return table_make(load, survey, sample_is_all, err);
}

/* Formats that would only give strange errors about fields. A row of CSV whose first field is quoted and begins with a brace stays CSV. */
static ErrorCode refuse_format(Str sample, Error *err) {
    Str text = str_trim(str_slice(sample, 0, MIN_OF(sample.len, (size_t)4096)));
    Str inner = text.len > 1 ? str_trim(str_slice(text, 1, text.len)) : (Str){0};
    const char *format = NULL;
    if (str_starts_with(sample, STR("PAR1"))) {
        format = "Parquet";
    } else if (text.len > 1 && text.data[0] == '{' && (inner.len == 0 || inner.data[0] == '"' || inner.data[0] == '}')) {
        format = "JSON (one object a line, NDJSON)";
    } else if (text.len > 1 && text.data[0] == '[' && inner.len > 0 && (inner.data[0] == '{' || inner.data[0] == '[')) {
        format = "JSON (an array)";
    } else if (str_starts_with(sample, STR("Obj\x01"))) {
        format = "Avro";
    } else if (str_starts_with(sample, STR("PK\x03\x04"))) {
        format = "a ZIP archive (or a spreadsheet)";
    }
    return format == NULL ? ERR_OK : error_set(err, ERR_BAD_COPY, 0, "the file is %s; load reads CSV, also as .gz and .zst", format);
}

ErrorCode load__plan(Load *load, bool sample_is_all, Error *err) {
    Str sample = buffer_str(&load->sample);
    Survey survey = {0};
    TRY(refuse_format(sample, err));
    if (load->options.delimiter == 0) { /* a cut last line would only confuse */
        size_t end = sample.len;
        while (!sample_is_all && end > 0 && sample.data[end - 1] != '\n') {
            end--;
        }
        load->options.delimiter = csv_detect_delimiter(str_slice(sample, 0, end > 0 ? end : sample.len), '"');
    }
    load->report.delimiter = load->options.delimiter;
    CsvReader *csv = csv_open(&(CsvOptions){.delimiter = load->options.delimiter});
    csv_feed(csv, bytes_from(sample.data, sample.len));
    if (sample_is_all) {
        csv_end(csv);
    }
    ErrorCode code = survey_rows(load, csv, sample_is_all, &survey, err);
    csv_close(csv);
    TRY(code);
    TRY(check_specs(load, &survey, err));
    TRY(table_prepare(load, &survey, sample_is_all, err));
    TRY(fields_match(load, &survey, err));
    return columns_open(load, &survey, err);
}

/* ---- the sample ---- */

static ErrorCode survey_rows(Load *load, CsvReader *csv, bool sample_is_all, Survey *survey, Error *err) {
    const CsvRow *row = NULL;
    TRY(csv_next(csv, &row, err));
    if (row == NULL) {
        return error_set(err, ERR_BAD_COPY, ERROR_NO_POSITION,
                         sample_is_all ? "the file has no rows" : "the first row does not end within %d bytes", CSV_FIELD_BYTES_DEFAULT);
    }
    if (row->problem != CSV_FINE) {
        return error_set(err, ERR_INVALID_ENCODING, (int64_t)row->offset, "line %llu, field %u: %s", (unsigned long long)row->line,
                         row->problem_field + 1, csv_problem_text(row->problem));
    }
    if (row->field_count > LOAD_COLUMNS_MAX) {
        return error_set(err, ERR_TOO_MANY_COLUMNS, (int64_t)row->offset, "the first row has %u fields; a table has at most %d columns",
                         row->field_count, LOAD_COLUMNS_MAX);
    }
    survey->count = row->field_count;
    survey->names = arena_array(&load->arena, Str, survey->count);
    survey->guesses = arena_array(&load->arena, ColumnGuess, survey->count);
    Str *first = arena_array(&load->arena, Str, survey->count);
    for (uint32_t i = 0; i < survey->count; i++) {
        first[i] = arena_str(&load->arena, csv_text(row, i));
        guess_init(&survey->guesses[i]);
    }
    for (uint32_t rows = 1; rows < LOAD_SAMPLE_ROWS; rows++) {
        Error ignored = {0};
        if (csv_next(csv, &row, &ignored) != ERR_OK || row == NULL) {
            break; /* what is wrong with the file is said when its rows are read */
        }
        for (uint32_t i = 0; i < MIN_OF(row->field_count, survey->count); i++) {
            Str text = csv_text(row, i);
            if (!str_equal(text, load->options.null_text)) {
                guess_value(&survey->guesses[i], text);
            }
        }
    }
    return name_fields(load, first, survey, err);
}

/* Whether every name of the first row is a column of the table that is there: then it is a header for certain. */
static bool names_are_columns(Load *load, const Str *first, uint32_t count) {
    const TableDef *table = NULL;
    if (table_find(load, &table, &(Error){0}) != ERR_OK || table == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (table_column_find(table, first[i]) < 0) {
            return false;
        }
    }
    return true;
}

static bool name_is_taken(const Survey *survey, uint32_t before, Str name) {
    for (uint32_t i = 0; i < before; i++) {
        if (str_equal_ignore_case(survey->names[i], name)) {
            return true;
        }
    }
    return false;
}

static ErrorCode name_fields(Load *load, const Str *first, Survey *survey, Error *err) {
    bool header = infer_header(first, survey->guesses, survey->count, load->options.header);
    if (load->options.header == HEADER_AUTO || load->options.header == HEADER_STRICT) {
        header |= names_are_columns(load, first, survey->count);
    }
    load->report.header = header;
    load->header_due = header;
    for (uint32_t i = 0; i < survey->count; i++) {
        Str name = header ? str_trim(first[i]) : STR("");
        if (name.len > NAME_BYTES_MAX) {
            return error_set(err, ERR_INVALID_NAME, ERROR_NO_POSITION, "the name of column %u is longer than %d bytes", i + 1, NAME_BYTES_MAX);
        }
        Str given = name.len > 0 ? name : arena_format(&load->arena, "f%u", i);
        name = given;
        for (uint32_t n = 2; name_is_taken(survey, i, name); n++) { /* a second "price" becomes price_2 */
            name = arena_format(&load->arena, "%.*s_%u", STR_ARG(given), n);
        }
        survey->names[i] = name;
        if (!header) {
            guess_value(&survey->guesses[i], first[i]);
        }
    }
    return ERR_OK;
}

/* ---- the table ---- */

static Type field_type(const Load *load, const Survey *survey, uint32_t field, bool sample_is_all) {
    const LoadColumnSpec *spec = spec_find(load, survey->names[field]);
    bool designated = load->options.timestamp.len > 0 && str_equal_ignore_case(load->options.timestamp, survey->names[field]);
    if (spec != NULL && spec->type.id != TYPE_UNKNOWN) {
        return spec->type;
    }
    Type type = guess_type(&survey->guesses[field],
                           &(InferOptions){.questdb = load->options.questdb, .narrow_integers = load->options.questdb && sample_is_all});
    if (spec != NULL && spec->pattern.len > 0 && !type_is_timestamp(type.id)) {
        return type_of(TYPE_TIMESTAMP);
    }
    bool becomes_time = type.id == TYPE_DATE || type.id == TYPE_TIMESTAMP_MS || type.id == TYPE_INT4 || type.id == TYPE_INT8;
    return designated && becomes_time ? type_of(TYPE_TIMESTAMP) : type;
}

static ErrorCode check_designated(const Load *load, const TableSpec *spec, Error *err) {
    if (load->options.timestamp.len == 0) {
        return load->options.partition == PARTITION_NONE
                   ? ERR_OK
                   : error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "partitions need a designated timestamp");
    }
    if (spec->designated < 0) {
        return error_set(err, ERR_UNDEFINED_COLUMN, ERROR_NO_POSITION, "the file has no column \"%.*s\" to be the designated timestamp",
                         STR_ARG(load->options.timestamp));
    }
    Type type = spec->columns[spec->designated].type;
    if (type.id != TYPE_TIMESTAMP && type.id != TYPE_TIMESTAMP_NS && type.id != TYPE_TIMESTAMPTZ) {
        return error_set(err, ERR_DATATYPE_MISMATCH, ERROR_NO_POSITION, "column \"%.*s\" cannot be the designated timestamp: it is %s",
                         STR_ARG(load->options.timestamp), type_sql_name(type.id));
    }
    return ERR_OK;
}

static ErrorCode table_make(Load *load, const Survey *survey, bool sample_is_all, Error *err) {
    ColumnDef *columns = arena_array(&load->arena, ColumnDef, survey->count);
    TableSpec spec = {
        .schema_name = load->options.schema_name,
        .name = load->options.table,
        .columns = columns,
        .column_count = (uint16_t)survey->count,
        .designated = -1,
        .partition = load->options.partition,
        .wal = true,
    };
    for (uint32_t i = 0; i < survey->count; i++) {
        columns[i].name = survey->names[i];
        columns[i].type = field_type(load, survey, i, sample_is_all);
        columns[i].missing_is_null = true;
        if (load->options.timestamp.len > 0 && str_equal_ignore_case(load->options.timestamp, survey->names[i])) {
            spec.designated = (int16_t)i;
            columns[i].not_null = true;
        }
    }
    TRY(check_designated(load, &spec, err));
    TRY(txn_table_create(session_txn(load->session), &spec, &load->table, err));
    load->report.created = true;
    return ERR_OK;
}

static ErrorCode columns_add(Load *load, const Survey *survey, bool sample_is_all, Error *err) {
    for (uint32_t i = 0; i < survey->count; i++) {
        if (table_column_find(load->table, survey->names[i]) != -1) {
            continue;
        }
        ColumnDef column = {
            .name = survey->names[i],
            .type = field_type(load, survey, i, sample_is_all),
            .missing_is_null = true,
        };
        TRY(txn_column_add(session_txn(load->session), load->table, &column, &load->table, err));
    }
    return ERR_OK;
}

/* ---- fields to columns ---- */

static ErrorCode match_by_name(const Load *load, Str name, int *column_out, Error *err) {
    *column_out = table_column_find(load->table, name);
    if (*column_out == -2) {
        return error_set(err, ERR_AMBIGUOUS_COLUMN, ERROR_NO_POSITION, "column \"%.*s\" of the file fits several columns of the table",
                         STR_ARG(name));
    }
    if (*column_out < 0) {
        return error_set(err, ERR_UNDEFINED_COLUMN, ERROR_NO_POSITION,
                         "table \"%.*s\" has no column \"%.*s\" of the file (--add-columns adds it)", STR_ARG(load->options.table),
                         STR_ARG(name));
    }
    return ERR_OK;
}

static ErrorCode fields_match(Load *load, const Survey *survey, Error *err) {
    uint32_t column_count = load->table->column_count;
    bool *present = arena_array(&load->arena, bool, column_count);
    load->field_count = survey->count;
    load->fields = arena_array(&load->arena, LoadField, survey->count);
    load->field_reports = arena_array(&load->arena, LoadColumnReport, survey->count);
    if (!load->report.header && survey->count > column_count) {
        return error_set(err, ERR_BAD_COPY, ERROR_NO_POSITION, "the first row has %u fields, table \"%.*s\" has %u columns", survey->count,
                         STR_ARG(load->options.table), column_count);
    }
    for (uint32_t i = 0; i < survey->count; i++) {
        int column = (int)i;
        if (load->report.header) {
            TRY(match_by_name(load, survey->names[i], &column, err));
        }
        if (present[column]) {
            return error_set(err, ERR_DUPLICATE_COLUMN, ERROR_NO_POSITION, "two columns of the file are \"%.*s\"",
                             STR_ARG(load->table->columns[column].name));
        }
        present[column] = true;
        load->fields[i].column = column;
        load->field_reports[i] = (LoadColumnReport){
            .name = arena_str(&load->arena, load->table->columns[column].name),
            .type = load->table->columns[column].type,
        };
    }
    load->absent = arena_array(&load->arena, uint32_t, column_count);
    for (uint32_t i = 0; i < column_count; i++) {
        if (!present[i]) {
            load->absent[load->absent_count++] = i;
        }
    }
    return ERR_OK;
}

static const TypeBody *labels_of(Load *load, Type type) {
    TypeBody *body = type.id == TYPE_ENUM ? arena_new(&load->arena, TypeBody) : NULL;
    bool known = body != NULL && catalog_type_body(txn_catalog(session_txn(load->session)), type_enum_object(type), TYPE_KIND_ENUM, &load->arena, body);
    return known ? body : NULL;
}

static ErrorCode columns_open(Load *load, const Survey *survey, Error *err) {
    load->column_count = load->table->column_count;
    load->columns = arena_array(&load->arena, LoadColumn, load->column_count);
    for (uint32_t i = 0; i < load->column_count; i++) {
        Str pattern = STR("");
        for (uint32_t f = 0; f < survey->count; f++) {
            if (load->fields[f].column == (int32_t)i) {
                const LoadColumnSpec *spec = spec_find(load, survey->names[f]);
                pattern = spec != NULL && spec->pattern.len > 0 ? spec->pattern : guess_pattern(&survey->guesses[f]);
            }
        }
        Type type = load->table->columns[i].type;
        bool is_time = type_is_timestamp(type.id) || type.id == TYPE_DATE;
        TRY(load__column_init(&load->columns[i], &load->table->columns[i], is_time ? pattern : STR(""), load->options.zone, &load->heap, err));
        load->columns[i].labels = labels_of(load, load->table->columns[i].type);
    }
    const TableDef *table = load->table;
    load->report.table = arena_str(&load->arena, table->name);
    load->report.partition = table->partition;
    load->report.timestamp = table->designated >= 0 ? arena_str(&load->arena, table->columns[table->designated].name) : STR("");
    return ERR_OK;
}
