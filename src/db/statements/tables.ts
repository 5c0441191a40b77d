// generated from the schema by `npm run schema`

interface AuditRow {
  _rowid: number
  action: string
  collection: string
  created: string
  email: string
  fields: string
  id: string
  ip: string
  record: string
  superuser: string
}

interface AuthOriginsRow {
  _rowid: number
  collectionRef: string
  created: string
  fingerprint: string
  id: string
  recordRef: string
  updated: string
}

interface ChangesRow {
  action: string
  collection: string
  image: string | null
  position: number
  record: string
  xid: string
}

interface CollectionsRow {
  data: string
  id: string
  name: string
  position: number
}

interface CollectionsListedRow {
  _rowid: number | null
  created: string | null
  id: string | null
  name: string | null
  system: boolean | null
  type: string | null
  updated: string | null
}

interface ExternalAuthsRow {
  _rowid: number
  collectionRef: string
  created: string
  id: string
  provider: string
  providerId: string
  recordRef: string
  updated: string
}

interface FileChunksRow {
  content: Buffer
  file: number
  part: number
}

interface FilesRow {
  collection: string
  id: number
  modified: Date
  name: string
  original: number | null
  owner: string
  record: string
  size: number
  thumb: string
  type: string
}

interface FunctionsRow {
  checksum: string
  name: string
}

interface JobsRow {
  attempts: number
  created: Date
  dead_at: Date | null
  due_at: Date
  error: string
  holder: string
  id: number
  key: string
  kind: string
  payload: string
  runs: number
}

interface ListenersRow {
  ignored: string[]
  node: string
  seen: Date
}

interface LogsRow {
  _rowid: number
  created: string
  data: string
  id: string
  level: number
  message: string
}

interface MfasRow {
  _rowid: number
  collectionRef: string
  created: string
  id: string
  method: string
  recordRef: string
  updated: string
}

interface MigrationsRow {
  applied: Date
  file: string
}

interface OtpsRow {
  _rowid: number
  collectionRef: string
  created: string
  id: string
  password: string
  recordRef: string
  sentTo: string
  updated: string
}

interface ParamsRow {
  key: string
  value: string
}

interface SchemaRow {
  oldest: number
}

interface SubscribingRow {
  answer: string | null
  at: Date
  id: string
  node: string
  request: string
}

interface SuperusersRow {
  _rowid: number
  created: string
  email: string
  emailVisibility: boolean
  id: string
  password: string
  tokenKey: string
  updated: string
  verified: boolean
}

interface VerifyCodesRow {
  hash: string
  sealed: string
  verification: string
}

interface VerifyNumbersRow {
  seen: Date
  sent: Date[]
  service: string
  to: string
}

interface AccountAuditRow {
  _rowid: number
  action: string
  collection: string
  created: string
  fields: string | null
  id: string
  record: string
  sender: string
  user: string
}

interface ApiKeysRow {
  _rowid: number
  created: string
  destinations: string
  expires_at: string
  hash: string
  id: string
  last_used_at: string
  name: string
  prefix: string
  scopes: string[]
  signing: string
  twilio: boolean
  updated: string
  user: string
}

interface AuthSessionTokensRow {
  expires_at: Date
  session: string
  token_hash: string
}

interface AuthSessionsRow {
  collection: string
  created: Date
  ended_at: Date | null
  expires_at: Date
  id: string
  ip: string
  record: string
  token_hash: string
  used_at: Date
  user_agent: string
}

interface AuthTriesRow {
  ends: Date
  key: string
  tries: number
}

interface AutoAnswersRow {
  _rowid: number
  body: string
  created: string
  days: string[]
  enabled: boolean
  hours_from: string
  hours_to: string
  id: string
  lines: string[]
  match: string
  name: string
  pause_hours: number
  template: string
  updated: string
  user: string
  value: string
}

interface AutoAnswersSentRow {
  answer: string
  at: Date
  message: string
  number: string
  user: string
}

interface BackupStateRow {
  is_only: boolean
  last_backup: string | null
  last_failure: string | null
  last_restore: string | null
  lease: string | null
  lease_until: Date | null
  restores: number
  running: string | null
  schedule: string
  scheduled_until: Date
  since: Date
}

interface CampaignsRow {
  _rowid: number
  audience: string | null
  batch_id: string
  batches: string | null
  body: string
  created: string
  device: string
  error: string
  expires_at: string
  former_batch: string
  groups: string[]
  guarantee: string
  id: string
  line: string
  name: string
  priority: number
  quiet_hours: boolean
  recipients: string | null
  recipients_count: number
  revision: number
  scheduled_at: string
  segments: number
  settled: boolean
  sim: number
  status: string
  template: string
  updated: string
  user: string
  variables: string | null
}

interface ContactGroupsRow {
  _rowid: number
  created: string
  id: string
  name: string
  updated: string
  user: string
}

interface ContactsRow {
  _rowid: number
  created: string
  data: string | null
  groups: string[]
  id: string
  name: string
  opted_out: boolean
  phone: string
  time_zone: string
  updated: string
  user: string
}

interface ConversationDraftsRow {
  _rowid: number
  author: string
  conversation: string
  created: string
  id: string
  text: string
  updated: string
  user: string
}

interface ConversationNotesRow {
  _rowid: number
  author: string
  conversation: string
  created: string
  id: string
  mentions: string[]
  text: string
  updated: string
  user: string
}

interface ConversationsRow {
  _rowid: number
  archived: boolean
  assigned_at: string
  assignee: string
  blocked: boolean
  created: string
  device: string
  follow_up_at: string
  id: string
  last_at: string
  last_message: string
  last_sender: string
  last_text: string
  last_type: string
  line: string
  name: string
  number: string
  unanswered: boolean
  unread: number
  updated: string
  user: string
}

interface DeviceBatteriesRow {
  at: Date
  charging: boolean | null
  connection: string | null
  device: string
  low_told_at: Date | null
  percent: number | null
}

interface DeviceHandoutsRow {
  at: Date
  device: string
  line: string
  messages: number
}

interface DevicePairingsRow {
  code_hash: string
  expires_at: Date
  name: string
  user: string
}

interface DeviceSilencesRow {
  changed_at: Date
  device: string
  mailed_at: Date | null
  silent_since: string
  state: string
  told_at: Date | null
  user: string
}

interface DeviceStreamsRow {
  device: string
  until: Date
}

interface DeviceWatchRow {
  is_only: boolean
  looked_at: Date
  reachable_since: Date
}

interface DevicesRow {
  _rowid: number
  created: string
  daily_limit: number
  email: string
  emailVisibility: boolean
  enabled: boolean
  id: string
  last_seen: string
  name: string
  password: string
  per_minute: number
  phone: string
  platform: string
  push: string | null
  sims: string | null
  tokenKey: string
  updated: string
  user: string
  verified: boolean
}

interface HookCallsRow {
  _rowid: number
  body: string
  created: string
  error: string
  hook: string
  id: string
  messages: string | null
  outcome: string
  texts: string | null
  user: string
}

interface HookOnceRow {
  hook: string
  key: string
  until: Date
}

interface HookWindowsRow {
  began: Date
  held: number
  hook: string
  sent: number
  summary: string[]
}

interface HooksRow {
  _rowid: number
  created: string
  enabled: boolean
  groups: string[]
  id: string
  kind: string
  line: string
  max_parts: number
  name: string
  once_key: string
  once_minutes: number
  preset: string
  quiet_from: string
  quiet_to: string
  rate: number
  recipients: string | null
  recipients_from: string
  resolved: string
  resolved_when: string
  secret: string
  send_when: string
  signing_secret: string
  template: string
  updated: string
  user: string
}

interface LineRecipientsRow {
  line: string
  month: string
  number: string
  texts: number
}

interface LineUseRow {
  day: string
  day_texts: number
  failing_told_at: Date | null
  failures: number
  line: string
  month: string
  month_texts: number
  recipients: number
  turn: number
}

interface LinesRow {
  _rowid: number
  carrier: string
  country: string
  created: string
  daily_limit: number
  device: string
  enabled: boolean
  failing_since: string
  id: string
  label: string
  monthly_limit: number
  monthly_recipients: number
  number: string
  per_minute: number
  prefixes: string
  present: boolean
  slot: number
  updated: string
  user: string
}

interface MemberInvitationsRow {
  _rowid: number
  account: string
  created: string
  email: string
  expires: string
  hash: string
  id: string
  invited_by: string
  role: string
}

interface MembersRow {
  _rowid: number
  account: string
  created: string
  id: string
  member: string
  notify: string
  role: string
  tokenKey: string
  updated: string
}

interface PushHoursRow {
  ends: Date
  next_at: Date
  pushes: number
  user: string
}

interface PushSubscriptionsRow {
  created: Date
  endpoint: string
  failures: number
  id: string
  keys: string
  sender: string
  user: string
  user_agent: string
}

interface ReplyMailsRow {
  next_at: Date
  told_until: string
  user: string
}

interface SendersRow {
  _rowid: number
  id: string
  kind: string
  name: string
  user: string
}

interface SmsDispatchRow {
  at_least_once: boolean
  attempt: number
  charged: string
  device: string
  due_at: Date | null
  expires_at: Date | null
  lease_until: Date | null
  line: string
  line_pinned: boolean
  message: string
  period: string
  pinned: boolean
  position: number
  priority: number
  queued_at: Date
  quiet_zone: string | null
  sealed: string | null
  state: string
  user: string
  waiting_for: string
  wake_at: Date | null
  wakes: number
}

interface SmsEventsRow {
  _rowid: number
  attempt: number
  created: string
  detail: string
  device: string
  id: string
  message: string
  status: string
  user: string
}

interface SmsIdempotencyRow {
  answer: string
  created: Date
  fingerprint: string
  key: string
  user: string
}

interface SmsMessagesRow {
  _rowid: number
  attachments: string[]
  batch_id: string
  body: string
  client_ref: string
  created: string
  delivered_at: string
  device: string
  error_message: string
  expires_at: string
  from: string
  guarantee: string
  id: string
  line: string
  message_type: string
  priority: number
  scheduled_at: string
  segments: number
  sent_at: string
  sent_by: string
  sim: number
  status: string
  to: string
  updated: string
  user: string
  waiting_for: string
}

interface SmsOriginsRow {
  api: string
  created: string
  data: string | null
  id: string
  is_batch: boolean
  ref: string
  told: number
  user: string
}

interface SmsTemplatesRow {
  _rowid: number
  body: string
  created: string
  id: string
  name: string
  updated: string
  user: string
}

interface SmsTotalsRow {
  id: number
  messages: number
  relation: number
  user: string
}

interface SmsTurnsRow {
  messages: number
  turn: number
  user: string
}

interface SmsUsageRow {
  _rowid: number
  created: string
  id: string
  period: string
  quota: number
  updated: string
  used: number
  user: string
}

interface SmsgateAccountsRow {
  signing_key: string
  user: string
}

interface SmsgatePhonesRow {
  clock_ms: number | null
  device: string
  export_since: Date | null
  export_until: Date | null
  handed: number
  handed_at: Date | null
  missed_since: Date | null
  narrowed_at: Date | null
  path: string
  pulled_at: Date | null
  room: number
  signing_key: string
  user: string
  woken_at: Date | null
}

interface SmsgateTextsRow {
  attempt: number
  canceled_at: Date | null
  device: string
  is_known: boolean
  is_processed: boolean
  listed_at: Date
  message: string
  user: string
  valid_until: Date
}

interface SmsgateTokensRow {
  access_until: Date
  api_key: string
  created: Date
  id: string
  is_refreshed: boolean
  refresh_until: Date
  scopes: string[]
  user: string
}

interface TwilioAnswersRow {
  created: Date
  message: string
  replies: string | null
}

interface TwilioNumbersRow {
  device: string
  sms_method: string
}

interface UserSettingsRow {
  _rowid: number
  assign: string
  country: string
  created: string
  destinations: string
  disabled: boolean
  id: string
  notify: string
  quiet_days: string[]
  quiet_from: string
  quiet_to: string
  reply_mail_minutes: number
  time_zone: string
  updated: string
  user: string
}

interface UsersRow {
  _rowid: number
  created: string
  email: string
  emailVisibility: boolean
  id: string
  member_only: boolean
  monthly_quota: number
  name: string
  password: string
  tokenKey: string
  updated: string
  verified: boolean
}

interface VerificationsRow {
  _rowid: number
  attempts: number
  channel: string
  country: string
  created: string
  expires_at: string
  id: string
  message: string
  sends: number
  service: string
  status: string
  to: string
  updated: string
  user: string
}

interface VerifyServicesRow {
  _rowid: number
  app_hash: string
  approval_floor: number
  code_length: number
  created: string
  default_locale: string
  destinations: string
  domain: string
  id: string
  max_per_day: number
  max_per_hour: number
  max_per_network: number
  max_per_sender: number
  name: string
  quota_share: number
  stopped: string
  templates: string | null
  ttl: number
  updated: string
  user: string
}

interface WebhookDeliveriesRow {
  _rowid: number
  attempts: number
  created: string
  event: string
  event_id: string
  id: string
  latency_ms: number
  message: string
  next_attempt_at: string
  response_body: string
  response_status: number
  status: string
  updated: string
  user: string
  webhook: string
}

interface WebhookDispatchRow {
  delivery: string
  due_at: Date
  event: string | null
  handed_at: Date | null
  target: string | null
  user: string
  webhook: string
}

interface WebhookPayloadsRow {
  at: Date
  delivery: string
  headers: string | null
  image: string
  target: string | null
}

interface WebhookRotationsRow {
  until: Date
  webhook: string
}

interface WebhooksRow {
  _rowid: number
  api_key: string
  created: string
  device: string
  enabled: boolean
  events: string[]
  format: string
  id: string
  lines: string[]
  numbers: string
  previous_secret: string
  secret: string
  smsgate_event: string
  smsgate_id: string
  updated: string
  url: string
  user: string
}

/** The tables and views of the schema: columns as they arrive. */
export interface Tables {
  _audit: AuditRow
  _authOrigins: AuthOriginsRow
  _changes: ChangesRow
  _collections: CollectionsRow
  _collections_listed: CollectionsListedRow
  _externalAuths: ExternalAuthsRow
  _file_chunks: FileChunksRow
  _files: FilesRow
  _functions: FunctionsRow
  _jobs: JobsRow
  _listeners: ListenersRow
  _logs: LogsRow
  _mfas: MfasRow
  _migrations: MigrationsRow
  _otps: OtpsRow
  _params: ParamsRow
  _schema: SchemaRow
  _subscribing: SubscribingRow
  _superusers: SuperusersRow
  _verify_codes: VerifyCodesRow
  _verify_numbers: VerifyNumbersRow
  account_audit: AccountAuditRow
  api_keys: ApiKeysRow
  auth_session_tokens: AuthSessionTokensRow
  auth_sessions: AuthSessionsRow
  auth_tries: AuthTriesRow
  auto_answers: AutoAnswersRow
  auto_answers_sent: AutoAnswersSentRow
  backup_state: BackupStateRow
  campaigns: CampaignsRow
  contact_groups: ContactGroupsRow
  contacts: ContactsRow
  conversation_drafts: ConversationDraftsRow
  conversation_notes: ConversationNotesRow
  conversations: ConversationsRow
  device_batteries: DeviceBatteriesRow
  device_handouts: DeviceHandoutsRow
  device_pairings: DevicePairingsRow
  device_silences: DeviceSilencesRow
  device_streams: DeviceStreamsRow
  device_watch: DeviceWatchRow
  devices: DevicesRow
  hook_calls: HookCallsRow
  hook_once: HookOnceRow
  hook_windows: HookWindowsRow
  hooks: HooksRow
  line_recipients: LineRecipientsRow
  line_use: LineUseRow
  lines: LinesRow
  member_invitations: MemberInvitationsRow
  members: MembersRow
  push_hours: PushHoursRow
  push_subscriptions: PushSubscriptionsRow
  reply_mails: ReplyMailsRow
  senders: SendersRow
  sms_dispatch: SmsDispatchRow
  sms_events: SmsEventsRow
  sms_idempotency: SmsIdempotencyRow
  sms_messages: SmsMessagesRow
  sms_origins: SmsOriginsRow
  sms_templates: SmsTemplatesRow
  sms_totals: SmsTotalsRow
  sms_turns: SmsTurnsRow
  sms_usage: SmsUsageRow
  smsgate_accounts: SmsgateAccountsRow
  smsgate_phones: SmsgatePhonesRow
  smsgate_texts: SmsgateTextsRow
  smsgate_tokens: SmsgateTokensRow
  twilio_answers: TwilioAnswersRow
  twilio_numbers: TwilioNumbersRow
  user_settings: UserSettingsRow
  users: UsersRow
  verifications: VerificationsRow
  verify_services: VerifyServicesRow
  webhook_deliveries: WebhookDeliveriesRow
  webhook_dispatch: WebhookDispatchRow
  webhook_payloads: WebhookPayloadsRow
  webhook_rotations: WebhookRotationsRow
  webhooks: WebhooksRow
}
