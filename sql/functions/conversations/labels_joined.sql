-- The labels `own`, then those of `other` that are not among them: at most 20, as the fields hold.
create or replace function labels_joined(own text[], other text[]) returns text[] language sql immutable as $$
  select array(
    select u.label from unnest(own || other) with ordinality u(label, place)
    group by u.label order by min(u.place) limit 20
  )
$$;
