/* SPDX-License-Identifier: Apache-2.0
 * time/zone_abbreviation.c - what EST, CET and their kin mean: PostgreSQL's default set. Sorted by name.
 *
 * Why: an abbreviation that the session's own zone uses means what it means there; this table is for the others. */
#include "sql/func/time/datetime_in.h"

typedef struct AbbreviationRow {
    const char *name;
    int16_t minutes_east;
    const char *zone; /* not NULL: it meant different things over the years in this zone */
} AbbreviationRow;

static const AbbreviationRow ROWS[] = {
    {"acdt", 630, NULL}, {"acsst", 630, NULL}, {"acst", 570, NULL}, {"act", -300, NULL}, {"acwst", 525, NULL}, {"adt", -180, NULL},
    {"aedt", 660, NULL}, {"aesst", 660, NULL}, {"aest", 600, NULL}, {"aft", 270, NULL}, {"akdt", -480, NULL}, {"akst", -540, NULL},
    {"almst", 420, NULL}, {"almt", 360, NULL}, {"amst", 0, "Asia/Yerevan"}, {"amt", -240, NULL}, {"anast", 0, "Asia/Anadyr"},
    {"anat", 0, "Asia/Anadyr"}, {"arst", 0, "America/Argentina/Buenos_Aires"}, {"art", 0, "America/Argentina/Buenos_Aires"}, {"ast", -240, NULL},
    {"awsst", 540, NULL}, {"awst", 480, NULL}, {"azost", 0, NULL}, {"azot", -60, NULL}, {"azst", 0, "Asia/Baku"}, {"azt", 0, "Asia/Baku"},
    {"bdst", 120, NULL}, {"bdt", 360, NULL}, {"bnt", 480, NULL}, {"bort", 480, NULL}, {"bot", -240, NULL}, {"bra", -180, NULL},
    {"brst", -120, NULL}, {"brt", -180, NULL}, {"bst", 60, NULL}, {"btt", 360, NULL}, {"cadt", 630, NULL}, {"cast", 570, NULL}, {"cct", 480, NULL},
    {"cdt", -300, NULL}, {"cest", 120, NULL}, {"cet", 60, NULL}, {"cetdst", 120, NULL}, {"chadt", 825, NULL}, {"chast", 765, NULL},
    {"chut", 600, NULL}, {"ckt", 0, "Pacific/Rarotonga"}, {"clst", -180, NULL}, {"clt", 0, "America/Santiago"}, {"cot", -300, NULL},
    {"cst", -360, NULL}, {"cxt", 420, NULL}, {"davt", 0, "Antarctica/Davis"}, {"ddut", 600, NULL}, {"easst", 0, "Pacific/Easter"},
    {"east", 0, "Pacific/Easter"}, {"eat", 180, NULL}, {"edt", -240, NULL}, {"eest", 180, NULL}, {"eet", 120, NULL}, {"eetdst", 180, NULL},
    {"egst", 0, NULL}, {"egt", -60, NULL}, {"est", -300, NULL}, {"fet", 180, NULL}, {"fjst", 780, NULL}, {"fjt", 720, NULL},
    {"fkst", 0, "Atlantic/Stanley"}, {"fkt", 0, "Atlantic/Stanley"}, {"fnst", -60, NULL}, {"fnt", -120, NULL}, {"galt", -360, NULL},
    {"gamt", -540, NULL}, {"gest", 0, "Asia/Tbilisi"}, {"get", 0, "Asia/Tbilisi"}, {"gft", -180, NULL}, {"gilt", 720, NULL}, {"gmt", 0, NULL},
    {"gyt", 0, "America/Guyana"}, {"hkt", 480, NULL}, {"hst", -600, NULL}, {"ict", 420, NULL}, {"idt", 180, NULL}, {"iot", 0, "Indian/Chagos"},
    {"irkst", 0, "Asia/Irkutsk"}, {"irkt", 0, "Asia/Irkutsk"}, {"irt", 210, NULL}, {"ist", 120, NULL}, {"jayt", 540, NULL}, {"jst", 540, NULL},
    {"kdt", 600, NULL}, {"kgst", 360, NULL}, {"kgt", 0, "Asia/Bishkek"}, {"kost", 0, "Pacific/Kosrae"}, {"krast", 0, "Asia/Krasnoyarsk"},
    {"krat", 0, "Asia/Krasnoyarsk"}, {"kst", 540, NULL}, {"lhdt", 0, "Australia/Lord_Howe"}, {"lhst", 630, NULL}, {"ligt", 600, NULL},
    {"lint", 0, "Pacific/Kiritimati"}, {"lkt", 0, "Asia/Colombo"}, {"magst", 0, "Asia/Magadan"}, {"magt", 0, "Asia/Magadan"}, {"mart", -570, NULL},
    {"mawt", 0, "Antarctica/Mawson"}, {"mdt", -360, NULL}, {"mest", 120, NULL}, {"mesz", 120, NULL}, {"met", 60, NULL}, {"metdst", 120, NULL},
    {"mez", 60, NULL}, {"mht", 720, NULL}, {"mmt", 390, NULL}, {"mpt", 600, NULL}, {"msd", 240, NULL}, {"msk", 0, "Europe/Moscow"},
    {"mst", -420, NULL}, {"must", 300, NULL}, {"mut", 240, NULL}, {"mvt", 300, NULL}, {"myt", 480, NULL}, {"ndt", -150, NULL}, {"nft", -210, NULL},
    {"novst", 0, "Asia/Novosibirsk"}, {"novt", 0, "Asia/Novosibirsk"}, {"npt", 345, NULL}, {"nst", -210, NULL}, {"nut", 0, "Pacific/Niue"},
    {"nzdt", 780, NULL}, {"nzst", 720, NULL}, {"nzt", 720, NULL}, {"omsst", 0, "Asia/Omsk"}, {"omst", 0, "Asia/Omsk"}, {"pdt", -420, NULL},
    {"pet", -300, NULL}, {"petst", 0, "Asia/Kamchatka"}, {"pett", 0, "Asia/Kamchatka"}, {"pgt", 600, NULL}, {"pht", 480, NULL}, {"pkst", 360, NULL},
    {"pkt", 300, NULL}, {"pmdt", -120, NULL}, {"pmst", -180, NULL}, {"pont", 660, NULL}, {"pst", -480, NULL}, {"pwt", 540, NULL},
    {"pyst", -180, NULL}, {"pyt", 0, "America/Asuncion"}, {"ret", 240, NULL}, {"sadt", 630, NULL}, {"sast", 120, NULL}, {"sct", 240, NULL},
    {"sgt", 0, "Asia/Singapore"}, {"taht", -600, NULL}, {"tft", 300, NULL}, {"tjt", 300, NULL}, {"tkt", 0, "Pacific/Fakaofo"},
    {"tmt", 0, "Asia/Ashgabat"}, {"tot", 780, NULL}, {"trut", 600, NULL}, {"tvt", 720, NULL}, {"uct", 0, NULL}, {"ulast", 540, NULL},
    {"ulat", 0, "Asia/Ulaanbaatar"}, {"ut", 0, NULL}, {"utc", 0, NULL}, {"uyst", -120, NULL}, {"uyt", -180, NULL}, {"uzst", 360, NULL},
    {"uzt", 300, NULL}, {"vet", 0, "America/Caracas"}, {"vlast", 0, "Asia/Vladivostok"}, {"vlat", 0, "Asia/Vladivostok"},
    {"volt", 0, "Europe/Volgograd"}, {"vut", 660, NULL}, {"wadt", 480, NULL}, {"wakt", 720, NULL}, {"wast", 420, NULL}, {"wat", 60, NULL},
    {"wdt", 540, NULL}, {"wet", 0, NULL}, {"wetdst", 60, NULL}, {"wft", 720, NULL}, {"wgst", -120, NULL}, {"wgt", -180, NULL}, {"xjt", 360, NULL},
    {"yakst", 0, "Asia/Yakutsk"}, {"yakt", 0, "Asia/Yakutsk"}, {"yapt", 600, NULL}, {"yekst", 360, NULL}, {"yekt", 0, "Asia/Yekaterinburg"},
    {"z", 0, NULL}, {"zulu", 0, NULL},
};

bool time__abbreviation(Str name, const FunctionEnvironment *environment, Arena *arena, ZoneMeaning *meaning_out) {
    const Zone *own = environment == NULL ? NULL : environment->zone;
    ZoneAbbreviation found;
    *meaning_out = (ZoneMeaning){0};
    if (own != NULL && zone_abbreviation_find(own, name, 0, &found)) {
        *meaning_out = found.fixed ? (ZoneMeaning){.east = found.offset_seconds} : (ZoneMeaning){.zone = own, .abbreviation = name};
        return true;
    }
    const AbbreviationRow *row = time__find_word(name, ROWS, COUNT_OF(ROWS), sizeof ROWS[0]);
    if (row == NULL) {
        return false;
    }
    meaning_out->east = row->minutes_east * 60;
    if (row->zone != NULL && environment != NULL && environment->zone_load != NULL) {
        meaning_out->abbreviation = name;
        return environment->zone_load(str_from_c(row->zone), arena, &meaning_out->zone, NULL) == ERR_OK;
    }
    return row->zone == NULL;
}

int32_t time__meaning_east(const ZoneMeaning *meaning, int64_t local_seconds) {
    ZoneAbbreviation found;
    if (meaning->zone == NULL) {
        return meaning->east;
    }
    int64_t utc = zone_to_utc(meaning->zone, local_seconds);
    if (meaning->abbreviation.len > 0 && zone_abbreviation_find(meaning->zone, meaning->abbreviation, utc, &found)) {
        return found.offset_seconds;
    }
    return (int32_t)(local_seconds - utc);
}

/* AT TIME ZONE 'EST', 'asia/kolkata', '+05' (west), 'UTC-3' (east). */
ErrorCode time__zone_named(const FunctionEnvironment *environment, Str name, Arena *arena, const Zone **zone_out, Error *err) {
    char lower[12];
    Str spelled;
    ZoneMeaning meaning;
    if (name.len < sizeof lower) {
        for (size_t i = 0; i < name.len; i++) {
            lower[i] = char_lower(name.data[i]);
        }
        if (time__abbreviation(str_from(lower, name.len), environment, arena, &meaning)) {
            *zone_out = meaning.zone != NULL ? meaning.zone : zone_fixed(arena, meaning.east);
            return ERR_OK;
        }
    }
    return environment->zone_find(name, arena, &spelled, zone_out, err);
}
