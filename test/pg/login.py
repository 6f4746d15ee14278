# SPDX-License-Identifier: Apache-2.0
"""What a role brings along: may it log in, how often, and the settings that are kept for it and for the database."""
import contextlib
import time

from kit import Pg, check, expect, raise_errors, refusal, startup_packet


@contextlib.contextmanager
def roles(*statements):
    """Roles and settings that are gone behind the block."""
    with Pg() as wire:
        for sql in statements:
            raise_errors(wire.query(sql))
        try:
            yield wire
        finally:
            for sql in ("alter database basalt reset all", "alter role all reset all", "drop role if exists l_one", "drop role if exists l_group"):
                raise_errors(wire.query(sql))


def refused(user):
    fields = refusal(startup_packet(user=user, database="basalt"))
    return fields["S"], fields["C"], fields["M"]


def shown(wire, name):
    return wire.rows(f"show {name}")[0][0]


@check
def who_may_not_log_in():
    with roles("create role l_one", "create user l_group valid until '2020-01-01'"):
        expect(refused("l_one"), ("FATAL", "28000", 'role "l_one" is not permitted to log in'))
        expect(refused("l_nobody"), ("FATAL", "28000", 'role "l_nobody" does not exist'))
        with Pg(user="l_group"):    # the time limit is of the password, and nobody asks for one here
            pass


def when_left(wire, role):
    """The server has seen that the role's clients are gone: they only close their sockets."""
    for _ in range(200):
        if wire.rows(f"select count(*) from pg_stat_activity where usename = '{role}'") == [["0"]]:
            return
        time.sleep(0.02)
    raise AssertionError(f"clients of {role} are still there")


@check
def connections_of_a_role_are_limited():
    with roles("create user l_one connection limit 2", "create user l_group connection limit 0") as wire:
        with Pg(user="l_one"), Pg(user="l_one"):
            expect(refused("l_one"), ("FATAL", "53300", 'too many connections for role "l_one"'))
        when_left(wire, "l_one")
        raise_errors(wire.query("alter role l_one connection limit 1"))
        with Pg(user="l_one"):
            expect(refused("l_one")[1], "53300")
        when_left(wire, "l_one")
        with Pg(user="l_one"):
            pass
        expect(refused("l_group")[1], "53300")
        raise_errors(wire.query("alter role l_group superuser"))    # superusers are not counted
        with Pg(user="l_group"), Pg(user="l_group"):
            pass


@check
def the_database_can_be_closed_to_a_role():
    with roles("create user l_one", "revoke connect on database basalt from public") as wire:
        try:
            expect(refused("l_one")[1:], ("42501", 'permission denied for database "basalt"'))
        finally:
            raise_errors(wire.query("grant connect on database basalt to public"))
        with Pg(user="l_one"):
            pass


@check
def settings_that_are_kept_hold_from_the_start():
    with roles("create user l_one", "alter role all set work_mem = '5MB'") as wire:
        for scope, value in (("role all", "5MB"), ("database basalt", "6MB"), ("role l_one", "7MB"), ("role l_one in database basalt", "8MB")):
            raise_errors(wire.query(f"alter {scope} set work_mem = '{value}'"))
            with Pg(user="l_one") as mine:
                expect(shown(mine, "work_mem"), value)
        with Pg() as other:
            expect(shown(other, "work_mem"), "6MB")
            expect(shown(wire, "work_mem"), "4MB")      # sessions that are there keep what they have
        with Pg(user="l_one", work_mem="9MB") as mine:  # the client has the last word
            expect(shown(mine, "work_mem"), "9MB")
            mine.query("set work_mem = '1MB'")
            mine.query("reset work_mem")
            expect(shown(mine, "work_mem"), "9MB")
        raise_errors(wire.query("alter role l_one in database basalt reset all; alter role l_one reset work_mem"))
        with Pg(user="l_one") as mine:
            expect(shown(mine, "work_mem"), "6MB")
            mine.query("set work_mem = '1MB'")
            mine.query("reset all")
            expect(shown(mine, "work_mem"), "6MB")


@check
def kept_settings_do_something_and_are_told():
    with roles("create user l_one", "create schema if not exists l_path", "create table if not exists l_path.found (a int)", "grant usage on schema l_path to l_one",
               "grant select on l_path.found to l_one", "alter role l_one set search_path = l_path, public", "alter role l_one set timezone = 'Asia/Kathmandu'",
               "alter role l_one set my.own = 'x, y'", "alter role l_one set default_transaction_read_only = on") as wire:
        with Pg(user="l_one") as mine:
            expect(mine.status["TimeZone"], "Asia/Kathmandu")
            expect(mine.rows("select count(*) from found"), [["0"]])
            expect((shown(mine, "my.own"), shown(mine, "search_path")), ("x, y", "l_path, public"))
            expect(mine.error("create temp table t (a int); insert into found values (1)")["C"], "25006")
            mine.query("set my.own = 'z'")
            mine.query("reset my.own")
            expect(shown(mine, "my.own"), "x, y")
        raise_errors(wire.query("drop owned by l_one; drop schema l_path cascade"))


@check
def a_kept_setting_that_cannot_be_set_is_a_warning():
    with roles("create role l_group", "create user l_one in role l_group", "alter role l_one set role = l_group") as wire:
        with Pg(user="l_one") as mine:
            expect(mine.rows("select current_user, session_user"), [["l_group", "l_one"]])
        raise_errors(wire.query("revoke l_group from l_one"))
        with Pg(start=False) as mine:
            got = mine.send(startup_packet(user="l_one", database="basalt")).until("Z")
            expect([(m.fields()["S"], m.fields()["C"]) for m in got if m.kind == "N"], [("WARNING", "42501")])
            expect(mine.rows("select current_user"), [["l_one"]])


@check
def others_may_neither_be_disturbed_nor_read():
    """A role ends and cancels clients of roles whose privileges it holds, and sees what they do; of others it hears that they are there."""
    with roles("create role l_low login", "create role l_peer login"), Pg() as boss, Pg(user="l_low") as low, Pg(user="l_low") as twin, Pg(user="l_peer") as peer:
        boss.query("select 'l_secret'")
        for other in (boss, peer):
            for function in ("pg_terminate_backend", "pg_cancel_backend"):
                expect(low.error(f"select {function}({other.key[0]})")["C"], "42501")
            expect(low.rows(f"select query, state, query_start from pg_stat_activity where pid = {other.key[0]}"), [["<insufficient privilege>", None, None]])
        expect(boss.rows(f"select state from pg_stat_activity where pid = {peer.key[0]}"), [["idle"]])
        expect(low.rows(f"select state from pg_stat_activity where pid = {twin.key[0]}"), [["idle"]])
        expect(low.rows("select pg_cancel_backend(2147483647)"), [["f"]])
        expect(low.rows(f"select pg_terminate_backend({twin.key[0]})"), [["t"]])
        expect(twin.read().fields()["C"], "57P01")
        expect(boss.rows(f"select pg_terminate_backend({peer.key[0]})"), [["t"]])
