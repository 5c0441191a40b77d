// generated from the collections' schemas by `npm run schema`

export const users = {
  email: { type: 'email' },
  emailVisibility: { type: 'bool' },
  verified: { type: 'bool' },
  name: { type: 'text', max: 255 },
  monthly_quota: { type: 'number' },
  member_only: { type: 'bool' },
  language: { type: 'select', valuesOf: 'users.language' },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const senders = {
  user: { type: 'relation', required: true },
  kind: {
    type: 'select',
    required: true,
    values: ['owner', 'member', 'key', 'campaign', 'answer', 'hook'],
  },
  name: { type: 'text', max: 255 },
} as const

export const devices = {
  emailVisibility: { type: 'bool' },
  verified: { type: 'bool' },
  email: { type: 'email' },
  user: { type: 'relation', required: true },
  name: { type: 'text', required: true, max: 255 },
  phone: { type: 'text' },
  platform: {
    type: 'select',
    values: ['android', 'modem', 'simulator', 'carrier', 'other'],
  },
  enabled: { type: 'bool' },
  last_seen: { type: 'date' },
  daily_limit: { type: 'number' },
  per_minute: { type: 'number' },
  sims: { type: 'json' },
  addresses: { type: 'text', max: 1000 },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const lines = {
  user: { type: 'relation', required: true },
  device: { type: 'relation', required: true },
  slot: { type: 'number', max: 8 },
  number: { type: 'text' },
  carrier: { type: 'text', max: 100 },
  country: { type: 'text', max: 2 },
  label: { type: 'text', max: 100 },
  enabled: { type: 'bool' },
  present: { type: 'bool' },
  per_minute: { type: 'number' },
  daily_limit: { type: 'number' },
  monthly_limit: { type: 'number' },
  monthly_recipients: { type: 'number' },
  failing_since: { type: 'date' },
  prefixes: { type: 'text', max: 255 },
  prices: { type: 'json' },
  mms: {
    type: 'select',
    values: ['on', 'off'],
  },
  monthly_budget: { type: 'text' },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const labels = {
  user: { type: 'relation', required: true },
  name: { type: 'text', required: true, max: 40 },
  color: { type: 'select', required: true, valuesOf: 'labels.color' },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const contact_groups = {
  user: { type: 'relation', required: true },
  name: { type: 'text', required: true, max: 255 },
  join_words: { type: 'text', max: 255 },
  join_confirm: { type: 'bool' },
  join_text: { type: 'text', max: 1600 },
  join_page: { type: 'bool' },
  page_text: { type: 'text', max: 2000 },
  page_consent: { type: 'text', max: 1000 },
  page_confirm: {
    type: 'select',
    values: ['reply', 'code'],
  },
  requires_consent: { type: 'bool' },
  keep_days: { type: 'number', max: 36500 },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const contacts = {
  user: { type: 'relation', required: true },
  name: { type: 'text', max: 255 },
  phone: { type: 'text', required: true },
  groups: { type: 'relation', many: true },
  opted_out: { type: 'bool' },
  data: { type: 'json' },
  time_zone: { type: 'text', max: 64 },
  labels: { type: 'relation', many: true },
  person: { type: 'text', max: 15 },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const contact_fields = {
  user: { type: 'relation', required: true },
  name: { type: 'text', required: true, max: 64 },
  key: { type: 'text', max: 64 },
  type: {
    type: 'select',
    required: true,
    values: ['text', 'number', 'date', 'choice'],
  },
  choices: { type: 'json' },
  former: { type: 'json' },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const sms_templates = {
  user: { type: 'relation', required: true },
  name: { type: 'text', required: true, max: 255 },
  body: { type: 'text', required: true, max: 1600 },
  requires_consent: { type: 'bool' },
  attachments: { type: 'file', many: true },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const sms_messages = {
  status: {
    type: 'select',
    required: true,
    values: ['pending', 'assigned', 'sending', 'sent', 'delivered', 'failed', 'received'],
  },
  to: { type: 'text' },
  from: { type: 'text' },
  body: { type: 'text', max: 1600 },
  message_type: {
    type: 'select',
    required: true,
    values: ['outgoing', 'incoming'],
  },
  device: { type: 'relation' },
  batch_id: { type: 'text' },
  segments: { type: 'number' },
  priority: { type: 'number', min: -128, max: 127 },
  sim: { type: 'number', max: 8 },
  scheduled_at: { type: 'date' },
  expires_at: { type: 'date' },
  guarantee: {
    type: 'select',
    values: ['at_most_once', 'at_least_once'],
  },
  client_ref: { type: 'text', max: 255 },
  sent_at: { type: 'date' },
  delivered_at: { type: 'date' },
  error_message: { type: 'text' },
  line: { type: 'relation' },
  waiting_for: {
    type: 'select',
    values: ['room', 'quiet_hours', 'phone', 'undo'],
  },
  sent_by: { type: 'relation' },
  attachments: { type: 'file', many: true },
  subject: { type: 'text', max: 255 },
  user: { type: 'relation', required: true },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const consents = {
  user: { type: 'relation', required: true },
  contact: { type: 'relation' },
  number: { type: 'text', required: true },
  purpose: { type: 'text', max: 255 },
  group: { type: 'relation' },
  event: {
    type: 'select',
    required: true,
    values: ['opt_in', 'confirmed', 'opt_out', 'imported'],
  },
  source: {
    type: 'select',
    values: ['keyword', 'page', 'api', 'import', 'console', 'reply'],
  },
  shown: { type: 'text', max: 5000 },
  version: { type: 'text', max: 100 },
  said: { type: 'text', max: 1600 },
  message: { type: 'relation' },
  address: { type: 'text', max: 100 },
  browser: { type: 'text', max: 500 },
  given_at: { type: 'date' },
  entered_by: { type: 'relation' },
  created: { type: 'autodate' },
} as const

export const consent_states = {
  user: { type: 'relation', required: true },
  number: { type: 'text', required: true },
  group: { type: 'relation' },
  purpose: { type: 'text' },
  state: {
    type: 'select',
    required: true,
    values: ['given', 'asked', 'claimed', 'stopped'],
  },
  since: { type: 'date' },
  until: { type: 'date' },
  entry: { type: 'relation' },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const person_requests = {
  user: { type: 'relation', required: true },
  kind: {
    type: 'select',
    required: true,
    values: ['export', 'erasure'],
  },
  number: { type: 'text' },
  hash: { type: 'text', max: 64 },
  reason: { type: 'text', max: 1000 },
  state: {
    type: 'select',
    required: true,
    values: ['waiting', 'running', 'done', 'failed'],
  },
  error: { type: 'text', max: 500 },
  progress: { type: 'number', max: 100 },
  counts: { type: 'json' },
  files: { type: 'file', many: true },
  asked_by: { type: 'relation' },
  expires_at: { type: 'date' },
  done_at: { type: 'date' },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const auto_answers = {
  user: { type: 'relation', required: true },
  name: { type: 'text', max: 255 },
  enabled: { type: 'bool' },
  match: {
    type: 'select',
    required: true,
    values: ['any', 'words', 'first_word', 'contains'],
  },
  value: { type: 'text', max: 200 },
  lines: { type: 'relation', many: true },
  hours_from: { type: 'text' },
  hours_to: { type: 'text' },
  days: {
    type: 'select',
    many: true,
    values: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
  },
  body: { type: 'text', max: 1600 },
  template: { type: 'relation' },
  attachments: { type: 'file', many: true },
  pause_hours: { type: 'number', max: 8760 },
  label: { type: 'relation' },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const user_settings = {
  user: { type: 'relation', required: true },
  disabled: { type: 'bool' },
  account_name: { type: 'text', max: 255 },
  logo: { type: 'file' },
  color: { type: 'text' },
  country: { type: 'text' },
  currency: { type: 'text' },
  line_choice: {
    type: 'select',
    values: ['turns', 'cheapest'],
  },
  failover_minutes: { type: 'number', max: 10080 },
  failover_priority: { type: 'number', max: 127 },
  second_factor_from: { type: 'date' },
  directory_domains: { type: 'text', max: 1000 },
  time_zone: { type: 'text', max: 64 },
  quiet_from: { type: 'text' },
  quiet_to: { type: 'text' },
  quiet_days: {
    type: 'select',
    many: true,
    values: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
  },
  reply_mail_minutes: { type: 'number', max: 10080 },
  assign: {
    type: 'select',
    values: ['answerer', 'turns'],
  },
  notify: {
    type: 'select',
    values: ['all', 'mine', 'none'],
  },
  notify_from: { type: 'text' },
  notify_to: { type: 'text' },
  notify_zone: { type: 'text', max: 64 },
  notify_silent: { type: 'bool' },
  undo_seconds: { type: 'number', max: 60 },
  destinations: { type: 'text', max: 1000 },
  code_destinations: { type: 'text', max: 1000 },
  code_stopped: { type: 'text', max: 1000 },
  code_approval_floor: { type: 'number', max: 100 },
  code_max_per_hour: { type: 'number', max: 100 },
  code_max_per_day: { type: 'number', max: 100 },
  code_max_per_network: { type: 'number', max: 100000 },
  code_max_per_account: { type: 'number', max: 100000 },
  code_quota_share: { type: 'number', max: 100 },
  short_codes: { type: 'bool' },
  opt_out_languages: {
    type: 'select',
    many: true,
    values: ['de', 'es', 'fr', 'it', 'nl', 'pl', 'pt', 'sv'],
  },
  session_days: { type: 'number', max: 365 },
  keep_incoming: { type: 'number', max: 36500 },
  keep_outgoing: { type: 'number', max: 36500 },
  keep_files: { type: 'number', max: 36500 },
  keep_consents: { type: 'number', max: 36500 },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const conversations = {
  user: { type: 'relation', required: true },
  number: { type: 'text', required: true, max: 255 },
  name: { type: 'text', max: 255 },
  last_text: { type: 'text', max: 1600 },
  last_at: { type: 'date' },
  last_type: {
    type: 'select',
    values: ['outgoing', 'incoming'],
  },
  last_message: { type: 'text' },
  device: { type: 'relation' },
  unread: { type: 'number' },
  unanswered: { type: 'bool' },
  archived: { type: 'bool' },
  line: { type: 'relation' },
  assignee: { type: 'relation' },
  assigned_at: { type: 'date' },
  blocked: { type: 'bool' },
  follow_up_at: { type: 'date' },
  last_sender: { type: 'relation' },
  failure: { type: 'text', max: 1000 },
  labels: { type: 'relation', many: true },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const conversation_notes = {
  user: { type: 'relation', required: true },
  conversation: { type: 'relation', required: true },
  author: { type: 'relation' },
  text: { type: 'text', required: true, max: 5000 },
  mentions: { type: 'relation', many: true },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const conversation_drafts = {
  user: { type: 'relation', required: true },
  conversation: { type: 'relation', required: true },
  author: { type: 'relation' },
  text: { type: 'text', required: true, max: 5000 },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const inbox_views = {
  user: { type: 'relation', required: true },
  author: { type: 'relation' },
  name: { type: 'text', required: true, max: 60 },
  shared: { type: 'bool' },
  state: { type: 'select', required: true, valuesOf: 'inbox_views.state' },
  assignee: { type: 'text', max: 15 },
  labels: { type: 'json' },
  sort: { type: 'select', required: true, valuesOf: 'inbox_views.sort' },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const campaigns = {
  user: { type: 'relation', required: true },
  name: { type: 'text', max: 255 },
  body: { type: 'text', max: 1600 },
  template: { type: 'relation' },
  variables: { type: 'json' },
  groups: { type: 'relation', many: true },
  recipients: { type: 'json' },
  scheduled_at: { type: 'date' },
  expires_at: { type: 'date' },
  status: {
    type: 'select',
    required: true,
    values: ['scheduled', 'repeating', 'sending', 'paused', 'canceled', 'done', 'failed'],
  },
  device: { type: 'relation' },
  sim: { type: 'number', max: 8 },
  priority: { type: 'number', min: -128, max: 127 },
  guarantee: {
    type: 'select',
    values: ['at_most_once', 'at_least_once'],
  },
  batch_id: { type: 'text' },
  revision: { type: 'number' },
  recipients_count: { type: 'number' },
  segments: { type: 'number' },
  error: { type: 'text' },
  batches: { type: 'json' },
  quiet_hours: { type: 'bool' },
  requires_consent: { type: 'bool' },
  without_consent: { type: 'json' },
  line: { type: 'relation' },
  repeat: { type: 'json' },
  begins_at: { type: 'date' },
  runs: { type: 'number' },
  run_of: { type: 'relation' },
  attachments: { type: 'file', many: true },
  subject: { type: 'text', max: 40 },
  mms: {
    type: 'select',
    values: ['only', 'or_link'],
  },
  changed_by: { type: 'relation' },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const api_keys = {
  user: { type: 'relation', required: true },
  name: { type: 'text', required: true, max: 255 },
  prefix: { type: 'text' },
  expires_at: { type: 'date' },
  last_used_at: { type: 'date' },
  scopes: {
    type: 'select',
    many: true,
    values: [
      'messages:send',
      'messages:read',
      'messages:list',
      'messages:cancel',
      'messages:export',
      'devices:list',
      'devices:delete',
      'webhooks:list',
      'webhooks:write',
      'webhooks:delete',
      'settings:read',
      'settings:write',
      'inbox:list',
      'inbox:refresh',
      'logs:read',
      'tokens:manage',
      'members:manage',
      'all:any',
    ],
  },
  twilio: { type: 'bool' },
  destinations: { type: 'text', max: 1000 },
  addresses: { type: 'text', max: 1000 },
  disabled: { type: 'bool' },
  lines: { type: 'relation', many: true },
  last_used_ip: { type: 'text' },
  last_used_prefix: { type: 'text' },
  previous_prefix: { type: 'text' },
  previous_until: { type: 'date' },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const webhooks = {
  user: { type: 'relation', required: true },
  url: { type: 'url', required: true },
  events: {
    type: 'select',
    required: true,
    many: true,
    values: [
      'message.sent',
      'message.delivered',
      'message.failed',
      'message.received',
      'audit.recorded',
    ],
  },
  enabled: { type: 'bool' },
  format: { type: 'select', valuesOf: 'webhooks.format' },
  api_key: { type: 'text' },
  device: { type: 'relation' },
  smsgate_event: {
    type: 'select',
    values: [
      'sms:received',
      'sms:data-received',
      'sms:sent',
      'sms:delivered',
      'sms:failed',
      'sms:cancelled',
    ],
  },
  smsgate_id: { type: 'text', max: 36 },
  lines: { type: 'relation', many: true },
  numbers: { type: 'text', max: 1000 },
  preset: { type: 'select', valuesOf: 'webhooks.preset' },
  method: {
    type: 'select',
    values: ['POST', 'PUT', 'PATCH', 'GET', 'DELETE'],
  },
  headers: { type: 'json' },
  body: { type: 'json' },
  target: { type: 'text', max: 200 },
  token: { type: 'text', max: 500 },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const sms_usage = {
  user: { type: 'relation', required: true },
  period: { type: 'text', required: true },
  used: { type: 'number' },
  quota: { type: 'number' },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const sms_events = {
  user: { type: 'relation', required: true },
  message: { type: 'relation', required: true },
  status: {
    type: 'select',
    required: true,
    values: ['pending', 'assigned', 'sending', 'sent', 'delivered', 'failed', 'received'],
  },
  device: { type: 'relation' },
  attempt: { type: 'number' },
  detail: { type: 'text' },
  changed_by: { type: 'relation' },
  created: { type: 'autodate' },
} as const

export const webhook_deliveries = {
  user: { type: 'relation', required: true },
  webhook: { type: 'relation', required: true },
  event_id: { type: 'text', required: true },
  event: { type: 'text', required: true },
  message: { type: 'relation' },
  status: {
    type: 'select',
    required: true,
    values: ['pending', 'delivered', 'failed'],
  },
  attempts: { type: 'number' },
  response_status: { type: 'number' },
  response_body: { type: 'text', max: 1024 },
  latency_ms: { type: 'number' },
  next_attempt_at: { type: 'date' },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const hooks = {
  user: { type: 'relation', required: true },
  name: { type: 'text', required: true, max: 100 },
  enabled: { type: 'bool' },
  secret: { type: 'text' },
  preset: { type: 'select', required: true, valuesOf: 'hooks.preset' },
  kind: {
    type: 'select',
    values: ['alerts', 'codes'],
  },
  template: { type: 'text', max: 2000 },
  recipients: { type: 'json' },
  groups: { type: 'relation', many: true },
  recipients_from: { type: 'text', max: 200 },
  pictures_from: { type: 'text', max: 200 },
  line: { type: 'relation' },
  once_key: { type: 'text', max: 500 },
  once_minutes: { type: 'number', max: 1440 },
  resolved: {
    type: 'select',
    values: ['send', 'skip'],
  },
  resolved_when: { type: 'text', max: 200 },
  send_when: { type: 'text', max: 200 },
  quiet_from: { type: 'text' },
  quiet_to: { type: 'text' },
  max_parts: { type: 'number', min: 1, max: 10 },
  rate: { type: 'number', min: 1, max: 1000 },
  addresses: { type: 'text', max: 1000 },
  signing_secret: { type: 'text', max: 200 },
  label: { type: 'relation' },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const hook_calls = {
  user: { type: 'relation', required: true },
  hook: { type: 'relation', required: true },
  body: { type: 'text', max: 65536 },
  outcome: {
    type: 'select',
    required: true,
    values: [
      'sent',
      'waiting',
      'repeated',
      'resolved',
      'skipped',
      'limited',
      'refused',
      'disabled',
    ],
  },
  error: { type: 'text' },
  texts: { type: 'json' },
  messages: { type: 'json' },
  created: { type: 'autodate' },
} as const

export const verify_services = {
  user: { type: 'relation', required: true },
  name: { type: 'text', required: true, max: 100 },
  templates: { type: 'json' },
  default_locale: { type: 'text' },
  code_length: { type: 'number', min: 4, max: 10 },
  ttl: { type: 'number', min: 60, max: 86400 },
  domain: { type: 'text', max: 100 },
  app_hash: { type: 'text' },
  api_key: { type: 'relation' },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const verifications = {
  user: { type: 'relation', required: true },
  service: { type: 'relation', required: true },
  to: { type: 'text', required: true },
  country: { type: 'text' },
  channel: {
    type: 'select',
    required: true,
    values: ['sms'],
  },
  status: {
    type: 'select',
    required: true,
    values: ['pending', 'approved', 'expired', 'canceled', 'max_attempts_reached'],
  },
  attempts: { type: 'number' },
  sends: { type: 'number' },
  expires_at: { type: 'date' },
  message: { type: 'relation' },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const members = {
  account: { type: 'relation', required: true },
  member: { type: 'relation', required: true },
  role: {
    type: 'select',
    required: true,
    values: ['admin', 'agent', 'viewer'],
  },
  notify: {
    type: 'select',
    values: ['all', 'mine', 'none'],
  },
  notify_from: { type: 'text' },
  notify_to: { type: 'text' },
  notify_zone: { type: 'text', max: 64 },
  notify_silent: { type: 'bool' },
  undo_seconds: { type: 'number', max: 60 },
  addresses: { type: 'text', max: 1000 },
  directory: { type: 'text', max: 100 },
  proven_until: { type: 'date' },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const member_invitations = {
  account: { type: 'relation', required: true },
  email: { type: 'email' },
  role: {
    type: 'select',
    required: true,
    values: ['admin', 'agent', 'viewer'],
  },
  expires: { type: 'date', required: true },
  invited_by: { type: 'relation' },
  created: { type: 'autodate' },
} as const

export const directory_roles = {
  user: { type: 'relation', required: true },
  provider: {
    type: 'select',
    required: true,
    values: ['oidc', 'oidc2', 'oidc3', 'microsoft', 'google'],
  },
  claim: { type: 'text', required: true, max: 200 },
  value: { type: 'text', required: true, max: 255 },
  role: {
    type: 'select',
    required: true,
    values: ['admin', 'agent', 'viewer'],
  },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const account_audit = {
  user: { type: 'relation', required: true },
  sender: { type: 'relation' },
  action: { type: 'text' },
  collection: { type: 'text' },
  record: { type: 'text' },
  fields: { type: 'json' },
  ip: { type: 'text' },
  created: { type: 'autodate' },
} as const

export const directory_groups = {
  user: { type: 'relation', required: true },
  name: { type: 'text', required: true, max: 255 },
  external_id: { type: 'text', max: 255 },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const

export const directory_people = {
  user: { type: 'relation', required: true },
  name: { type: 'text', required: true, max: 255 },
  external_id: { type: 'text', max: 255 },
  email: { type: 'email', required: true },
  active: { type: 'bool' },
  attributes: { type: 'json' },
  groups: { type: 'relation', many: true },
  role: {
    type: 'select',
    values: ['admin', 'agent', 'viewer'],
  },
  person: { type: 'relation' },
  invited: { type: 'date' },
  created: { type: 'autodate' },
  updated: { type: 'autodate' },
} as const
