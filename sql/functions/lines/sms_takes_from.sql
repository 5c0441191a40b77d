-- The lowest priority of the texts that another device than `not_by` takes now from a user: carriers may take
-- only texts of a high priority. Null if no device takes a text.
create or replace function sms_takes_from(owner text, since text, not_by text) returns float8
language sql stable as $$
  select min(case l.rank when 0 then '-infinity' else nullif(s.failover_priority, 0) end)
  from sms_ranked_lines(owner, since) l left join user_settings s on s."user" = owner and l.rank = 2
  where l.rank in (0, 2) and l.is_free and l.device <> not_by
$$;
