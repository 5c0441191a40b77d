-- Trigger of contacts and consent_states: when a person opts out or leaves a group, the texts that wait for
-- the person end, in the same transaction, and devices are told not to send those that they have fetched. A
-- claim would refuse them, too. The argument names the column of the number.
create or replace function sms_texts_unwanted() returns trigger
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  number constant text := row_to_json(new) ->> tg_argv[0];
begin
  perform from sms_end_refused(array(
    select d.message from sms_messages m join sms_dispatch d on d.message = m.id
    where m."user" = new."user" and m."to" = number and m."to" <> ''
      and m.status in ('pending', 'assigned', 'sending')
    order by d.message for update of d
  ));
  return null;
end $$;
