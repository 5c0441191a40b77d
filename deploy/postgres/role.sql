-- Makes the role and the database of the servers, once, when the database is new (psql runs it as the
-- superuser). The role is a plain one: it owns its database, and has no rights on files and programs of the
-- database server.
\getenv password POSTGRES_PASSWORD
create role pocketsms login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
create database pocketsms owner pocketsms;
revoke connect on database pocketsms from public;
-- without a password nobody signs in as the superuser over the network; inside of the container it needs none
alter role postgres password null;
