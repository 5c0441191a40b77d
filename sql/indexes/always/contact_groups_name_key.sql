-- Groups of an account whose name may be the same as a new one: with thousands of groups, reading all names
-- took twenty times as long as the rest of a create.
create index contact_groups_name_key on contact_groups ("user", pb_name_key(name));
