-- Assigns the unassigned conversations of an account with these phone numbers to its owner and members in
-- turn, if its settings say so: first to the person whose last assignment is the oldest. The lock on the
-- settings makes one assignment run at a time; the statement after it sees the assignments that it waited
-- for.
create or replace function conversations_assign(of_user text, numbers text[]) returns void language plpgsql as $$
begin
  perform from user_settings s where s."user" = of_user and s.assign = 'turns' for update;
  if not found then
    return;
  end if;
  with people as (
    select p.id, row_number() over (order by p.last nulls first, p.id) - 1 as place, count(*) over () as number
    from (
      select p.id, (
        select max(c.assigned_at) from conversations c
        where c."user" = of_user and c.assignee = p.id and c.assignee <> ''
      ) as last
      from (
        select of_user as id union all
        select m.id from members m
        where m.account = of_user and m.role in ('admin', 'agent') and not exists (
          select from user_settings s where s."user" = m.member and s.disabled)
      ) p
    ) p
  ), free as (
    select c.id, row_number() over (order by c.number collate "C") - 1 as turn from conversations c
    where c."user" = of_user and c.number = any(numbers) and c.unanswered and c.assignee = ''
  ), written as (
    update conversations c set assignee = p.id,
      assigned_at = pb_text(clock_timestamp() + f.turn * interval '1 millisecond')
    from free f join people p on p.place = f.turn % p.number
    where c.id = f.id returning c.id
  )
  insert into _changes (collection, action, record) select 'conversations', 'update', w.id from written w
  where exists (select from _listeners where 'conversations' <> all (ignored));
end $$;
