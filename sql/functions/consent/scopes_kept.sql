-- Trigger of sms_templates and contact_groups: a template or group that requires consent was deleted. The
-- texts that were sent by it still require consent (sms_request.scope), those that wait and those that are
-- sent again. So do campaigns: one that repeats finds its recipients anew for each run.
create or replace function scopes_kept() returns trigger
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  refs text[];
begin
  -- campaigns before their texts, in the order in which the deletion takes the reference out of them
  update campaigns c set requires_consent = true
  where c.id = any (array(
    select k.id from campaigns k
    where k."user" = old."user" and not k.requires_consent and (k.template = old.id or old.id = any (k.groups))
    order by k.id for update
  ));
  with kept as (
    update sms_origins o set data = jsonb_set(o.data::jsonb, '{consent,isRequired}', 'true')::json
    where o."user" = old."user" and (
      o.data -> 'consent' ->> 'template' = old.id or (o.data -> 'consent' -> 'groups')::jsonb ? old.id
    )
    returning o.ref
  )
  select array_agg(k.ref) into refs from kept k;
  refs := refs || array(select m.id from sms_messages m where m.batch_id = any (refs) and m.batch_id <> '');
  update sms_dispatch d set scope = jsonb_set(d.scope::jsonb, '{isRequired}', 'true')::json
  where d.scope is not null and d.message = any (array(
    select q.message from sms_dispatch q where q.message = any (refs) order by q.message for update
  ));
  return null;
end $$;
