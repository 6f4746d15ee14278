/* SPDX-License-Identifier: Apache-2.0
 * gen_command.c - basalt gen: writes generated rows to standard output.
 *
 * Tests: test/cli */
#include "cli/cli_internal.h"
#include "gen/gen.h"

static const CliOption OPTIONS[] = {
    {"rows", CLI_NUMBER, "N", "rows to write (default 1,537,200: thirty days of the floor sheet)"},
    {"seed", CLI_NUMBER, "S", "another seed, other data of the same kind (default 1)"},
    {"format", CLI_TEXT, "csv|ilp|pipe", "CSV with a header (default), line protocol, or the tape's daily file (taq, taq-trades)"},
    {"table", CLI_TEXT, "NAME", "measurement name in line protocol (default trades, cpu, quotes, tape)"},
    {"hosts", CLI_NUMBER, "N", "hosts of `cpu` (default 4,000)"},
    {0},
};

enum { GEN_DEFAULT_ROWS = 1537200 };

static ExitCode run(const CliArgs *args) {
    const char *format = cli_text(args, "format", "csv");
    uint64_t hosts = cli_number(args, "hosts", 0);
    GenOptions options = {
        .kind = str_from_c(args->words[0]),
        .rows = cli_number(args, "rows", GEN_DEFAULT_ROWS),
        .seed = cli_number(args, "seed", 1),
        .format = strcmp(format, "ilp") == 0 ? GEN_ILP : strcmp(format, "pipe") == 0 ? GEN_PIPE : GEN_CSV,
        .table = str_from_c(cli_text(args, "table", "")),
        .hosts = (uint32_t)MIN_OF(hosts, (uint64_t)UINT32_MAX),
    };
    if (options.format == GEN_CSV && strcmp(format, "csv") != 0) {
        return cli_usage_error("--format is csv, ilp or pipe, not \"%s\"", format);
    }
    Error err = {0};
    ErrorCode code = gen_run(&options, cli__write_out, NULL, &err);
    if (code == ERR_INVALID_PARAMETER) {
        return cli_usage_error("%s", err.message);
    }
    return code == ERR_OK ? EXIT_DONE : cli_report(&err);
}

const CliCommand CLI_GEN = {
    .name = "gen",
    .summary = "write generated data: floorsheet, cpu, taq (quotes) or taq-trades",
    .usage = "gen floorsheet|cpu|taq|taq-trades [--rows N] [--seed S] [--format csv|ilp|pipe]",
    .options = OPTIONS,
    .words_min = 1,
    .words_max = 1,
    .run = run,
    .details = "The same options give the same bytes on every machine, and fewer rows are the head of more rows.\n"
               "  basalt gen floorsheet --rows 1000 > floorsheet.csv\n"
               "taq and taq-trades of one seed are quotes and trades of one tape. --format pipe writes a day's file as the tape has it: | between the\n"
               "columns, times HHMMSSnnnnnnnnn in New York, a last line END|YYYYMMDD|rows.\n",
};
