-- Decides on send requests of one user, in their order. Changes nothing. The caller is sms_accept, which has
-- locked the user's row of sms_turns.
--
-- Parameters
--   owner     id of the user
--   since     a pb_date: devices that were last seen at or after it count as online
--   account   what sms_accept has read of the user
--   requests  array of sms_request
-- Results
--   outcomes  one element per request:
--               accepted
--               tried             the request is a trial, and would be accepted
--               stale             the user or the API key has changed since the request was checked
--               replayed          the idempotency key already has an answer, or gets one in this call
--               known             a message with this client_ref exists; `known` has its id
--               again             an earlier request of this call has the same client_ref: retry this one
--               message_id_in_use an earlier message of the user by the same API has this id
--               recipient_refused the only recipient of a text of Twilio's API gets no texts
--               destination_not_allowed, device_not_found, line_not_found, line_ambiguous,
--               line_not_allowed, mms_not_supported, quota_exceeded, no_devices
--   known     one element per request: id of the existing message, else ''
--   accepted  the accepted requests, with the device and line that they name, the lines of the API key, their
--             scope, and why some of their messages fail. Those of a campaign have no messages to people on
--             the stop list
--   spent     how many messages they cost
--   is_special
--             sms_assign must choose the lines: a line has limits, prices or prefixes, or a request or its
--             API key names lines
--
-- Lookups that few requests need (API key, idempotency key, client_ref, device) run only for those requests.
-- In a group of 64 plain requests by an API key a request takes 5 µs.
create or replace function sms_judge(
  owner text, since text, account record, requests anyarray,
  out outcomes text[], out known text[], out accepted anyarray, out spent float8, out is_special boolean
) language plpgsql stable as $$
declare
  request sms_request;
  outcome text;
  cost int;
  -- the sender of the request and its bounds: see sms_limits_of
  sender text;
  bounds record;
  is_campaign boolean;
  -- how many recipients the earlier requests have
  place int := 0;
  -- client_refs, idempotency keys and ids in other APIs of the accepted requests
  refs text[] := '{}';
  keys text[] := '{}';
  origins text[] := '{}';
  named text[];
  first_message text;
begin
  spent := 0;
  -- Quiet hours apply to all messages of a request or to none: the first message shows which.
  is_special := account.is_special;
  foreach request in array requests loop
    is_special := is_special or request.messages[1].zone is not null or request.sim > 0
      or request.messages[1].segments = 0 or coalesce(request.device, request.line, request."from") is not null;
  end loop;

  foreach request in array requests loop
    outcome := 'accepted';
    first_message := '';

    -- Are the credentials still those that the request was checked with? What are the sender's bounds?
    if sender is distinct from concat_ws(' ', request.version, request.key, request.key_version, request.sent_by) then
      sender := concat_ws(' ', request.version, request.key, request.key_version, request.sent_by);
      bounds := sms_limits_of(owner, request.version, request.key, request.key_version, request.sent_by);
      is_campaign := false;
      if request.version is null then
        is_campaign := exists (select from campaigns c where c.id = request.sent_by and c."user" = owner);
      end if;
    end if;
    outcome := case when bounds.stale then 'stale' else outcome end;
    is_special := is_special or bounds.key_lines is not null;

    -- Messages to people who get none are stored as failed and cost nothing. A campaign leaves out people on
    -- the stop list: an erasure finds no text that a campaign planned before.
    cost := cardinality(request.messages);
    if account.refusals is not null then
      request.refusals := account.refusals[place + 1:place + cost];
    end if;
    place := place + cost;
    if request.requires_consent or request.is_help or coalesce(request.template, request.groups[1]) is not null then
      request.scope := json_strip_nulls(json_build_object(
        'template', coalesce(request.template, ''), 'groups', coalesce(request.groups, '{}'),
        'isRequired', request.requires_consent
          or consent_required(owner, coalesce(request.template, ''), coalesce(request.groups, '{}')),
        'isHelp', nullif(request.is_help, false)
      ));
      request.refusals := sms_refusals(owner, array(select m."to" from unnest(request.messages) m), request.scope, null);
    end if;
    if is_campaign and 'Recipient is on the stop list' = any (request.refusals) then
      select array_agg(row(m.id, m."to", m.body, m.segments, m.zone)::sms_request_message), array_agg(m.refusal)
      into request.messages, request.refusals
      from unnest(request.messages, request.refusals) m(id, "to", body, segments, zone, refusal)
      where m.refusal <> 'Recipient is on the stop list';
      request.messages := coalesce(request.messages, '{}');
      cost := cardinality(request.messages);
    end if;
    if request.refusals is not null then
      cost := cost - cardinality(array_remove(request.refusals, ''));
    end if;

    -- Does the idempotency key already have an answer?
    if request.idempotency_key is not null and outcome = 'accepted' then
      perform from sms_idempotency i
      where i."user" = owner and i.key = request.idempotency_key and i.created > now() - interval '24 hours';
      outcome := case when found or request.idempotency_key = any (keys) then 'replayed' else outcome end;
    end if;

    -- Is the client_ref in use?
    if request.ref is not null and outcome = 'accepted' then
      select m.id into first_message from sms_messages m
      where m."user" = owner and m.client_ref = request.ref and m.client_ref <> '';
      outcome := case when found then 'known' when request.ref = any (refs) then 'again' else outcome end;
    end if;

    -- Has an earlier message the id that this request has in SMSGate's or Twilio's API?
    if request.origin is not null and outcome = 'accepted' then
      perform from sms_origins o
      where o."user" = owner and o.api = request.origin ->> 'api' and o.id = request.origin ->> 'id';
      outcome := case
        when found or (request.origin ->> 'api') || ' ' || (request.origin ->> 'id') = any (origins) then 'message_id_in_use'
        else outcome
      end;
    end if;

    -- Does the requested device exist?
    if request.device is not null and outcome = 'accepted' then
      perform from devices d where d.id = request.device and d."user" = owner;
      outcome := case when found then outcome else 'device_not_found' end;
    end if;

    -- Does the requested line exist? The line determines the device.
    if (request.line is not null or request."from" is not null) and outcome = 'accepted' then
      select array_agg(l.line), min(l.device) into named, request.device
      from sms_named_lines(owner, request.line, request."from", request.device, request.sim) l;
      outcome := case
        when named is null then 'line_not_found'
        when cardinality(named) > 1 then 'line_ambiguous'
        else outcome
      end;
      request.line := named[1];
    end if;

    -- Twilio's API refuses a text to a person who gets none. Its replies by TwiML are stored as failed.
    if outcome = 'accepted' and cost = 0 and request.origin ->> 'api' = 'twilio' and request.origin #>> '{data,reply}' is null then
      outcome := 'recipient_refused';
    end if;

    -- May the sender send to these numbers by this line? Most senders have no bounds.
    if outcome = 'accepted' and (bounds.destinations || bounds.key_destinations <> '' or bounds.key_lines is not null) then
      outcome := coalesce(sms_may(
        'send', bounds.destinations, bounds.key_destinations, bounds.key_lines, (select array_agg(m."to") from unnest(request.messages) m),
        request.device, request.line, request.sim, bounds.key_lines
      ), outcome);
    end if;

    -- Is there a line for an MMS?
    if outcome = 'accepted' and request.messages[1].segments = 0 then
      perform from lines l
      where l."user" = owner and l.enabled and l.mms = 'on' and (request.device is null or l.device = request.device)
        and (request.line is null or l.id = request.line) and (bounds.key_lines is null or l.id = any (bounds.key_lines))
        and (request.sim = 0 or l.slot in (request.sim, 0));
      outcome := case when found then outcome else 'mms_not_supported' end;
    end if;

    -- Is there enough quota, and a line that is available now? A scheduled message needs no line yet.
    if outcome = 'accepted' and cost > 0 then
      if account.monthly_quota > 0 and account.used + spent + cost > account.monthly_quota then
        outcome := 'quota_exceeded';
      elsif not request.later
        and (request.device is not null or request.sim > 0 or bounds.key_lines is not null or account.lines = '{}'
          or request.messages[1].segments = 0)
      then
        perform from sms_ranked_lines(owner, since) l
        where (l.device = request.device or request.device is null and (l.rank in (0, 2) or l.rank = 1 and request.sim > 0))
          and (request.line is null or l.line = request.line) and (bounds.key_lines is null or l.line = any (bounds.key_lines))
          and (request.sim = 0 or l.slot = request.sim or l.slot = 0)
          and (request.messages[1].segments > 0 or l.line in (select k.id from lines k where k.mms = 'on'))
          -- a text that names only a slot never goes to a carrier that is kept for failures (sms_assign)
          and (request.sim = 0 or request.device is not null or not exists (
            select from devices d join user_settings s on s."user" = owner and s.failover_minutes > 0
            where d.id = l.device and d.platform = 'carrier'
          ));
        outcome := case when found then outcome else 'no_devices' end;
      end if;
    end if;
    -- A trial only asks for its outcome.
    if outcome = 'accepted' and request.origin ->> 'api' = 'trial' then
      outcome := 'tried';
    end if;
    outcomes := outcomes || outcome;
    known := known || coalesce(first_message, '');
    continue when outcome <> 'accepted';

    spent := spent + cost;
    if request.ref is not null then
      refs := refs || request.ref;
    end if;
    if request.idempotency_key is not null then
      keys := keys || request.idempotency_key;
    end if;
    if request.origin is not null then
      origins := origins || ((request.origin ->> 'api') || ' ' || (request.origin ->> 'id'));
    end if;
    request.lines := bounds.key_lines;
    accepted := accepted || request;
  end loop;
end $$;
