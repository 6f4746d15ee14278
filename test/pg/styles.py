# SPDX-License-Identifier: Apache-2.0
"""Settings that change how values look: rows, COPY both ways, parameters, prepared statements, and what the client is told of them."""
from kit import SYNC, Pg, bind, check, describe, execute, expect, message, parse, raise_errors, text
from session import told

COLUMNS = "date '2024-02-03', timestamp '2024-02-03 04:05:06.5', timestamptz '2024-02-03 04:05:06+00', interval '1 mon -2 days 03:00', '\\x00ff'::bytea, 1::float8/3, (1::float8/3)::float4"


def first_row(messages):
    raise_errors(messages)
    return [m for m in messages if m.kind == "D"][0].row()


@check
def rows_are_printed_by_the_settings_of_the_moment():
    with Pg(TimeZone="Europe/Berlin") as wire:
        expect(wire.rows(f"select {COLUMNS}"), [["2024-02-03", "2024-02-03 04:05:06.5", "2024-02-03 05:05:06+01", "1 mon -2 days +03:00:00", "\\x00ff", "0.3333333333333333", "0.33333334"]])
        raise_errors(wire.ask(parse(f"select {COLUMNS}", "p") + SYNC))
        wire.query("set datestyle = sql, dmy; set intervalstyle = postgres_verbose; set bytea_output = escape; set extra_float_digits = 0")
        want = ["03/02/2024", "03/02/2024 04:05:06.5", "03/02/2024 05:05:06 CET", "@ 1 mon -2 days 3 hours", "\\000\\377", "0.333333333333333", "0.333333"]
        expect(wire.rows(f"select {COLUMNS}"), [want])
        expect(first_row(wire.ask(bind(name="p") + execute() + SYNC)), [value.encode() for value in want])
        wire.query("begin; set local datestyle = german; set local intervalstyle = iso_8601; set local timezone = 'UTC'")
        want[:4] = ["03.02.2024", "03.02.2024 04:05:06.5", "03.02.2024 04:05:06 UTC", "P1M-2DT3H"]
        expect(first_row(wire.ask(bind(name="p") + execute() + SYNC)), [value.encode() for value in want])
        wire.query("rollback")
        expect(wire.rows("select timestamptz '2024-07-03 04:05:06+00'"), [["03/07/2024 06:05:06 CEST"]])


@check
def clients_are_told_of_styles():
    with Pg(DateStyle="Postgres, MDY", IntervalStyle="iso_8601") as wire:
        expect((wire.status["DateStyle"], wire.status["IntervalStyle"]), ("Postgres, MDY", "iso_8601"))
        expect(told(wire.query("set datestyle = 'german'"), "DateStyle"), "German, DMY")
        expect(told(wire.query("set datestyle to ymd"), "DateStyle"), "German, YMD")
        wire.query("begin")
        expect(told(wire.query("set local intervalstyle = sql_standard"), "IntervalStyle"), "sql_standard")
        expect(told(wire.query("rollback"), "IntervalStyle"), "iso_8601")
        expect(told(wire.query("reset datestyle"), "DateStyle"), "Postgres, MDY")
        expect(told(wire.query("set timezone = 'asia/kathmandu'"), "TimeZone"), "Asia/Kathmandu")
        expect(told(wire.query("set time zone -3"), "TimeZone"), "<-03>+03")


@check
def dates_are_read_in_the_order_of_the_session():
    with Pg() as wire:
        ask = parse("select $1::date", "d") + SYNC
        raise_errors(wire.ask(ask))
        for order, want in (("mdy", "2003-01-02"), ("dmy", "2003-02-01"), ("ymd", "2001-02-03")):
            wire.query(f"set datestyle = iso, {order}")
            expect(first_row(wire.ask(bind([b"01/02/03"], name="d") + execute() + SYNC)), [want.encode()])
            expect(wire.rows("select '01/02/03'::text::date"), [[want]])


@check
def copy_writes_and_reads_the_styles():
    with Pg() as wire:
        raise_errors(wire.query("drop table if exists styled; create table styled (d date, t timestamptz, i interval, b bytea)"))
        wire.query("set datestyle = german; set timezone = 'Europe/Berlin'; set intervalstyle = sql_standard; set bytea_output = escape")
        line = b"03.02.2024\t03.07.2024 06:05:06.5 CEST\t-1 2:03:04\ta\\\\\\\\\\\\001\n"
        raise_errors(wire.ask(message("Q", text("copy styled from stdin")) + message("d", line) + message("c")))
        got = wire.query("copy styled to stdout")
        raise_errors(got)
        expect(b"".join(m.body for m in got if m.kind == "d"), line)
        wire.query("reset all")
        expect(wire.rows("select * from styled"), [["2024-02-03", "2024-07-03 04:05:06.5+00", "-1 days -02:03:04", "\\x615c01"]])
        wire.query("drop table styled")


@check
def an_open_portal_outlives_its_zone():
    with Pg(TimeZone="Europe/Berlin") as wire:
        wire.query("begin")
        raise_errors(wire.ask(parse("select timestamptz '2024-07-03 04:05:06+00' from generate_series(1, 4)") + bind(portal="z") + execute("z", 1) + SYNC))
        for zone, want in (("Asia/Kathmandu", b"2024-07-03 09:50:06+05:45"), ("Asia/Tokyo", b"2024-07-03 13:05:06+09"), ("UTC", b"2024-07-03 04:05:06+00")):
            raise_errors(wire.query(f"set timezone = '{zone}'"))
            expect(first_row(wire.ask(execute("z", 1) + SYNC)), [want])
        wire.query("rollback")
        expect(wire.rows("select set_config('timezone', 'Asia/Tokyo', false)"), [["Asia/Tokyo"]])
        expect(wire.rows("select timestamptz '2024-07-03 04:05:06+00'"), [["2024-07-03 13:05:06+09"]])
