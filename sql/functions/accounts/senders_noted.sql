-- Trigger of users, members, api_keys, campaigns, auto_answers and hooks: keeps a row in senders for each
-- that can send. The row stays when its source is deleted, because messages name it. The argument is the kind
-- of sender. Clients may choose the id of a new record: an id that another sender has is refused.
create or replace function senders_noted() returns trigger language plpgsql as $$
declare
  account text;
  label text;
begin
  if tg_argv[0] = 'owner' then
    account := new.id;
    label := user_label(new.name, new.email);
    update senders set name = label where id in (select id from members where member = new.id);
  elsif tg_argv[0] = 'member' then
    account := new.account;
    select user_label(name, email) into label from users where id = new.member;
  else
    account := new."user";
    label := new.name;
  end if;
  insert into senders (id, "user", kind, name) values (new.id, account, tg_argv[0], coalesce(label, ''))
  on conflict (id) do update set name = excluded.name
  where senders."user" = excluded."user" and senders.kind = excluded.kind;
  if not found and tg_op = 'INSERT' then
    raise unique_violation using message = 'another sender has this id';
  end if;
  return null;
end $$;
