-- After how many days an account (`owner`) deletes records, by kind; null: never. `server`: the days of the
-- server for texts, 0 for none: an account can only shorten them. An entry of consents proves texts, so it
-- stays at least as long as the sent texts.
create or replace function retention_periods(owner text, server double precision)
returns table (incoming double precision, outgoing double precision, files double precision, consents double precision)
language sql stable as $$
  select k.incoming, k.outgoing, k.files,
    case when k.outgoing is not null and k.consents is not null then greatest(k.consents, k.outgoing) end
  from (
    select least(nullif(s.keep_incoming, 0), nullif(server, 0)) as incoming,
      least(nullif(s.keep_outgoing, 0), nullif(server, 0)) as outgoing,
      nullif(s.keep_files, 0) as files, nullif(s.keep_consents, 0) as consents
    from (select owner) a(id) left join user_settings s on s."user" = a.id
  ) k
$$;
