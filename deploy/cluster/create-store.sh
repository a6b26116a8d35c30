#!/bin/sh
# Makes the role and the database of the store. Patroni runs it once, on the first primary, with the superuser's
# connection string; KASIA_PASSWORD is the new role's password.
set -eu

psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --set password="$KASIA_PASSWORD" --dbname "$1" <<'END'
create role kasia login password :'password';
grant pg_read_all_stats to kasia;
create database kasia owner kasia encoding 'UTF8' template template0;
END
