-- Whether texts of an account (`owner`) may go to these numbers: the one answer for new texts (sms_judge) and
-- for those that leave (sms_claim), with every reason. Returns the reason of each number, '' for one that
-- gets the text; null if all get it.
--
--   scope   by what the send requires consent and which groups its recipients may have left, as in
--           sms_request.scope; null for neither
--   sender  sent_by of the texts, whose destinations must allow the numbers. Null for new texts: sms_may
--           refuses these as a whole
--
-- In PL/pgSQL, which keeps the plans; without force_generic_plan, Postgres would plan again for one number,
-- which takes ten times as long as the answer. See consent_stopped for enable_seqscan.
create or replace function sms_refusals(owner text, numbers text[], scope text, sender text) returns text[]
language plpgsql stable set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  terms constant json := scope::json;
  groups text[];
  unwilling text[] := '{}';
  erased text[] := '{}';
  unproved text[] := '{}';
  forbidden text[] := '{}';
  reasons jsonb;
  destinations text;
  key_destinations text;
begin
  if (terms ->> 'isHelp')::boolean is not true then
    unwilling := consent_stopped(owner, numbers);
  end if;
  if scope is not null then
    groups := array(select json_array_elements_text(terms -> 'groups'));
    unwilling := unwilling || consent_left(owner, numbers, groups);
    if (terms ->> 'isRequired')::boolean or consent_required(owner, coalesce(terms ->> 'template', ''), groups) then
      unproved := consent_missing(owner, numbers, groups);
    end if;
  end if;
  if exists (select from _stop_list p where p."user" = owner) then
    erased := person_stopped(owner, numbers);
  end if;
  if sender is not null then
    select coalesce(s.destinations, ''), coalesce(k.destinations, '') into destinations, key_destinations
    from (select) one left join user_settings s on s."user" = owner left join api_keys k on k.id = coalesce(campaign_key(owner, sender, null), sender) and k."user" = owner;
    if destinations || key_destinations <> '' then
      forbidden := array(
        select n.number from unnest(numbers) n(number)
        where not (sms_is_destination(destinations, n.number) and sms_is_destination(key_destinations, n.number))
      );
    end if;
  end if;
  if unwilling || erased || unproved || forbidden = '{}' then
    return null;
  end if;
  -- a search in four lists for each number would cost the square of the numbers. The last reason counts
  select jsonb_object_agg(r.number, r.reason order by r.place) into reasons from (
    select unnest(forbidden) as number, 'Destination not allowed' as reason, 1 as place
    union all select unnest(unproved), 'No proof of consent', 2
    union all select unnest(erased), 'Recipient is on the stop list', 3
    union all select unnest(unwilling), 'Recipient has opted out', 4
  ) r;
  return array(
    select coalesce(reasons ->> n.number, '') from unnest(numbers) with ordinality n(number, place) order by n.place
  );
end $$;
