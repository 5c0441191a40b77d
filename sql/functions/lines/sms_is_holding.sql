-- Whether a phone with the SMSGate app holds texts until its work hours begin. In plpgsql, which keeps its
-- plan for the session.
create or replace function sms_is_holding(device_id text) returns boolean language plpgsql stable as $$
begin
  return exists (select from smsgate_phones p where p.device = device_id and p.held_until > now());
end $$;
