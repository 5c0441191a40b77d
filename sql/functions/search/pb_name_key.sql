-- What names have in common that differ in blanks, invisible marks and wide forms alone: a hash, since a name
-- can grow. The ranges take some letters out, too: names of one key are compared by `isSpelledAlike`
-- (src/portable/fold-text.ts). The index contact_groups_name_key is by it: give the index another name after
-- a change here. A restore makes that index without a search path, so this calls Postgres's functions only.
create or replace function pb_name_key(name text) returns text language sql immutable parallel safe as $$
  select md5(regexp_replace(normalize(name, NFKC), '['
    '\u0001-\u0020\u007f-\u00a0\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680'
    '\u17b4\u17b5\u180b-\u180f\u2000-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff'
    '\U000110bd-\U000e0fff]' collate "C", '', 'g'))
$$;
