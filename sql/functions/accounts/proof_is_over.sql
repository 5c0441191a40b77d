-- Whether a membership by a directory must be proven again. `proven_until`: of members, '' for no end.
create or replace function proof_is_over(proven_until text) returns boolean stable language sql as $$
  select proven_until <> '' and proven_until <= pb_text(now())
$$;
