-- Stores what sms_assign has given to the lines of a user: texts, recipients, costs and turns. When a text
-- did not fit into a budget for the first time in a month, queues a mail to the owner.
create or replace function sms_charge_lines(owner text, at timestamptz, lines anyarray) returns void
language plpgsql as $$
#variable_conflict use_column
declare
  used sms_line_state;
begin
  foreach used in array coalesce(lines, '{}') loop
    if used.day_more > 0 or used.has_turned then
      insert into line_use as u (line, day, day_texts, month, month_texts, recipients, turn)
      values (used.id, used.day, used.day_more, left(used.day, 7), used.day_more, used.recipients_more, used.turn)
      on conflict on constraint line_use_pkey do update set
        day = used.day, day_texts = case when u.day = used.day then u.day_texts else 0 end + used.day_more,
        month = left(used.day, 7),
        month_texts = case when u.month = left(used.day, 7) then u.month_texts else 0 end + used.day_more,
        recipients = case when u.month = left(used.day, 7) then u.recipients else 0 end + used.recipients_more,
        turn = used.turn;
    end if;
    if used.prices is not null and (used.day_more > 0 or used.has_stopped) then
      insert into line_costs as c (line, month, "user", texts, cost, stopped_at)
      values (used.id, left(used.day, 7), owner, used.day_more, used.cost_more, case when used.has_stopped then at end)
      on conflict on constraint line_costs_pkey do update set texts = c.texts + excluded.texts,
        cost = c.cost + excluded.cost, stopped_at = coalesce(c.stopped_at, excluded.stopped_at);
    end if;
    if used.has_stopped and not used.is_told then
      insert into _jobs (kind, holder, key, payload)
      select 'alarm_mail', owner, gen_random_uuid(), json_build_array(json_build_object(
        'name', coalesce(nullif(l.label, ''), alarms_name(d.name, d.phone, d.id)), 'waiting', 0, 'budget', concat_ws(
          ' ', l.monthly_budget, (select nullif(s.currency, '') from user_settings s where s."user" = owner))))
      from lines l join devices d on d.id = l.device where l.id = used.id;
    end if;
  end loop;
end $$;
