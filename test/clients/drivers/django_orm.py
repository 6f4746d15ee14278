# SPDX-License-Identifier: Apache-2.0
"""Django's own migrations, its admin, and fields that change under keys and indexes. REQUIRES: django psycopg2-binary"""
import os

import django
from django.conf import settings

settings.configure(
    SECRET_KEY="x", USE_TZ=True, ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["django.contrib." + name for name in ("admin", "auth", "contenttypes", "sessions", "messages")],
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
                "django.contrib.messages.middleware.MessageMiddleware"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
                "OPTIONS": {"context_processors": ["django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
                                                   "django.contrib.messages.context_processors.messages"]}}],
    DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"], "USER": os.environ["PGUSER"],
                           "HOST": os.environ["PGHOST"], "PORT": os.environ["PGPORT"]}})
django.setup()

from django.contrib import admin  # noqa: E402
from django.contrib.auth.models import Group, User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import IntegrityError, connection, models, transaction  # noqa: E402
from django.db.models import Count, F, Q  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import path  # noqa: E402

urlpatterns = [path("admin/", admin.site.urls)]


class Thing(models.Model):
    code = models.CharField(max_length=5, unique=True)
    amount = models.IntegerField(db_index=True, null=True)

    class Meta:
        app_label = "drivers"


def changed(field, name):
    field.set_attributes_from_name(name)
    field.model = Thing
    return field


current = {field.name: field for field in Thing._meta.fields}


def alter(name, new):
    old, current[name] = current[name], changed(new, name)
    with connection.schema_editor() as editor:
        editor.alter_field(Thing, old, current[name], strict=False)


call_command("migrate", verbosity=0)
assert "django_session" in connection.introspection.table_names()
with connection.schema_editor() as editor:
    editor.create_model(Thing)
Thing.objects.bulk_create([Thing(code="c%d" % i, amount=i) for i in range(50)])
alter("code", models.CharField(max_length=50, unique=True))
alter("amount", models.BigIntegerField(db_index=True, null=True))
alter("amount", models.CharField(max_length=20, db_index=True, null=True))
alter("amount", models.IntegerField(default=0))
alter("id", models.AutoField(primary_key=True))
assert Thing.objects.filter(Q(code__startswith="c1") | Q(amount__gt=47)).aggregate(n=Count("id"))["n"] == 13
try:
    with transaction.atomic():
        Thing.objects.create(code="c1", amount=1)
    raise AssertionError("the key is gone")
except IntegrityError as error:
    assert "drivers_thing_code" in str(error)
with connection.schema_editor() as editor:
    editor.add_constraint(Thing, models.CheckConstraint(condition=Q(amount__gte=0), name="positive"))
try:
    with transaction.atomic():
        Thing.objects.filter(code="c3").update(amount=F("amount") - 10)
    raise AssertionError("the check is gone")
except IntegrityError as error:
    assert "positive" in str(error)
User.objects.create_superuser("root", "r@example.org", "pw")
client = Client()
assert client.login(username="root", password="pw")
for page in ("/admin/", "/admin/auth/user/?q=root&o=1", "/admin/auth/user/1/change/", "/admin/auth/user/1/history/", "/admin/auth/group/add/"):
    assert client.get(page).status_code == 200, page
assert client.post("/admin/auth/group/add/", {"name": "writers"}).status_code == 302 and Group.objects.filter(name="writers").exists()
call_command("flush", verbosity=0, interactive=False)
assert User.objects.count() == 0
