/* SPDX-License-Identifier: Apache-2.0
 * cpu.c - rows in the shape of the Time Series Benchmark Suite's "cpu-only" case: ten tags and ten metrics of many hosts.
 *
 * Layout:     per tick of ten seconds one row of every host, in host order: each timestamp comes once per host.
 * Why:        the suite's own generator needs Go and floating point; the numbers here are our own, the shape is the suite's.
 * Invariants: tags of a host never change; metrics walk by about one a tick and stay in 0-100.
 * Tests:      test/unit/gen/test_gen.c */
#include "gen/gen_internal.h"

enum { CPU_METRICS = 10, CPU_TICK_SECONDS = 10, CPU_FIRST_SECOND = 1451606400 /* 2016-01-01 */, CPU_FRACTION = 4096 };

typedef struct CpuRegion {
    const char *name, *zones;
} CpuRegion;
static const CpuRegion CPU_REGIONS[] = {
    {"us-east-1", "abce"},    {"us-west-1", "ab"},      {"us-west-2", "abc"},
    {"eu-west-1", "abc"},     {"eu-central-1", "ab"},   {"ap-southeast-1", "ab"},
    {"ap-southeast-2", "ab"}, {"ap-northeast-1", "ac"}, {"sa-east-1", "abc"},
};
static const char *const CPU_OS[] = {"Ubuntu16.10", "Ubuntu16.04LTS", "Ubuntu15.10"};
static const char *const CPU_ARCH[] = {"x64", "x86"};
static const char *const CPU_TEAM[] = {"SF", "NYC", "LON", "CHI"};
static const char *const CPU_ENVIRONMENT[] = {"production", "staging", "test"};
static const char *const CPU_METRIC[CPU_METRICS] = {"usage_user",   "usage_system", "usage_idle",    "usage_nice",  "usage_iowait",
                                                    "usage_irq",    "usage_softirq", "usage_steal",  "usage_guest", "usage_guest_nice"};

typedef struct CpuHost {
    uint32_t text_at;                 /* of its tags in tag_text */
    uint16_t text_len;
    int32_t metric[CPU_METRICS];      /* times CPU_FRACTION */
} CpuHost;

typedef struct Cpu {
    Random random;
    GenTime time;
    GenFormat format;
    CpuHost *hosts;
    char *tag_text;
    uint32_t host_count, host_next;
    int64_t second;
    bool first_tick;
} Cpu;

static void *cpu_open(const GenOptions *options, Arena *arena);
static char *cpu_write_rows(void *state, uint32_t count, char *out);

const GenKind GEN_CPU = {
    .name = "cpu",
    .table = "cpu",
    .csv_header = "timestamp,hostname,region,datacenter,rack,os,arch,team,service,service_version,service_environment,"
                  "usage_user,usage_system,usage_idle,usage_nice,usage_iowait,usage_irq,usage_softirq,usage_steal,"
                  "usage_guest,usage_guest_nice",
    .open = cpu_open,
    .write_rows = cpu_write_rows,
};

enum { CPU_TAGS = 10 };

typedef struct CpuTag {
    const char *name, *text;
    uint64_t number;
    bool has_number;
} CpuTag;

/* `,name=value` in line protocol, `,value` in CSV. */
static char *put_tag(char *out, GenFormat format, const CpuTag *tag) {
    *out++ = ',';
    if (format == GEN_ILP) {
        out = gen__put_text(out, tag->name, strlen(tag->name));
        *out++ = '=';
    }
    out = gen__put_text(out, tag->text, strlen(tag->text));
    return tag->has_number ? gen__put_uint(out, tag->number) : out;
}

/* Numbers are drawn one statement at a time: in an initialiser their order would be the compiler's choice. */
static char *put_host(char *out, GenFormat format, uint32_t number, Random *random) {
    const CpuRegion *region = &CPU_REGIONS[random_below(random, COUNT_OF(CPU_REGIONS))];
    size_t zone = random_below(random, strlen(region->zones));
    uint64_t rack = random_below(random, 100);
    size_t os = random_below(random, COUNT_OF(CPU_OS));
    size_t arch = random_below(random, COUNT_OF(CPU_ARCH));
    size_t team = random_below(random, COUNT_OF(CPU_TEAM));
    uint64_t service = random_below(random, 20);
    uint64_t version = random_below(random, 2);
    size_t environment = random_below(random, COUNT_OF(CPU_ENVIRONMENT));
    char datacenter[32];
    size_t region_len = strlen(region->name);
    memcpy(datacenter, region->name, region_len);
    datacenter[region_len] = region->zones[zone];
    datacenter[region_len + 1] = '\0';
    const CpuTag tags[CPU_TAGS] = {
        {"hostname", "host_", number, true},
        {"region", region->name, 0, false},
        {"datacenter", datacenter, 0, false},
        {"rack", "", rack, true},
        {"os", CPU_OS[os], 0, false},
        {"arch", CPU_ARCH[arch], 0, false},
        {"team", CPU_TEAM[team], 0, false},
        {"service", "", service, true},
        {"service_version", "", version, true},
        {"service_environment", CPU_ENVIRONMENT[environment], 0, false},
    };
    for (size_t i = 0; i < CPU_TAGS; i++) {
        out = put_tag(out, format, &tags[i]);
    }
    return out;
}

static void *cpu_open(const GenOptions *options, Arena *arena) {
    Cpu *cpu = arena_new(arena, Cpu);
    cpu->format = options->format;
    cpu->host_count = options->hosts;
    cpu->hosts = arena_array(arena, CpuHost, options->hosts);
    cpu->tag_text = arena_array(arena, char, (size_t)options->hosts * GEN_ROW_BYTES_MAX / 2);
    cpu->time.second = INT64_MIN;
    cpu->second = CPU_FIRST_SECOND;
    cpu->first_tick = true;
    random_init(&cpu->random, options->seed);
    char *out = cpu->tag_text;
    for (uint32_t i = 0; i < options->hosts; i++) {
        CpuHost *host = &cpu->hosts[i];
        char *start = out;
        if (options->format == GEN_ILP) {
            out = gen__put_text(out, options->table.data, options->table.len);
        }
        out = put_host(out, options->format, i, &cpu->random);
        host->text_at = (uint32_t)(start - cpu->tag_text);
        host->text_len = (uint16_t)(out - start);
        for (size_t m = 0; m < CPU_METRICS; m++) {
            host->metric[m] = (int32_t)random_below(&cpu->random, 100 * CPU_FRACTION);
        }
    }
    return cpu;
}

static void walk(CpuHost *host, Random *random) {
    for (size_t m = 0; m < CPU_METRICS; m++) {
        /* deviation 37,837 / 9.2375 = 4,096: one unit */
        int32_t next = host->metric[m] + (int32_t)((int64_t)gen__normal(random_next(random)) * 7094 / 65536);
        host->metric[m] = next < 0 ? 0 : MIN_OF(next, 100 * CPU_FRACTION);
    }
}

static char *put_row(Cpu *cpu, const CpuHost *host, char *out) {
    bool is_csv = cpu->format == GEN_CSV;
    if (is_csv) {
        out = gen__put_time(&cpu->time, out, cpu->second * 1000000000, 0);
    }
    out = gen__put_text(out, cpu->tag_text + host->text_at, host->text_len);
    for (size_t m = 0; m < CPU_METRICS; m++) {
        if (is_csv) {
            *out++ = ',';
        } else {
            *out++ = m == 0 ? ' ' : ',';
            out = gen__put_text(out, CPU_METRIC[m], strlen(CPU_METRIC[m]));
            *out++ = '=';
        }
        out = gen__put_uint(out, (uint64_t)(host->metric[m] / CPU_FRACTION));
        if (!is_csv) {
            *out++ = 'i';
        }
    }
    if (!is_csv) {
        *out++ = ' ';
        out = gen__put_uint(out, (uint64_t)cpu->second * 1000000000);
    }
    *out++ = '\n';
    return out;
}

static char *cpu_write_rows(void *state, uint32_t count, char *out) {
    Cpu *cpu = state;
    for (uint32_t i = 0; i < count; i++) {
        CpuHost *host = &cpu->hosts[cpu->host_next];
        if (!cpu->first_tick) {
            walk(host, &cpu->random);
        }
        out = put_row(cpu, host, out);
        if (++cpu->host_next == cpu->host_count) {
            cpu->host_next = 0;
            cpu->second += CPU_TICK_SECONDS;
            cpu->first_tick = false;
        }
    }
    return out;
}
