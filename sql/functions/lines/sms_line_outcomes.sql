-- Counts the outcomes of texts that a line (SIM) has sent, in the order of their reports: `has_sent` if one
-- was sent, then `failed` failures in a row. After five in a row the line is failing: for an hour, others
-- are preferred. A text that was sent ends that.
create or replace function sms_line_outcomes(line_id text, has_sent boolean, failed int) returns void
language plpgsql as $$
declare
  in_a_row int;
  changed text;
begin
  if has_sent then
    update line_use u set failures = 0 where u.line = line_id and u.failures > 0;
    update lines l set failing_since = '', updated = pb_text(now()) where l.id = line_id and l.failing_since <> ''
    returning l.id into changed;
  end if;
  if failed > 0 then
    insert into line_use as u (line, failures) select l.id, failed from lines l where l.id = line_id
    on conflict (line) do update set failures = u.failures + excluded.failures
    returning u.failures into in_a_row;
    if in_a_row >= 5 then
      update lines l set failing_since = pb_text(now()), updated = pb_text(now())
      where l.id = line_id and not sms_is_failing(l.failing_since)
      returning l.id into changed;
    end if;
  end if;
  if changed is not null then
    perform sms_lines_changed('update', array[changed]);
  end if;
end $$;
