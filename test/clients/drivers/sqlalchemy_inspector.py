# SPDX-License-Identifier: Apache-2.0
"""SQLAlchemy's inspector: types of other schemas, domains with their checks, keys to the table itself, indexes of expressions, and the schema made again
from what it found. REQUIRES: sqlalchemy psycopg2-binary"""
import os

from sqlalchemy import MetaData, create_engine, inspect, text
from sqlalchemy.dialects.postgresql import DOMAIN, ENUM
from sqlalchemy.engine.reflection import ObjectKind

engine = create_engine("postgresql+psycopg2://{PGUSER}@{PGHOST}:{PGPORT}/{PGDATABASE}".format(**os.environ))
SCHEMA = """CREATE SCHEMA shop;
CREATE TYPE shop.mood AS ENUM ('sad', 'ok');
CREATE DOMAIN shop.positive AS numeric(12,2) CHECK (VALUE > 0);
CREATE DOMAIN shop.email AS varchar(100) NOT NULL DEFAULT 'x@y' CHECK (VALUE LIKE '%%@%%');
CREATE TABLE shop.person (id int GENERATED ALWAYS AS IDENTITY (START 100) PRIMARY KEY, boss int REFERENCES shop.person (id) ON DELETE SET NULL, mood shop.mood DEFAULT 'ok',
    moods shop.mood[], pay shop.positive, mail shop.email, tags text[], UNIQUE (boss, mood));
CREATE INDEX ON shop.person ((boss * 2), lower(mail)) WHERE boss IS NULL;
CREATE VIEW shop.paid AS SELECT id, pay FROM shop.person WHERE pay > 1;
COMMENT ON COLUMN shop.person.pay IS 'a year';"""

with engine.begin() as connection:
    for statement in SCHEMA.split(";\n"):
        connection.exec_driver_sql(statement)
inspector = inspect(engine)
columns = {column["name"]: column for column in inspector.get_columns("person", schema="shop")}
assert isinstance(columns["mood"]["type"], ENUM) and columns["mood"]["type"].enums == ["sad", "ok"], columns["mood"]
assert isinstance(columns["moods"]["type"].item_type, ENUM), columns["moods"]
assert isinstance(columns["pay"]["type"], DOMAIN) and columns["pay"]["comment"] == "a year", columns["pay"]
assert columns["id"]["identity"]["start"] == 100 and columns["id"]["identity"]["always"], columns["id"]
assert inspector.get_enums() == [] and [enum["name"] for enum in inspector.get_enums(schema="shop")] == ["mood"]
assert [key["referred_schema"] for key in inspector.get_foreign_keys("person", schema="shop")] == ["shop"]
domains = {domain["name"]: domain["constraints"][0]["check"] for domain in inspector.get_domains(schema="shop")}
assert domains == {"positive": "VALUE > 0::numeric", "email": "VALUE::text ~~ '%@%'::text"}, domains
indexes = {index["name"]: index for index in inspector.get_indexes("person", schema="shop")}
assert indexes["person_expr_lower_idx"]["expressions"] == ["(boss * 2)", "lower(mail::text)"], indexes
assert set(inspector.get_multi_columns(schema="shop", kind=ObjectKind.ANY)) == {("shop", "person"), ("shop", "paid")}

found = MetaData()
found.reflect(engine, schema="shop")
with engine.begin() as connection:
    connection.execute(text("DROP VIEW shop.paid"))
    found.drop_all(connection)
    found.create_all(connection)
again = {column["name"]: repr(column["type"]) for column in inspect(engine).get_columns("person", schema="shop")}
assert again == {name: repr(column["type"]) for name, column in columns.items()}, again
print("reflected, dropped and made again")
