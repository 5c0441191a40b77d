// generated from the schema by `npm run schema`

import type { Generated } from 'kysely'
import type { SelectValue } from '../../portable/select-values.ts'

interface AuditRow {
  _rowid: Generated<number>
  action: string
  collection: Generated<string>
  created: Generated<string>
  email: Generated<string>
  fields: Generated<string>
  id: Generated<string>
  ip: Generated<string>
  record: Generated<string>
  superuser: Generated<string>
}

interface AuditLogsRow {
  account: string
  first_number: Generated<number>
  last_number: number
}

interface AuditNumbersRow {
  account: string
  entry: string
  number: number
}

interface AuditQueueRow {
  account: string
  entry: string
  position: Generated<number>
}

interface AuthOriginsRow {
  _rowid: Generated<number>
  collectionRef: Generated<string>
  created: Generated<string>
  fingerprint: Generated<string>
  id: string
  recordRef: Generated<string>
  updated: Generated<string>
}

interface ChangesRow {
  action: string
  collection: string
  former: string | null
  image: string | null
  position: Generated<number>
  record: string
  xid: Generated<string>
}

interface CollectionsRow {
  data: string
  id: string
  name: string
  position: Generated<number>
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

interface ConsentsForgottenRow {
  created: Generated<string>
  event: string
  forgotten_at: Generated<Date>
  hash: string
  user: string
}

interface ExternalAuthsRow {
  _rowid: Generated<number>
  collectionRef: Generated<string>
  created: Generated<string>
  id: string
  provider: Generated<string>
  providerId: Generated<string>
  recordRef: Generated<string>
  updated: Generated<string>
}

interface FileChunksRow {
  bytes: Buffer
  content: number
  part: number
}

interface FileContentsRow {
  account: Generated<string>
  id: Generated<number>
  sha256: Buffer | null
  size: number
}

interface FilesRow {
  collection: string
  content: number
  id: Generated<number>
  modified: Generated<Date>
  name: string
  original: number | null
  record: string
  size: number
  thumb: Generated<string>
  type: string
}

interface FunctionsRow {
  checksum: string
  name: string
}

interface JobsRow {
  attempts: Generated<number>
  created: Generated<Date>
  dead_at: Date | null
  due_at: Generated<Date>
  error: Generated<string>
  holder: Generated<string>
  id: Generated<number>
  key: string
  kind: string
  payload: Generated<string>
  runs: Generated<number>
}

interface ListenersRow {
  ignored: Generated<string[]>
  node: string
  seen: Generated<Date>
}

interface LogsRow {
  _rowid: Generated<number>
  created: Generated<string>
  data: Generated<string>
  id: Generated<string>
  level: number
  message: Generated<string>
}

interface MfasRow {
  _rowid: Generated<number>
  collectionRef: Generated<string>
  created: Generated<string>
  id: string
  method: Generated<string>
  recordRef: Generated<string>
  updated: Generated<string>
}

interface MigrationsRow {
  applied: Generated<Date>
  file: string
  sha256: string | null
}

interface OtpsRow {
  _rowid: Generated<number>
  collectionRef: Generated<string>
  created: Generated<string>
  id: string
  password: Generated<string>
  recordRef: Generated<string>
  sentTo: Generated<string>
  updated: Generated<string>
}

interface ParamsRow {
  key: string
  value: string
}

interface ProviderClaimsRow {
  ends: Date
  mfa: string
  provider: string
  sealed: string
}

interface SchemaRow {
  oldest: number
}

interface StopListRow {
  created: Generated<Date>
  hash: string
  user: string
}

interface SubscribingRow {
  answer: string | null
  at: Generated<Date>
  id: string
  node: string
  request: string
}

interface SuperusersRow {
  _rowid: Generated<number>
  created: Generated<string>
  email: Generated<string>
  emailVisibility: Generated<boolean>
  id: string
  password: Generated<string>
  tokenKey: Generated<string>
  updated: Generated<string>
  verified: Generated<boolean>
}

interface TextsForgottenRow {
  forgotten_at: Generated<Date>
  id: string
}

interface UnprovenLinksRow {
  link: string
}

interface VerifyCodesRow {
  hash: string
  sealed: string
  verification: string
}

interface AccountAuditRow {
  _rowid: Generated<number>
  action: Generated<string>
  collection: Generated<string>
  created: Generated<string>
  fields: string | null
  id: string
  ip: Generated<string>
  record: Generated<string>
  sender: Generated<string>
  user: Generated<string>
}

interface ApiKeysRow {
  _rowid: Generated<number>
  addresses: Generated<string>
  created: Generated<string>
  destinations: Generated<string>
  disabled: Generated<boolean>
  expires_at: Generated<string>
  hash: Generated<string>
  id: string
  last_used_at: Generated<string>
  last_used_ip: Generated<string>
  last_used_prefix: Generated<string>
  lines: Generated<string[]>
  name: Generated<string>
  prefix: Generated<string>
  previous_hash: Generated<string>
  previous_prefix: Generated<string>
  previous_signing: Generated<string>
  previous_until: Generated<string>
  scopes: Generated<string[]>
  signing: Generated<string>
  twilio: Generated<boolean>
  updated: Generated<string>
  user: Generated<string>
}

interface AuthChallengesRow {
  collection: string
  ends: Date
  hash: string
  purpose: string
  record: string
}

interface AuthFactorsRow {
  collection: string
  confirmed_at: Date | null
  last_step: Generated<number>
  pending: Generated<string>
  pending_until: Date | null
  record: string
  recovery: Generated<string[]>
  sealed: Generated<string>
}

interface AuthPasskeysRow {
  collection: string
  counter: number
  created: Generated<Date>
  credential: string
  host: string
  id: string
  name: string
  public_key: Buffer
  record: string
  transports: string[]
  used_at: Date | null
}

interface AuthSessionTokensRow {
  account: Generated<string>
  expires_at: Date
  session: string
  token_hash: string
}

interface AuthSessionsRow {
  collection: string
  created: Generated<Date>
  ended_at: Date | null
  expires_at: Date
  id: string
  ip: string
  method: Generated<string>
  proven_at: Date | null
  record: string
  token_hash: string
  used_at: Generated<Date>
  user_agent: string
}

interface AuthTriesRow {
  ends: Date
  key: string
  tries: number
}

interface AutoAnswersRow {
  _rowid: Generated<number>
  attachments: Generated<string[]>
  body: Generated<string>
  created: Generated<string>
  days: Generated<string[]>
  enabled: Generated<boolean>
  hours_from: Generated<string>
  hours_to: Generated<string>
  id: string
  label: Generated<string>
  lines: Generated<string[]>
  match: Generated<'any' | 'words' | 'first_word' | 'contains'>
  name: Generated<string>
  pause_hours: Generated<number>
  template: Generated<string>
  updated: Generated<string>
  user: Generated<string>
  value: Generated<string>
}

interface AutoAnswersSentRow {
  answer: string
  at: Generated<Date>
  message: string
  number: string
  user: string
}

interface BackupStateRow {
  is_only: Generated<boolean>
  last_backup: string | null
  last_failure: string | null
  last_restore: string | null
  lease: string | null
  lease_until: Date | null
  restores: Generated<number>
  running: string | null
  schedule: Generated<string>
  scheduled_until: Generated<Date>
  since: Generated<Date>
}

interface CampaignRecipientsRow {
  _rowid: Generated<number>
  campaign: Generated<string>
  created: Generated<string>
  id: string
  line: Generated<number>
  message: Generated<string>
  occurrence: Generated<string>
  reason: Generated<string>
  to: Generated<string>
  updated: Generated<string>
  user: Generated<string>
  values: string | null
}

interface CampaignsRow {
  _rowid: Generated<number>
  attachments: Generated<string[]>
  audience: string | null
  batch_id: Generated<string>
  batches: string | null
  begins_at: Generated<string>
  body: Generated<string>
  changed_by: Generated<string>
  created: Generated<string>
  device: Generated<string>
  error: Generated<string>
  expires_at: Generated<string>
  filter: Generated<string>
  former_batch: Generated<string>
  groups: Generated<string[]>
  guarantee: Generated<'' | 'at_most_once' | 'at_least_once'>
  id: string
  left_out: Generated<number>
  line: Generated<string>
  looked_at: Generated<string>
  made_by: Generated<string>
  mms: Generated<'' | 'only' | 'or_link'>
  name: Generated<string>
  of_campaign: Generated<string>
  of_state: Generated<'' | 'sent' | 'not_sent' | 'failed' | 'answered'>
  priority: Generated<number>
  quiet_hours: Generated<boolean>
  recipients: string | null
  recipients_count: Generated<number>
  reminder: string | null
  repeat: string | null
  requires_consent: Generated<boolean>
  revision: Generated<number>
  rows: Generated<number>
  run_of: Generated<string>
  runs: Generated<number>
  scheduled_at: Generated<string>
  segments: Generated<number>
  settled: Generated<boolean>
  sim: Generated<number>
  status: Generated<
    'scheduled' | 'repeating' | 'sending' | 'paused' | 'canceled' | 'done' | 'failed'
  >
  subject: Generated<string>
  template: Generated<string>
  unknown_until: Generated<string>
  updated: Generated<string>
  user: Generated<string>
  variables: string | null
  without_consent: string | null
}

interface CarrierAttemptsRow {
  attempt: number
  begun_at: Generated<Date>
  device: string
  message: string
}

interface CarrierTextsRow {
  at: Date
  device: string
  key: string
}

interface ConsentStatesRow {
  _rowid: Generated<number>
  created: Generated<string>
  entry: Generated<string>
  group: Generated<string>
  id: string
  number: Generated<string>
  previous: string | null
  purpose: Generated<string>
  since: Generated<string>
  state: Generated<'given' | 'asked' | 'claimed' | 'stopped'>
  until: Generated<string>
  updated: Generated<string>
  user: Generated<string>
}

interface ConsentsRow {
  _rowid: Generated<number>
  address: Generated<string>
  browser: Generated<string>
  contact: Generated<string>
  created: Generated<string>
  entered_by: Generated<string>
  event: Generated<'opt_in' | 'confirmed' | 'opt_out' | 'imported' | 'undone'>
  given_at: Generated<string>
  group: Generated<string>
  id: string
  message: Generated<string>
  number: Generated<string>
  purpose: Generated<string>
  said: Generated<string>
  shown: Generated<string>
  source: Generated<'' | 'keyword' | 'page' | 'api' | 'import' | 'console' | 'reply'>
  user: Generated<string>
  version: Generated<string>
}

interface ContactFieldsRow {
  _rowid: Generated<number>
  choices: string | null
  created: Generated<string>
  former: string | null
  id: string
  key: Generated<string>
  name: Generated<string>
  type: Generated<'text' | 'number' | 'date' | 'choice'>
  updated: Generated<string>
  user: Generated<string>
}

interface ContactGroupsRow {
  _rowid: Generated<number>
  created: Generated<string>
  id: string
  join_confirm: Generated<boolean>
  join_page: Generated<boolean>
  join_text: Generated<string>
  join_words: Generated<string>
  keep_days: Generated<number>
  name: Generated<string>
  page_confirm: Generated<'' | 'reply' | 'code'>
  page_consent: Generated<string>
  page_text: Generated<string>
  requires_consent: Generated<boolean>
  updated: Generated<string>
  user: Generated<string>
}

interface ContactsRow {
  _rowid: Generated<number>
  created: Generated<string>
  data: string | null
  groups: Generated<string[]>
  id: string
  labels: Generated<string[]>
  name: Generated<string>
  opted_out: Generated<boolean>
  person: Generated<string>
  phone: Generated<string>
  time_zone: Generated<string>
  updated: Generated<string>
  user: Generated<string>
}

interface ConversationDraftsRow {
  _rowid: Generated<number>
  author: Generated<string>
  conversation: Generated<string>
  created: Generated<string>
  id: string
  text: Generated<string>
  updated: Generated<string>
  user: Generated<string>
}

interface ConversationNotesRow {
  _rowid: Generated<number>
  author: Generated<string>
  conversation: Generated<string>
  created: Generated<string>
  id: string
  mentions: Generated<string[]>
  text: Generated<string>
  updated: Generated<string>
  user: Generated<string>
}

interface ConversationsRow {
  _rowid: Generated<number>
  archived: Generated<boolean>
  asked_at: Generated<string>
  assigned_at: Generated<string>
  assignee: Generated<string>
  blocked: Generated<boolean>
  created: Generated<string>
  device: Generated<string>
  failure: Generated<string>
  follow_up_at: Generated<string>
  id: string
  labels: Generated<string[]>
  last_at: Generated<string>
  last_message: Generated<string>
  last_sender: Generated<string>
  last_text: Generated<string>
  last_type: Generated<'' | 'outgoing' | 'incoming'>
  line: Generated<string>
  name: Generated<string>
  number: Generated<string>
  unanswered: Generated<boolean>
  unread: Generated<number>
  updated: Generated<string>
  user: Generated<string>
}

interface DeviceBatteriesRow {
  android: number | null
  at: Generated<Date>
  charging: boolean | null
  connection: string | null
  device: string
  low_told_at: Date | null
  percent: number | null
}

interface DeviceCarriersRow {
  account: string
  address_hash: string
  device: string
  fault: Generated<string>
  fault_told_at: Date | null
  leased_until: Generated<Date>
  node: Generated<string>
  ready: Generated<boolean>
  sealed: string
  user: string
  version: Generated<number>
}

interface DeviceHandoutsRow {
  at: Date
  device: string
  line: Generated<string>
  messages: number
}

interface DevicePairingsRow {
  code_hash: string
  expires_at: Date
  name: Generated<string>
  user: string
}

interface DeviceSilencesRow {
  changed_at: Generated<Date>
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
  is_only: Generated<boolean>
  looked_at: Generated<Date>
  reachable_since: Generated<Date>
}

interface DevicesRow {
  _rowid: Generated<number>
  addresses: Generated<string>
  created: Generated<string>
  daily_limit: Generated<number>
  email: Generated<string>
  emailVisibility: Generated<boolean>
  enabled: Generated<boolean>
  id: string
  last_seen: Generated<string>
  name: Generated<string>
  password: Generated<string>
  per_minute: Generated<number>
  phone: Generated<string>
  platform: Generated<'' | 'android' | 'modem' | 'simulator' | 'carrier' | 'other'>
  push: string | null
  sims: string | null
  tokenKey: Generated<string>
  updated: Generated<string>
  user: Generated<string>
  verified: Generated<boolean>
}

interface DirectoryRolesRow {
  _rowid: Generated<number>
  claim: Generated<string>
  created: Generated<string>
  id: string
  provider: Generated<'oidc' | 'oidc2' | 'oidc3' | 'microsoft' | 'google'>
  role: Generated<'admin' | 'agent' | 'viewer'>
  updated: Generated<string>
  user: Generated<string>
  value: Generated<string>
}

interface HookCallsRow {
  _rowid: Generated<number>
  body: Generated<string>
  created: Generated<string>
  error: Generated<string>
  hook: Generated<string>
  id: string
  messages: string | null
  outcome: Generated<
    'sent' | 'waiting' | 'repeated' | 'resolved' | 'skipped' | 'limited' | 'refused' | 'disabled'
  >
  texts: string | null
  user: Generated<string>
}

interface HookOnceRow {
  hook: string
  key: string
  until: Date
}

interface HookWindowsRow {
  began: Date
  held: Generated<number>
  hook: string
  sent: number
  summary: Generated<string[]>
}

interface HooksRow {
  _rowid: Generated<number>
  addresses: Generated<string>
  created: Generated<string>
  enabled: Generated<boolean>
  groups: Generated<string[]>
  id: string
  kind: Generated<'' | 'alerts' | 'codes'>
  label: Generated<string>
  line: Generated<string>
  max_parts: Generated<number>
  name: Generated<string>
  once_key: Generated<string>
  once_minutes: Generated<number>
  pictures_from: Generated<string>
  preset: Generated<SelectValue<'hooks.preset'>>
  quiet_from: Generated<string>
  quiet_to: Generated<string>
  rate: Generated<number>
  recipients: string | null
  recipients_from: Generated<string>
  resolved: Generated<'' | 'send' | 'skip'>
  resolved_when: Generated<string>
  secret: Generated<string>
  send_when: Generated<string>
  signing_secret: Generated<string>
  template: Generated<string>
  updated: Generated<string>
  user: Generated<string>
}

interface InboxViewsRow {
  _rowid: Generated<number>
  assignee: Generated<string>
  author: Generated<string>
  created: Generated<string>
  id: string
  labels: string | null
  name: Generated<string>
  shared: Generated<boolean>
  sort: Generated<SelectValue<'inbox_views.sort'>>
  state: Generated<SelectValue<'inbox_views.state'>>
  updated: Generated<string>
  user: Generated<string>
}

interface LabelsRow {
  _rowid: Generated<number>
  color: Generated<SelectValue<'labels.color'>>
  created: Generated<string>
  id: string
  name: Generated<string>
  updated: Generated<string>
  user: Generated<string>
}

interface LineCostsRow {
  cost: Generated<string>
  line: string
  month: string
  stopped_at: Date | null
  texts: Generated<number>
  user: string
}

interface LineRecipientsRow {
  line: string
  month: string
  number: string
  texts: number
}

interface LineUseRow {
  day: Generated<string>
  day_texts: Generated<number>
  failing_told_at: Date | null
  failures: Generated<number>
  line: string
  month: Generated<string>
  month_texts: Generated<number>
  recipients: Generated<number>
  turn: Generated<number>
}

interface LinesRow {
  _rowid: Generated<number>
  carrier: Generated<string>
  country: Generated<string>
  created: Generated<string>
  daily_limit: Generated<number>
  device: Generated<string>
  enabled: Generated<boolean>
  failing_since: Generated<string>
  id: string
  label: Generated<string>
  mms: Generated<'' | 'on' | 'off'>
  monthly_budget: Generated<string>
  monthly_limit: Generated<number>
  monthly_recipients: Generated<number>
  number: Generated<string>
  per_minute: Generated<number>
  prefixes: Generated<string>
  present: Generated<boolean>
  prices: string | null
  slot: Generated<number>
  updated: Generated<string>
  user: Generated<string>
}

interface MemberInvitationsRow {
  _rowid: Generated<number>
  account: Generated<string>
  created: Generated<string>
  email: Generated<string>
  expires: Generated<string>
  hash: Generated<string>
  id: string
  invited_by: Generated<string>
  role: Generated<'admin' | 'agent' | 'viewer'>
}

interface MembersRow {
  _rowid: Generated<number>
  account: Generated<string>
  addresses: Generated<string>
  created: Generated<string>
  directory: Generated<string>
  id: string
  member: Generated<string>
  notify: Generated<'' | 'all' | 'mine' | 'none'>
  notify_from: Generated<string>
  notify_silent: Generated<boolean>
  notify_to: Generated<string>
  notify_zone: Generated<string>
  proven_until: Generated<string>
  role: Generated<'admin' | 'agent' | 'viewer'>
  tokenKey: Generated<string>
  undo_seconds: Generated<number>
  updated: Generated<string>
}

interface PersonRequestsRow {
  _rowid: Generated<number>
  asked_by: Generated<string>
  counts: string | null
  created: Generated<string>
  done_at: Generated<string>
  error: Generated<string>
  expires_at: Generated<string>
  files: Generated<string[]>
  hash: Generated<string>
  id: string
  kind: Generated<'export' | 'erasure'>
  number: Generated<string>
  progress: Generated<number>
  reason: Generated<string>
  state: Generated<'waiting' | 'running' | 'done' | 'failed'>
  updated: Generated<string>
  user: Generated<string>
}

interface PushHoursRow {
  ends: Date
  next_at: Generated<Date>
  pushes: number
  user: string
}

interface PushSubscriptionsRow {
  created: Generated<Date>
  endpoint: string
  failures: Generated<number>
  id: string
  keys: string
  sender: Generated<string>
  user: string
  user_agent: string
}

interface ReplyMailsRow {
  next_at: Date
  told_until: Generated<string>
  user: string
}

interface SendersRow {
  _rowid: Generated<number>
  id: string
  kind: Generated<'owner' | 'member' | 'key' | 'campaign' | 'answer' | 'hook'>
  name: Generated<string>
  user: Generated<string>
}

interface SmsDispatchRow {
  at_least_once: Generated<boolean>
  attempt: Generated<number>
  charged: Generated<string>
  cost: string | null
  device: Generated<string>
  due_at: Date | null
  expires_at: Date | null
  lease_until: Date | null
  line: Generated<string>
  line_pinned: Generated<boolean>
  lines: string[] | null
  message: string
  period: string
  pinned: Generated<boolean>
  position: Generated<number>
  priority: Generated<number>
  queued_at: Generated<Date>
  quiet_zone: string | null
  refused: Generated<string>
  scope: string | null
  sealed: string | null
  send: Generated<string>
  state: string
  user: string
  waiting_for: Generated<string>
  wake_at: Date | null
  wakes: Generated<number>
}

interface SmsEventsRow {
  _rowid: Generated<number>
  attempt: Generated<number>
  changed_by: Generated<string>
  created: Generated<string>
  detail: Generated<string>
  device: Generated<string>
  id: string
  message: Generated<string>
  status: Generated<
    'pending' | 'assigned' | 'sending' | 'sent' | 'delivered' | 'failed' | 'received'
  >
  user: Generated<string>
}

interface SmsIdempotencyRow {
  answer: string
  created: Generated<Date>
  fingerprint: string
  key: string
  user: string
}

interface SmsMessagesRow {
  _rowid: Generated<number>
  attachments: Generated<string[]>
  batch_id: Generated<string>
  body: Generated<string>
  client_ref: Generated<string>
  created: Generated<string>
  delivered_at: Generated<string>
  device: Generated<string>
  error_message: Generated<string>
  expires_at: Generated<string>
  from: Generated<string>
  guarantee: Generated<'' | 'at_most_once' | 'at_least_once'>
  id: string
  line: Generated<string>
  message_type: Generated<'outgoing' | 'incoming'>
  priority: Generated<number>
  scheduled_at: Generated<string>
  segments: Generated<number>
  sent_at: Generated<string>
  sent_by: Generated<string>
  sim: Generated<number>
  status: Generated<
    'pending' | 'assigned' | 'sending' | 'sent' | 'delivered' | 'failed' | 'received'
  >
  subject: Generated<string>
  to: Generated<string>
  updated: Generated<string>
  user: Generated<string>
  waiting_for: Generated<'' | 'room' | 'quiet_hours' | 'phone' | 'undo'>
}

interface SmsMessagesBriefRow {
  _rowid: number
  created: Generated<string>
  message_type: string
  status: string
  user: string
}

interface SmsOriginsRow {
  api: string
  created: Generated<string>
  data: string | null
  id: string
  is_batch: boolean
  ref: string
  told: Generated<number>
  user: string
}

interface SmsTemplatesRow {
  _rowid: Generated<number>
  attachments: Generated<string[]>
  body: Generated<string>
  created: Generated<string>
  id: string
  name: Generated<string>
  requires_consent: Generated<boolean>
  updated: Generated<string>
  user: Generated<string>
}

interface SmsTotalsRow {
  id: Generated<number>
  messages: number
  relation: number
  user: string
}

interface SmsTurnsRow {
  messages: Generated<number>
  turn: Generated<number>
  user: string
}

interface SmsUsageRow {
  _rowid: Generated<number>
  created: Generated<string>
  id: string
  period: Generated<string>
  quota: Generated<number>
  updated: Generated<string>
  used: Generated<number>
  user: Generated<string>
}

interface SmsgateAccountsRow {
  signing_key: string
  user: string
}

interface SmsgatePhonesRow {
  at_once: Generated<number>
  clock_ms: number | null
  device: string
  export_since: Date | null
  export_until: Date | null
  handed: Generated<number>
  handed_at: Date | null
  held_until: Date | null
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
  is_known: Generated<boolean>
  is_processed: Generated<boolean>
  listed_at: Date
  message: string
  user: string
  valid_until: Date
}

interface SmsgateTokensRow {
  access_until: Date
  api_key: string
  created: Generated<Date>
  id: string
  is_refreshed: Generated<boolean>
  refresh_until: Date
  scopes: string[]
  secret: string
  user: string
}

interface TwilioAnswersRow {
  created: Generated<Date>
  message: string
  replies: string | null
}

interface TwilioNumbersRow {
  device: string
  sms_method: string
}

interface UserSettingsRow {
  _rowid: Generated<number>
  account_name: Generated<string>
  agent_list_rows: Generated<number>
  assign: Generated<'' | 'answerer' | 'turns'>
  code_approval_floor: Generated<number>
  code_counted_from: Generated<string>
  code_destinations: Generated<string>
  code_max_per_account: Generated<number>
  code_max_per_day: Generated<number>
  code_max_per_hour: Generated<number>
  code_max_per_network: Generated<number>
  code_quota_share: Generated<number>
  code_stopped: Generated<string>
  color: Generated<string>
  country: Generated<string>
  created: Generated<string>
  currency: Generated<string>
  destinations: Generated<string>
  disabled: Generated<boolean>
  failover_minutes: Generated<number>
  failover_priority: Generated<number>
  id: string
  keep_consents: Generated<number>
  keep_files: Generated<number>
  keep_incoming: Generated<number>
  keep_outgoing: Generated<number>
  line_choice: Generated<'' | 'turns' | 'cheapest'>
  logo: Generated<string>
  notify: Generated<'' | 'all' | 'mine' | 'none'>
  notify_from: Generated<string>
  notify_silent: Generated<boolean>
  notify_to: Generated<string>
  notify_zone: Generated<string>
  opt_out_chosen: Generated<boolean>
  opt_out_languages: Generated<string[]>
  quiet_days: Generated<string[]>
  quiet_from: Generated<string>
  quiet_to: Generated<string>
  reply_mail_minutes: Generated<number>
  second_factor_from: Generated<string>
  session_days: Generated<number>
  short_codes: Generated<boolean>
  time_zone: Generated<string>
  undo_seconds: Generated<number>
  updated: Generated<string>
  user: Generated<string>
}

interface UsersRow {
  _rowid: Generated<number>
  created: Generated<string>
  email: Generated<string>
  emailVisibility: Generated<boolean>
  id: string
  language: Generated<'' | SelectValue<'users.language'>>
  member_only: Generated<boolean>
  monthly_quota: Generated<number>
  name: Generated<string>
  password: Generated<string>
  tokenKey: Generated<string>
  updated: Generated<string>
  verified: Generated<boolean>
}

interface VerificationsRow {
  _rowid: Generated<number>
  attempts: Generated<number>
  channel: Generated<'sms'>
  country: Generated<string>
  created: Generated<string>
  expires_at: Generated<string>
  id: string
  message: Generated<string>
  sends: Generated<number>
  service: Generated<string>
  status: Generated<'pending' | 'approved' | 'expired' | 'canceled' | 'max_attempts_reached'>
  to: Generated<string>
  updated: Generated<string>
  user: Generated<string>
}

interface VerifyServicesRow {
  _rowid: Generated<number>
  api_key: Generated<string>
  app_hash: Generated<string>
  code_length: Generated<number>
  created: Generated<string>
  default_locale: Generated<string>
  domain: Generated<string>
  id: string
  name: Generated<string>
  templates: string | null
  ttl: Generated<number>
  updated: Generated<string>
  user: Generated<string>
}

interface WebhookDeliveriesRow {
  _rowid: Generated<number>
  attempts: Generated<number>
  created: Generated<string>
  event: Generated<string>
  event_id: Generated<string>
  id: string
  latency_ms: Generated<number>
  message: Generated<string>
  next_attempt_at: Generated<string>
  response_body: Generated<string>
  response_status: Generated<number>
  status: Generated<'pending' | 'delivered' | 'failed'>
  updated: Generated<string>
  user: Generated<string>
  webhook: Generated<string>
}

interface WebhookDispatchRow {
  delivery: string
  due_at: Generated<Date>
  event: string | null
  handed_at: Date | null
  target: string | null
  user: string
  webhook: string
}

interface WebhookHeadersRow {
  delivery: string
  headers: string
}

interface WebhookPayloadsRow {
  at: Date
  delivery: string
  image: string
  target: string | null
}

interface WebhookRotationsRow {
  until: Date
  webhook: string
}

interface WebhooksRow {
  _rowid: Generated<number>
  api_key: Generated<string>
  body: string | null
  created: Generated<string>
  device: Generated<string>
  enabled: Generated<boolean>
  events: Generated<string[]>
  format: Generated<'' | SelectValue<'webhooks.format'>>
  headers: string | null
  id: string
  lines: Generated<string[]>
  method: Generated<'' | 'POST' | 'PUT' | 'PATCH' | 'GET' | 'DELETE'>
  numbers: Generated<string>
  preset: Generated<'' | SelectValue<'webhooks.preset'>>
  previous_secret: Generated<string>
  secret: Generated<string>
  service_token: Generated<string>
  smsgate_event: Generated<
    | ''
    | 'sms:received'
    | 'sms:data-received'
    | 'sms:sent'
    | 'sms:delivered'
    | 'sms:failed'
    | 'sms:cancelled'
  >
  smsgate_id: Generated<string>
  target: Generated<string>
  token: Generated<string>
  updated: Generated<string>
  url: Generated<string>
  user: Generated<string>
}

/** The tables and views of the schema: columns as they arrive, and what an insert may leave out. */
export interface Tables {
  _audit: AuditRow
  _audit_logs: AuditLogsRow
  _audit_numbers: AuditNumbersRow
  _audit_queue: AuditQueueRow
  _authOrigins: AuthOriginsRow
  _changes: ChangesRow
  _collections: CollectionsRow
  _collections_listed: CollectionsListedRow
  _consents_forgotten: ConsentsForgottenRow
  _externalAuths: ExternalAuthsRow
  _file_chunks: FileChunksRow
  _file_contents: FileContentsRow
  _files: FilesRow
  _functions: FunctionsRow
  _jobs: JobsRow
  _listeners: ListenersRow
  _logs: LogsRow
  _mfas: MfasRow
  _migrations: MigrationsRow
  _otps: OtpsRow
  _params: ParamsRow
  _provider_claims: ProviderClaimsRow
  _schema: SchemaRow
  _stop_list: StopListRow
  _subscribing: SubscribingRow
  _superusers: SuperusersRow
  _texts_forgotten: TextsForgottenRow
  _unproven_links: UnprovenLinksRow
  _verify_codes: VerifyCodesRow
  account_audit: AccountAuditRow
  api_keys: ApiKeysRow
  auth_challenges: AuthChallengesRow
  auth_factors: AuthFactorsRow
  auth_passkeys: AuthPasskeysRow
  auth_session_tokens: AuthSessionTokensRow
  auth_sessions: AuthSessionsRow
  auth_tries: AuthTriesRow
  auto_answers: AutoAnswersRow
  auto_answers_sent: AutoAnswersSentRow
  backup_state: BackupStateRow
  campaign_recipients: CampaignRecipientsRow
  campaigns: CampaignsRow
  carrier_attempts: CarrierAttemptsRow
  carrier_texts: CarrierTextsRow
  consent_states: ConsentStatesRow
  consents: ConsentsRow
  contact_fields: ContactFieldsRow
  contact_groups: ContactGroupsRow
  contacts: ContactsRow
  conversation_drafts: ConversationDraftsRow
  conversation_notes: ConversationNotesRow
  conversations: ConversationsRow
  device_batteries: DeviceBatteriesRow
  device_carriers: DeviceCarriersRow
  device_handouts: DeviceHandoutsRow
  device_pairings: DevicePairingsRow
  device_silences: DeviceSilencesRow
  device_streams: DeviceStreamsRow
  device_watch: DeviceWatchRow
  devices: DevicesRow
  directory_roles: DirectoryRolesRow
  hook_calls: HookCallsRow
  hook_once: HookOnceRow
  hook_windows: HookWindowsRow
  hooks: HooksRow
  inbox_views: InboxViewsRow
  labels: LabelsRow
  line_costs: LineCostsRow
  line_recipients: LineRecipientsRow
  line_use: LineUseRow
  lines: LinesRow
  member_invitations: MemberInvitationsRow
  members: MembersRow
  person_requests: PersonRequestsRow
  push_hours: PushHoursRow
  push_subscriptions: PushSubscriptionsRow
  reply_mails: ReplyMailsRow
  senders: SendersRow
  sms_dispatch: SmsDispatchRow
  sms_events: SmsEventsRow
  sms_idempotency: SmsIdempotencyRow
  sms_messages: SmsMessagesRow
  sms_messages_brief: SmsMessagesBriefRow
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
  webhook_headers: WebhookHeadersRow
  webhook_payloads: WebhookPayloadsRow
  webhook_rotations: WebhookRotationsRow
  webhooks: WebhooksRow
}

/** Tables and types that are no collections. */
export const NO_COLLECTIONS: ReadonlySet<string> = new Set([
  '_audit',
  '_audit_logs',
  '_audit_numbers',
  '_audit_queue',
  '_changes',
  '_consents_forgotten',
  '_file_chunks',
  '_file_contents',
  '_files',
  '_functions',
  '_jobs',
  '_listeners',
  '_logs',
  '_provider_claims',
  '_schema',
  '_stop_list',
  '_subscribing',
  '_texts_forgotten',
  '_unproven_links',
  '_verify_codes',
  'auth_challenges',
  'auth_factors',
  'auth_passkeys',
  'auth_session_tokens',
  'auth_sessions',
  'auth_tries',
  'auto_answers_sent',
  'backup_state',
  'carrier_attempts',
  'carrier_texts',
  'device_batteries',
  'device_carriers',
  'device_handouts',
  'device_pairings',
  'device_silences',
  'device_streams',
  'device_watch',
  'hook_once',
  'hook_windows',
  'line_costs',
  'line_recipients',
  'line_use',
  'pb_date',
  'push_hours',
  'push_subscriptions',
  'reply_mails',
  'sms_dispatch',
  'sms_idempotency',
  'sms_line_state',
  'sms_messages_brief',
  'sms_new_message',
  'sms_origins',
  'sms_request',
  'sms_request_message',
  'sms_totals',
  'sms_turns',
  'smsgate_accounts',
  'smsgate_phones',
  'smsgate_texts',
  'smsgate_tokens',
  'twilio_answers',
  'twilio_numbers',
  'webhook_call',
  'webhook_dispatch',
  'webhook_headers',
  'webhook_payloads',
  'webhook_rotations',
])
