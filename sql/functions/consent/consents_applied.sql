-- Trigger of consents: an entry changes the present state of its number, in consent_states, and the contact.
-- The states, for a group or, without one, for a purpose:
--   stopped  the person wants no texts
--   given    there is proof: the person texted it, or the entry has the text that the person agreed to
--   asked    the group asks for a confirmation (join_confirm), or the server has asked for one: it sets
--            pocketsms.asks to 'yes'. The person has not confirmed yet. Anybody can cause a question, so it
--            leaves `stopped` as it is, and only sets `until` (see consent_question)
--   claimed  an entry without proof, such as an import without the text that people agreed to
--
-- A statement that is late changes nothing: one that is older than a stop (consent_is_late), an import after
-- a stop, whatever its date, and an imported opt-out that is older than a consent. Other opt-outs count from
-- their arrival. A date in the future counts as the present. A STOP that a phone received before the present
-- stop, and reported after it, leaves it as it is: what came between the two ends nothing.
--
-- An opt-out for all purposes stops every state of the number, and opts the contact out. An opt-in for all
-- purposes, and every text by which a person joins a group, opt the contact in again. With a given consent
-- the contact joins the group, and with an opt-out it leaves it. Contacts are created if they are missing.
--
-- A new consent with proof takes the number of an erased person off the stop list. So does a text by which a
-- person joins a group: the person must get the question. A text that a phone received before the erasure
-- takes nobody off, whenever it arrives.
--
-- An entry `undone` takes back the last opt-out from all texts (consent_undone). For it, a state keeps what
-- an opt-out has changed, in `previous`.
--
-- An entry that the trigger of contacts adds (contacts_consented) changes no contact: it has changed already.
create or replace function consents_applied() returns trigger language plpgsql as $$
declare
  is_proof constant boolean := new.source in ('keyword', 'reply') or new.shown <> '';
  is_all constant boolean := new."group" = '' and new.purpose = 'all';
  is_import constant boolean := new.event = 'imported' or new.source = 'import'
    or coalesce(nullif(current_setting('pocketsms.consent', true), '')::json ->> 'source', '') = 'import';
  at constant text := pb_text(clock_timestamp());
  -- the purpose of the state
  aim constant text := case new."group" when '' then new.purpose else '' end;
  stated constant text := case when new.event = 'opt_out' and not is_import then new.created
    else least(nullif(new.given_at, ''), new.created, at) end;
  is_older boolean;
  out_now boolean;
  joins boolean;
  leaves boolean;
  result text;
begin
  -- contacts before states, as an update of a contact locks them
  perform from contacts c where c."user" = new."user" and c.phone = new.number for update;
  if new.event = 'undone' then
    perform consent_undone(new."user", new.number);
    return null;
  end if;
  if new.event = 'opt_out' then
    if is_import and exists (
      select from consent_states s
      where s."user" = new."user" and s.number = new.number and s."group" = new."group" and s.purpose = aim
        and s.state = 'given' and s.since > stated
    ) then
      return null;
    end if;
  elsif consent_is_late(
    new."user", new.number, new."group", aim,
    case when new.source in ('keyword', 'reply') and not is_import then new.message else '' end,
    case when is_import then '0' else new.given_at end
  ) then
    return null;
  end if;
  is_older := new.event = 'opt_out' and new.source = 'keyword' and new.message <> ''
    and consent_is_late(new."user", new.number, new."group", aim, new.message, '');
  result := case
    when new.event = 'opt_out' then 'stopped'
    when not is_proof then 'claimed'
    when new.event = 'opt_in' and (current_setting('pocketsms.asks', true) = 'yes'
      or exists (select from contact_groups g where g.id = new."group" and g.join_confirm))
      then 'asked'
    else 'given'
  end;
  with written as (
    insert into consent_states as s (id, "user", number, "group", purpose, state, since, until, entry, created, updated)
    values (
      pb_new_id(), new."user", new.number, new."group", aim, result, stated,
      case result when 'asked' then pb_text(clock_timestamp() + interval '2 days') else '' end, new.id, at, at
    )
    on conflict ("user", number, "group", purpose) do update set
      until = excluded.until, updated = excluded.updated,
      state = case when s.state = 'stopped' and excluded.state = 'asked' then s.state else excluded.state end,
      since = case when s.state = 'stopped' and (excluded.state = 'asked' or is_older)
        then s.since else excluded.since end,
      entry = case when s.state = 'stopped' and (excluded.state = 'asked' or is_older)
        then s.entry else excluded.entry end,
      previous = case when excluded.state = 'stopped' and not (s.state = 'stopped' and is_older)
        then json_build_object('state', s.state, 'since', s.since, 'until', s.until, 'entry', s.entry)
        else s.previous end
    -- an older statement that is entered later does not undo a newer one
    where (new.given_at = '' or new.event = 'opt_out' or excluded.since >= s.since or s.state in ('asked', 'claimed'))
      and not (s.state = 'given' and excluded.state in ('asked', 'claimed'))
      and not (s.state = 'asked' and excluded.state = 'claimed')
    returning id, xmax = 0 as is_new
  ), stopped as (
    update consent_states s set state = 'stopped', until = '', updated = at,
      since = case s.state when 'stopped' then s.since else new.created end,
      entry = case s.state when 'stopped' then s.entry else new.id end,
      previous = case s.state when 'stopped' then s.previous
        else json_build_object('state', s.state, 'since', s.since, 'until', s.until, 'entry', s.entry) end
    where is_all and new.event = 'opt_out' and s."user" = new."user" and s.number = new.number
      and (s."group" <> '' or s.purpose <> 'all') and (s.state <> 'stopped' or s.until <> '')
      and (s.since <= stated or not is_import)
    returning id
  )
  insert into _changes (collection, action, record)
  select 'consent_states', case when c.is_new then 'create' else 'update' end, c.id
  from (select * from written union all select id, false from stopped) c
  where exists (select from _listeners where 'consent_states' <> all (ignored));

  -- a person who was erased and has agreed again gets texts again. An import is older than it seems
  if not is_import and (result = 'given' or result = 'asked' and new.source = 'keyword') then
    delete from _stop_list s
    where s."user" = new."user" and s.hash = person_hash(new."user", new.number)
      and pb_text(s.created) < least(stated, (
        select nullif(m.delivered_at, '') from sms_messages m
        where m.id = new.message and new.source in ('keyword', 'reply')
      ));
  end if;

  if pg_trigger_depth() > 1 then
    return null;
  end if;
  out_now := case
    when is_all and new.event = 'opt_out' then true
    when new.event = 'confirmed' or new.event = 'opt_in' and (is_all or new.source in ('keyword', 'reply'))
      then case when is_all or is_proof then false end
  end;
  if out_now is null and new."group" = '' then
    return null;
  end if;
  -- the contact follows a change of the state: an older consent does not bring it back into the group
  perform from consent_states s where s.entry = new.id and s."user" = new."user" and s.number = new.number;
  joins := found and result = 'given' and new."group" <> '';
  leaves := found and result = 'stopped' and new."group" <> '';
  with written as (
    insert into contacts as c (id, "user", phone, opted_out, groups, created, updated)
    select pb_new_id(), new."user", new.number, coalesce(out_now, false),
      case when joins then array[new."group"] else '{}' end, at, at
    where out_now or joins or exists (select from contacts k where k."user" = new."user" and k.phone = new.number)
    on conflict ("user", phone) do update set
      opted_out = coalesce(out_now, c.opted_out),
      groups = case
        when leaves then array_remove(c.groups, new."group")
        when joins and not c.groups @> array[new."group"] then c.groups || new."group"
        else c.groups
      end, updated = excluded.updated
    where c.opted_out <> out_now or joins and not c.groups @> array[new."group"] or leaves and c.groups @> array[new."group"]
    returning id, xmax = 0 as is_new
  )
  insert into _changes (collection, action, record)
  select 'contacts', case when is_new then 'create' else 'update' end, id from written
  where exists (select from _listeners where 'contacts' <> all (ignored));
  return null;
end $$;
