import type { Catalog } from '../../../src/engine/collections/catalog.ts'

/**
 * Tables that hold no data of the persons whom an account texts, or that need no erasure of their own, with
 * the reason. `src/gateway/people/places` has the others. A new table needs a place or a line here.
 */
export const NO_PLACES: Readonly<Record<string, string>> = {
  _audit: 'names actions, superusers and record ids; never values',
  _authOrigins: 'browsers of people who sign in',
  _changes: 'the change log: an erasure overwrites its images of each place, and clears it at the end',
  _collections: 'schemas',
  _consents_forgotten: 'hashes',
  _externalAuths: 'accounts of people who sign in',
  _file_chunks: 'contents of _files, which are deleted with them',
  _functions: 'checksums of SQL functions',
  _listeners: 'nodes',
  _logs: 'requests by the patterns of their routes, without values',
  _mfas: 'sign-ins of auth records',
  _migrations: 'names of migrations',
  _otps: 'sign-in codes of auth records, which expire within minutes',
  _params: 'settings and keys of the server',
  _stop_list: 'hashes',
  _texts_forgotten: 'ids of deleted texts, which are hashes',
  _subscribing: 'requests to subscribe, deleted after a minute',
  _superusers: 'people who sign in',
  account_audit: 'names actions, senders and record ids; never values',
  api_keys: 'keys of the account; destinations are prefixes of countries',
  auth_session_tokens: 'hashes of tokens',
  auth_sessions: 'sessions of people who sign in',
  auth_tries: 'counts by hashes of numbers, deleted within a month',
  auto_answers: 'answers that the account wrote for all senders',
  backup_state: 'backups',
  contact_groups: 'names and words of groups',
  carrier_attempts: 'ids of unfinished messages, until their results are stored',
  carrier_texts: 'hashes of message ids of carriers, deleted after 90 days',
  device_batteries: 'devices of the account',
  device_carriers: 'carriers of the account',
  device_handouts: 'devices of the account',
  device_pairings: 'devices of the account',
  device_silences: 'devices of the account',
  device_streams: 'devices of the account',
  devices: 'devices of the account',
  hook_once: 'hashes of events',
  hook_windows: 'counts, and ids of texts',
  line_costs: 'counts',
  line_use: 'counts',
  lines: 'the numbers of the account itself',
  member_invitations: 'people who sign in',
  members: 'people who sign in',
  push_hours: 'counts',
  push_subscriptions: 'browsers of people who sign in',
  reply_mails: 'times',
  senders: 'people, keys and parts of the account that send',
  sms_messages_brief: 'statuses and times',
  sms_templates: 'texts that the account wrote for all recipients',
  sms_totals: 'counts',
  sms_turns: 'counts',
  sms_usage: 'counts',
  smsgate_accounts: 'keys',
  smsgate_phones: 'devices of the account',
  smsgate_texts: 'ids of texts',
  smsgate_tokens: 'keys',
  twilio_numbers: 'settings of devices',
  user_settings: 'settings of the account',
  users: 'people who sign in',
  verify_services: 'settings of the account',
  webhook_dispatch: 'calls that wait, until they end: mentions in their addresses are hidden',
  webhook_rotations: 'times',
}

const ID = 'names a row'
const NUMBER = 'a number: rows of the person are found by it'
const CHOSEN = 'the server chooses it from a list'
const SETTING = 'a setting of the account, by which it works'
const RANDOM = 'random, a hash, or encrypted'
const DELETED = 'a row that names the person in any column is deleted'
const PROOF = 'a proof of another person, which nobody may change'

/** Columns that name no person in rows about others, with the reason: by name, or by table and name. */
export const NO_WORDS: Readonly<Record<string, string>> = {
  ...{ id: ID, user: ID, key: ID, message: ID, messages: ID, last_message: ID, delivery: ID, ref: ID },
  ...{ line: ID, lines: ID, device: ID, webhook: ID, holder: ID, record: ID, collection: ID, owner: ID },
  ...{ batch_id: ID, batches: ID, former_batch: ID, event_id: ID, api_key: ID, verification: ID, answer: ID },
  ...{ number: NUMBER, phone: NUMBER, to: NUMBER, from: NUMBER, recipients: NUMBER, audience: NUMBER },
  ...{ without_consent: NUMBER, numbers: NUMBER },
  ...{ event: CHOSEN, kind: CHOSEN, api: CHOSEN, state: CHOSEN, country: CHOSEN, time_zone: CHOSEN },
  ...{
    charged: CHOSEN,
    waiting_for: CHOSEN,
    quiet_zone: CHOSEN,
    period: CHOSEN,
    month: CHOSEN,
    type: CHOSEN,
  },
  ...{ 'sms_dispatch.refused': CHOSEN, 'sms_dispatch.scope': ID },
  ...{ purpose: CHOSEN, counts: CHOSEN, repeat: CHOSEN, thumb: CHOSEN, node: CHOSEN },
  ...{ hash: RANDOM, sealed: RANDOM, fingerprint: RANDOM, secret: RANDOM, previous_secret: RANDOM },
  ...{ signing_secret: RANDOM, token: RANDOM, service_token: RANDOM, address_hash: RANDOM },
  '_files.name': 'the name of a file that another person sent',
  'device_carriers.account': SETTING,
  ...{ 'hooks.template': SETTING, 'hooks.recipients_from': SETTING, 'hooks.once_key': SETTING },
  ...{ 'hooks.resolved_when': SETTING, 'hooks.send_when': SETTING, quiet_from: SETTING, quiet_to: SETTING },
  ...{ 'webhooks.url': SETTING, 'webhooks.headers': SETTING, 'webhooks.body': SETTING },
  ...{ 'webhooks.target': SETTING, 'webhooks.smsgate_id': SETTING },
  ...{ 'hook_calls.body': DELETED, 'hook_calls.error': DELETED, 'hook_calls.texts': DELETED },
  ...{ 'sms_idempotency.key': DELETED, 'sms_idempotency.answer': DELETED, 'twilio_answers.replies': DELETED },
  ...{ 'consents.shown': PROOF, 'consents.version': PROOF, 'consents.said': PROOF },
  ...{ 'consents.address': PROOF, 'consents.browser': PROOF },
}

const WORDLESS = new Set(['relation', 'select', 'file', 'password', 'autodate', 'date'])

/** Why a column, `table.column`, names no person in rows about others; undefined without a reason. */
export function findReason(column: string, catalog: Catalog): string | undefined {
  const [table, name] = column.split('.') as [string, string]
  const field = catalog.find(table)?.fields.find((one) => one.name === name)
  if (field && WORDLESS.has(field.type)) return `a field of the type ${field.type}`
  return NO_PLACES[table] ?? NO_WORDS[column] ?? NO_WORDS[name]
}
