-- SCIM is gone, and with it directory_people, directory_groups, user_settings.directory_domains and the scope
-- members:manage. Locks these tables, api_keys and members until the migration commits, which takes
-- milliseconds. Servers of the release before use all of them, so they stop.
do $$
declare
  users constant text := '_pb_users_auth_';
  used text;
begin
  if to_regclass('directory_people') is null then
    return; -- a new database
  end if;
  lock table api_keys, members, user_settings, directory_people, directory_groups;

  -- What an installation has built on the tables is not deleted in silence.
  select string_agg(distinct c.name, ', ') into used from _collections c
  where c.id not in ('directory_people', 'directory_groups') and (
    exists (
      select from json_array_elements(c.data -> 'fields') f
      where f ->> 'collectionId' in ('directory_people', 'directory_groups')
    ) or exists (
      select from pg_depend d join pg_rewrite r on r.oid = d.objid join pg_class v on v.oid = r.ev_class
      left join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
      where d.classid = 'pg_rewrite'::regclass and v.relname = c.name
        and (d.refobjid in ('directory_people'::regclass, 'directory_groups'::regclass)
          or d.refobjid = 'user_settings'::regclass and a.attname = 'directory_domains')
    )
  );
  if used is not null then
    raise 'the collections % use directory_people, directory_groups or directory_domains, which are gone. Remove that with the version before', used;
  end if;

  -- An empty list of scopes allows sends, so keys are deleted, not changed.
  create temporary table gone_keys on commit drop as
    select id, "user" from api_keys where 'members:manage' = any(scopes);
  delete from smsgate_tokens t
    where t.api_key in (select id from gone_keys) or 'members:manage' = any(t.scopes);
  delete from api_keys where id in (select id from gone_keys);
  insert into account_audit (id, "user", action, collection, record, fields, created)
    select pb_new_id(), "user", 'delete', 'api_keys', id, '[]', pb_text(now()) from gone_keys;

  -- Only the directory could have withdrawn its invitations.
  delete from member_invitations i using directory_people p
    where p."user" = i.account and p.person = '' and p.email <> '' and lower(p.email) = lower(i.email);

  -- A member who signs in by a provider whose claims give roles in the account must prove that within a day,
  -- as all members of the provider. All others stay, without an end, until the account decides.
  create temporary table handed on commit drop as
    select m.id, m.account, (
      select r.provider from directory_roles r
      join "_externalAuths" e on e.provider = r.provider and e."collectionRef" = users and e."recordRef" = m.member
      join _collections c on c.id = users
      where r."user" = m.account and (c.data -> 'oauth2' ->> 'enabled')::boolean and exists (
        select from json_array_elements(c.data -> 'oauth2' -> 'providers') p where p ->> 'name' = r.provider
      )
      order by r._rowid limit 1
    ) as provider
    from members m where m.directory = 'scim';
  update members m set
    directory = coalesce(h.provider, 'former'),
    proven_until = case when h.provider is null then '' else pb_text(now() + interval '1 day') end
  from handed h where h.id = m.id;
  insert into account_audit (id, "user", sender, action, collection, record, fields, created)
    select pb_new_id(), account, id, 'update', 'members', id, '["directory"]', pb_text(now()) from handed;
  insert into _jobs (kind, holder, key, due_at)
    select 'directory_proof', account, id, now() + interval '1 day' from handed where provider is not null
    on conflict (kind, key) do update set due_at = excluded.due_at;
  insert into _jobs (kind, holder, key)
    select distinct 'former_members_mail', account, account from handed where provider is null;

  drop table directory_people, directory_groups;
  delete from _collections where id in ('directory_people', 'directory_groups');
  alter table user_settings drop column directory_domains;

  -- The stored definitions keep the order of their keys.
  update _collections c set data = (
    select json_object_agg(o.key, case when o.key <> 'fields' then o.value else (
      select json_agg(
        case when c.id = 'api_keys' and f.value ->> 'name' = 'scopes' then (
          select json_object_agg(k.key, case k.key
            when 'values' then (
              select json_agg(v.value order by v.ordinality)
              from json_array_elements_text(k.value) with ordinality v where v.value <> 'members:manage'
            )
            when 'maxSelect' then to_json(least(k.value::text::int, (
              select count(*)::int from json_array_elements_text(f.value -> 'values') v(value)
              where v.value <> 'members:manage'
            )))
            else k.value end order by k.ordinality)
          from pg_catalog.json_each(f.value) with ordinality k
        ) else f.value end order by f.ordinality)
      from json_array_elements(o.value) with ordinality f
      where not (c.id = 'user_settings' and f.value ->> 'name' = 'directory_domains')
    ) end order by o.ordinality)
    from pg_catalog.json_each(c.data) with ordinality o
  ) where c.id in ('api_keys', 'user_settings');
end $$;
update _schema set oldest = 21;
