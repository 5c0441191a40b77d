/** The migrations since the first release. */
export const LATER = [
  '0003_sessions.sql',
  '0006_notifications.sql',
  '0010_lines.sql',
  '0011_auto_answers.sql',
  '0012_smsgate_clients.sql',
  '0013_smsgate_accounts.sql',
  '0014_twilio.sql',
  '0015_webhook_headers.sql',
  '0016_session_tokens.sql',
  '0021_lines_and_tests.sql',
]
/** Makes a database one that has none of them. */
export const WITHOUT_LATER = `
  drop table if exists auth_sessions, auth_session_tokens, push_subscriptions, push_queue, push_hours, reply_mails, smsgate_sends,
    smsgate_accounts, smsgate_tokens, twilio_messages, twilio_numbers, twilio_answers, line_use, line_recipients,
    auto_answer_queue, auto_answers_sent;
  alter table smsgate_phones drop column if exists export_since, drop column if exists export_until;
  alter table webhook_dispatch drop column if exists target;
  alter table webhook_payloads drop column if exists target, drop column if exists headers;
  drop trigger if exists line_freed on sms_dispatch;
  drop trigger if exists line_returned on sms_dispatch;
  alter table sms_dispatch drop column if exists line, drop column if exists line_pinned,
    drop column if exists charged, drop column if exists waiting_for, drop column if exists quiet_zone;
  alter table device_handouts drop column if exists line;
  delete from _migrations`
