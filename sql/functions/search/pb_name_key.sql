-- The same for all spellings of a name: characters or parts of them, wide forms, any blanks, invisible marks.
-- Case and accents count. A hash, since a name can be long. The index contact_groups_name_key is by it: give
-- the index another name after a change here. A restore makes that index without a search path, so this
-- calls functions of Postgres only.
create or replace function pb_name_key(name text) returns text language sql immutable parallel safe as $$
  select md5(btrim(regexp_replace(regexp_replace(normalize(name, NFKC), '['
    '\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f'
    '\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd'
    '\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff'
    ']' collate "C", '', 'g'), '[\s\u1680\u2028\u2029\u2800]+' collate "C", ' ', 'g')))
$$;
