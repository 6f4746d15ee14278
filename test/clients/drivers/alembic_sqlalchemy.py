# SPDX-License-Identifier: Apache-2.0
"""Alembic: a schema made from classes is found again without differences, and altered under its keys. REQUIRES: sqlalchemy alembic psycopg2-binary"""
import datetime
import os

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import (BigInteger, Boolean, CheckConstraint, Column, DateTime, ForeignKey, Identity, Index, Integer, Numeric, String, Text, UniqueConstraint, create_engine, func,
                        inspect, text, true)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TIMESTAMP
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Session, mapped_column

engine = create_engine("postgresql+psycopg2://{PGUSER}@{PGHOST}:{PGPORT}/{PGDATABASE}".format(**os.environ))


class Base(DeclarativeBase):
    pass


class Account(Base):
    __tablename__ = "account"
    id = mapped_column(Integer, primary_key=True)
    name = mapped_column(String(50), unique=True, comment="the name")
    balance = mapped_column(Numeric(10, 2), server_default="0", nullable=False)
    active = mapped_column(Boolean, server_default=true())
    made = mapped_column(DateTime(timezone=True), server_default=func.now())
    exact = mapped_column(TIMESTAMP(precision=3))
    data = mapped_column(JSONB, server_default="{}")
    marks = mapped_column(ARRAY(Integer), server_default="{}")
    __table_args__ = (CheckConstraint("balance >= 0", name="positive"), Index("account_lower", func.lower(name)))


class Entry(Base):
    __tablename__ = "entry"
    id = mapped_column(BigInteger, Identity(), primary_key=True)
    account_id = mapped_column(ForeignKey("account.id", name="entry_account"), nullable=False)
    title = mapped_column(Text, server_default="x")
    __table_args__ = (UniqueConstraint("account_id", "title", name="entry_once"),)


def differences(connection):
    return compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True}), Base.metadata)


Base.metadata.create_all(engine)
with Session(engine) as session:
    session.add_all([Account(name="a%d" % i) for i in range(20)])
    session.flush()
    session.add_all([Entry(account_id=1, title="t%d" % i) for i in range(20)])
    session.commit()
with engine.connect() as connection:
    assert differences(connection) == [], differences(connection)
    found = {column["name"]: column for column in inspect(connection).get_columns("account")}
    assert found["data"]["default"] == "'{}'::jsonb" and found["marks"]["default"] == "'{}'::integer[]", found
    assert found["exact"]["type"].precision == 3 and found["name"]["comment"] == "the name"
    operations = Operations(MigrationContext.configure(connection))
    operations.alter_column("account", "id", type_=BigInteger())
    operations.alter_column("account", "name", type_=Text())
    operations.alter_column("entry", "account_id", type_=BigInteger())
    operations.add_column("account", Column("born", String(20), server_default="2024-01-01"))
    operations.alter_column("account", "born", server_default=None)
    operations.alter_column("account", "born", type_=DateTime(), postgresql_using="born::timestamp")
    operations.create_index("account_born", "account", ["born"])
    operations.alter_column("account", "born", new_column_name="birth")
    connection.commit()
    assert connection.execute(text("SELECT max(birth) FROM account")).scalar() == datetime.datetime(2024, 1, 1)
    for statement, name in (("INSERT INTO account (name) VALUES ('a1')", "account_name_key"), ("INSERT INTO entry (account_id) VALUES (99)", "entry_account"),
                            ("UPDATE account SET balance = -1", "positive")):
        try:
            connection.execute(text(statement))
            raise AssertionError(name)
        except IntegrityError as error:
            assert error.orig.diag.constraint_name == name
        connection.rollback()
Base.metadata.drop_all(engine)
