# SPDX-License-Identifier: Apache-2.0
"""What a session keeps over the wire: settings told to the client, cancel, idle time-outs, cursors that are portals, plans that go stale."""
import struct
import time

from kit import SYNC, Pg, bind, check, describe, error_of, execute, expect, kinds, message, parse, raise_errors, text


def told(messages, name):
    """Last value of a setting among ParameterStatus messages, None if it was not told."""
    found = None
    for m in messages:
        if m.kind == "S":
            key, value = m.body.split(b"\0")[:2]
            found = value.decode() if key.decode() == name else found
    return found


@check
def settings_are_told_when_they_change_and_when_that_is_undone():
    with Pg() as wire:
        expect(told(wire.query("set application_name = 'one'"), "application_name"), "one")
        expect(told(wire.query("set application_name = 'one'"), "application_name"), None)
        wire.query("begin")
        expect(told(wire.query("set application_name = 'two'"), "application_name"), "two")
        expect(told(wire.query("rollback"), "application_name"), "one")
        wire.query("begin")
        expect(told(wire.query("set local timezone = 'Asia/Kathmandu'"), "TimeZone"), "Asia/Kathmandu")
        expect(told(wire.query("commit"), "TimeZone"), "UTC")


@check
def big_numbers_in_binary_outlive_their_message():
    value = struct.pack(">hhHH", 7, 4, 0x4000, 7) + struct.pack(">7h", 1234, 5678, 9012, 3456, 7890, 1, 2000)
    with Pg() as wire:
        got = wire.ask(parse("select $1::numeric + $2", oids=[1700, 1700]) + bind([value, value], formats=[1]) + describe() + execute() + SYNC)
        raise_errors(got)
        row = [m for m in got if m.kind == "D"][0]
        expect(row.body[6:].decode(), "-24691357802469135780.0002400")


@check
def a_statement_whose_rows_changed_shape_says_so():
    with Pg() as wire:
        raise_errors(wire.query("drop table if exists shape; create table shape (a int)"))
        raise_errors(wire.ask(parse("select * from shape", "p") + SYNC))
        raise_errors(wire.query("alter table shape add column b text"))
        fields = error_of(wire.ask(bind(name="p") + execute() + SYNC))
        expect((fields["C"], fields["M"], fields["R"]), ("0A000", "cached plan must not change result type", "RevalidateCachedQuery"))
        raise_errors(wire.query("alter table shape drop column b"))
        raise_errors(wire.ask(bind(name="p") + execute() + SYNC))


@check
def a_portal_can_be_moved_in_and_a_cursor_described():
    with Pg() as wire:
        wire.query("begin")
        got = wire.ask(parse("select x from generate_series(1, 10) x") + bind(portal="w") + execute("w", 2) + SYNC)
        expect(kinds(got), "12DDsZ")
        expect([m.body for m in wire.query("move forward 3 from w") if m.kind == "C"], [b"MOVE 3\0"])
        rows = [m.body[6:] for m in wire.ask(execute("w", 1) + SYNC) if m.kind == "D"]
        expect(rows, [b"6"])
        raise_errors(wire.query("declare c cursor for select 1 as one"))
        expect(kinds(wire.ask(describe("P", "c") + SYNC)), "TZ")
        wire.query("rollback")


@check
def who_idles_in_a_transaction_for_too_long_is_sent_away():
    with Pg() as wire:
        wire.query("set idle_in_transaction_session_timeout = '300ms'")
        wire.query("begin")
        expect(error_of([wire.read()])["C"], "25P03")


@check
def other_clients_can_be_ended():
    with Pg() as one, Pg() as two:
        pid = two.rows("select pg_backend_pid()")[0][0]
        expect(one.rows(f"select pg_terminate_backend({pid})"), [["t"]])
        expect(error_of([two.read()])["C"], "57P01")


@check
def a_statement_time_out_ends_a_sleep():
    with Pg() as wire:
        wire.query("set statement_timeout = '200ms'")
        start = time.time()
        expect(error_of(wire.query("select pg_sleep(10)"))["C"], "57014")
        expect(time.time() - start < 5, True)


@check
def advisory_locks_are_seen_by_others():
    with Pg() as one, Pg() as two:
        expect(one.rows("select pg_try_advisory_lock(42)"), [["t"]])
        expect(two.rows("select pg_try_advisory_lock(42)"), [["f"]])
        expect(error_of(two.query("select pg_advisory_lock(42)"))["C"], "55P03")
        expect(one.rows("select pg_advisory_unlock(42)"), [["t"]])
        expect(two.rows("select pg_try_advisory_xact_lock(42)"), [["t"]])
        expect(one.rows("select pg_try_advisory_lock(42)"), [["t"]])


@check
def temporary_tables_are_gone_with_their_session():
    with Pg() as wire:
        raise_errors(wire.query("create temp table gone (a int)"))
        expect(wire.rows("select count(*) from gone"), [["0"]])
    with Pg() as wire:
        expect(error_of(wire.query("select * from gone"))["C"], "42P01")


@check
def temporary_views_hide_others_and_are_gone_with_their_session():
    with Pg() as wire:
        raise_errors(wire.query("drop view if exists seen; create view seen as select 'public' as place; create temp table temp_base (a int)"))
        raise_errors(wire.query("create temp view seen as select 'temporary' as place"))
        expect(wire.rows("select place from seen"), [["temporary"]])
        got = wire.query("create view reads_temp as select a from temp_base")     # it reads what goes with the session
        expect([m.fields()["M"] for m in got if m.kind == "N"], ['view "reads_temp" will be a temporary view'])
        raise_errors(wire.query("create or replace temp view seen as select 'temporary' as place, 1 as one; create view pg_temp.named as select 2 as two"))
        expect(wire.rows("select place, one, two from seen, named"), [["temporary", "1", "2"]])
        with Pg() as other:
            expect(other.rows("select place from seen"), [["public"]])
            expect(error_of(other.query("select * from reads_temp"))["C"], "42P01")
        expect(error_of(wire.query("drop table temp_base"))["C"], "2BP01")
        raise_errors(wire.query("drop view seen"))
        expect(wire.rows("select place from seen"), [["public"]])
        raise_errors(wire.query("discard temp"))
        expect(error_of(wire.query("select * from named"))["C"], "42P01")
        raise_errors(wire.query("drop role if exists temp_maker; create role temp_maker; set role temp_maker; create temp table mine (id serial, a int); "
                                "create temp view my_view as select a from mine; comment on table mine is 'x'; reset role"))
    with Pg() as wire:
        left = "select count(*) from pg_class where relname in ('named', 'reads_temp', 'mine', 'my_view', 'mine_id_seq')"
        for _ in range(100):                                                      # the session ends when its worker sees that the client is gone
            if wire.rows(left) == [["0"]]:
                break
            time.sleep(0.05)
        expect(wire.rows(left), [["0"]])
        raise_errors(wire.query("drop role temp_maker; drop view seen"))          # nothing is owned by it any more


@check
def cursors_of_a_released_savepoint_live_on():
    with Pg() as wire:
        raise_errors(wire.query("begin; savepoint a; declare kept cursor for select g from generate_series(1, 5) g; release a"))
        expect(wire.rows("fetch 1 from kept"), [["1"]])
        raise_errors(wire.query("savepoint b"))
        expect(wire.error("select 1/0")["C"], "22012")
        raise_errors(wire.query("rollback to b"))
        expect(wire.rows("fetch 2 from kept"), [["2"], ["3"]])
        raise_errors(wire.query("savepoint c; declare lost cursor for select 1; rollback to c"))
        expect(wire.error("fetch 1 from lost")["C"], "34000")
        wire.query("rollback")


@check
def cursors_that_hold_go_both_ways():
    with Pg() as wire:
        raise_errors(wire.query("declare held cursor with hold for select g from generate_series(1, 5) g"))
        expect([wire.rows(f"fetch {how} held") for how in ("3", "prior", "first", "last", "relative -1", "absolute 2")],
               [[["1"], ["2"], ["3"]], [["2"]], [["1"]], [["5"]], [["4"]], [["2"]]])
        expect(wire.rows("select is_holdable, is_scrollable from pg_cursors where name = 'held'"), [["t", "t"]])
        raise_errors(wire.query("close held; create temp table locked (a int)"))
        for sql, code in (("declare c scroll cursor for select * from locked for update", "0A000"), ("declare c cursor with hold for select * from locked for update", "0A000"),
                          ("declare c cursor for select 1 as a into x", "42601"), ("update locked set a = 1 where current of c", "0A000")):
            raise_errors(wire.query("begin"))
            expect((sql, wire.error(sql)["C"]), (sql, code))
            wire.query("rollback")
