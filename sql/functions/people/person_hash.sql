-- The salted hash of a number for one account (`owner`). Equal numbers of two accounts have different hashes.
create or replace function person_hash(owner text, number text) returns text
language sql stable as $$
  select encode(sha256(convert_to(
    (select p.value::text from _params p where p.key = 'personSalt') || owner || ' ' || person_hash.number, 'UTF8'
  )), 'hex')
$$;
