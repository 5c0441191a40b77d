/** Internal tables and types, which are not collections. A test compares them with the schema. */
const INTERNAL: ReadonlySet<string> = new Set([
  ...[
    '_audit',
    '_changes',
    '_file_chunks',
    '_files',
    '_functions',
    '_jobs',
    '_listeners',
    '_logs',
    '_schema',
  ],
  ...['_subscribing', 'auth_session_tokens', 'auth_sessions', 'auth_tries', 'auto_answers_sent'],
  ...['backup_state', 'device_batteries', 'device_handouts', 'device_pairings', 'device_silences'],
  ...[
    'device_streams',
    'device_watch',
    'hook_once',
    'hook_windows',
    'line_recipients',
    'line_use',
    'pb_date',
  ],
  ...['push_hours', 'push_subscriptions', 'reply_mails', 'sms_dispatch', 'sms_draft', 'sms_idempotency'],
  ...['sms_origins', 'sms_request', 'sms_request_message', 'sms_totals', 'sms_turns', 'smsgate_accounts'],
  ...['smsgate_phones', 'smsgate_texts', 'smsgate_tokens', 'twilio_answers', 'twilio_numbers'],
  ...['webhook_call', 'webhook_dispatch', 'webhook_payloads', 'webhook_rotations'],
])

/** Whether an internal table has this name. A collection's table then needs another one. */
export const isInternal = (name: string): boolean => INTERNAL.has(name.toLowerCase())

/** Since this migration, servers give collections with such names other tables. */
export const INTERNAL_NAMES_SINCE = 7
