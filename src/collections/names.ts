import { createHash } from 'node:crypto'

/** Postgres silently cuts longer identifiers, so two could become equal. */
const MAX_BYTES = 63
const HASH_LENGTH = 8

/** System columns of Postgres, and `_rowid` of every collection. */
const TAKEN_COLUMNS = new Set(['_rowid', 'tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

function withHash(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH)
  return `${name.slice(0, MAX_BYTES - HASH_LENGTH - 1)}_${hash}`
}

const fits = (name: string) => Buffer.byteLength(name) <= MAX_BYTES

/** The table or view of a collection: its name, or `_` and the name with a hash if that is taken. */
export function tableName(collection: { readonly name: string; readonly isInternal?: true }): string {
  const { name } = collection
  if (collection.isInternal) return name
  if (/^pg_/i.test(name) || isInternal(name)) return withHash(`_${name}`)
  return fits(name) ? name : withHash(name)
}

/** Column of a field: its name, or with a hash if taken or too long. */
export function columnName(field: string): string {
  return fits(field) && !TAKEN_COLUMNS.has(field) ? field : withHash(field)
}

/** Name of an index, with a hash if too long. */
export function indexName(name: string): string {
  return fits(name) ? name : withHash(name)
}

/** Quotes an identifier for SQL. */
export function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

const VIA = '_via_'

/** `contacts` and `user` of `contacts_via_user`, split at the last `_via_`; undefined for other names. */
export function splitBackRelation(name: string): [collection: string, field: string] | undefined {
  const at = name.lastIndexOf(VIA, name.length - VIA.length - 1)
  if (at < 1 || !/^\w+$/.test(name)) return undefined
  return [name.slice(0, at), name.slice(at + VIA.length)]
}

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
