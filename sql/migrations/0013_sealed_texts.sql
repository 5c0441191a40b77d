-- Texts that only the device that sends them may read, such as codes: sms_messages.body has dots in their
-- place, the queue has the text encrypted. sms_dispatch is locked for an instant: the column has no default.

alter type sms_request add attribute sealed text;
alter type sms_draft add attribute sealed text;
alter table sms_dispatch
  -- What the device sends instead of the message's body, encrypted (src/db/secrets.ts); null: the body.
  add column sealed text collate "C";
