-- Groups of an account by what the spellings of a name have in common.
create index contact_groups_name_key on contact_groups ("user", pb_name_key(name));
