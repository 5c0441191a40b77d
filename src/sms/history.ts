import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../collections/catalog.ts'
import type { Config } from '../config.ts'
import { LOCKS } from '../db/advisory-locks.ts'
import { isSqlError } from '../db/errors.ts'
import type { Db } from '../db/open.ts'
import { type SqlFile, sqlFiles } from '../db/schema/sql-files.ts'
import { indexStates, installTrigrams, type Trigrams, trigramsOf } from '../db/schema/trigrams.ts'
import { textsOf } from '../db/statement.ts'
import type { Logger } from '../log.ts'
import { deleteRecords } from '../records/delete.ts'
import type { Extensions } from '../records/extension.ts'
import { repeat } from '../tools/repeat.ts'
import { clearLastTexts } from './conversations/inbox.ts'

type Mode = Config['retention']['mode']

const ENDED = `status not in ('pending', 'assigned', 'sending')`

/** SQL: a message has content to remove. Leaves out the status: indexing that would prevent HOT updates. */
export const HAS_CONTENT_SQL: Readonly<Record<Mode, string>> = {
  redact: `body <> ''`,
  delete: `(client_ref = '' or "to" <> '')`,
}

/** Creates the index that retention uses, concurrently. False while another node builds it. */
export async function makeRetentionIndex(db: Db, mode: Mode): Promise<boolean> {
  const drop = (name: string) => db.unhurried(`drop index concurrently if exists ${name}`)
  const name = `sms_messages_to_${mode}`
  const other = `sms_messages_to_${mode === 'redact' ? 'delete' : 'redact'}`
  const states = await indexStates(db, [name, other])
  if (states.get(other) !== 'missing') await drop(other)
  const state = states.get(name)
  if (state === 'ready' || state === 'building') return state === 'ready'
  const definition = `on sms_messages (created) where ${HAS_CONTENT_SQL[mode]}`
  if (state === 'partial') await drop(name)
  // `if not exists`: a second node waits for the first, then finds the index
  await db.unhurried(`create index concurrently if not exists ${name} ${definition}`)
  return true
}

/** Messages per transaction: it takes 50 ms to redact them, 90 ms to delete them. */
const BATCH = 1_000
const PAUSE_MS = 50

/**
 * Redacts or deletes (`mode`) messages that ended more than `days` days ago; none if `days` is 0. Works in
 * batches until done or `signal` aborts. Keeps usage counts and does not notify subscribers. Returns the
 * number of messages, 0 also while another node does it.
 */
export async function endOldMessages(
  store: Store,
  extensions: Extensions,
  { mode, days }: Config['retention'],
  signal?: AbortSignal,
): Promise<number> {
  if (days === 0 || !(await makeRetentionIndex(store.db, mode))) return 0
  await store.db.query(CAMPAIGNS, [days])
  let total = 0
  while (!signal?.aborted) {
    const count = await store.db.transaction(async (db) => {
      const { rows } = await db.query('select pg_try_advisory_xact_lock($1)', [LOCKS.retention])
      const inside = { db, catalog: store.catalog }
      const end = mode === 'redact' ? () => redact(db, days) : () => remove(inside, extensions, days)
      const taken = rows[0]![0] ? await end() : 0
      // do not send subscribers an event for each removed record
      await db.query('delete from _changes where xid = pg_current_xact_id()')
      return taken
    })
    total += count
    if (count < BATCH) break
    await sleep(PAUSE_MS)
  }
  return total
}

/** Removes texts and phone numbers from campaigns that ended more than $1 days ago. */
const CAMPAIGNS = `
update campaigns set body = '', variables = 'null', recipients = '[]'
where status in ('done', 'canceled', 'failed') and updated < pb_text(now() - make_interval(days => $1))
  and (body <> '' or recipients::text <> '[]')`

/** SQL: the date $1 days ago. Messages that were changed after it are kept, however old they are. */
const END = 'pb_text(now() - make_interval(days => $1))'
const oldest = (mode: Mode) =>
  `select id from sms_messages where created < ${END} and updated < ${END} and ${ENDED} and ${HAS_CONTENT_SQL[mode]}
  order by created limit ${BATCH} for update skip locked`

const REDACT = `
with old as (${oldest('redact')})
update sms_messages m set body = '', attachments = '{}' from old where m.id = old.id returning m.id`

async function redact(db: Db, days: number) {
  const redacted = textsOf(await db.query(REDACT, [days]))
  await redactCopies(db, redacted)
  return redacted.length
}

/** Blanks messages with a `client_ref`, which must stay unique, instead of deleting them. */
const BLANK = `
update sms_messages set body = '', "to" = '', "from" = '', attachments = '{}' where id = any($1::text[]) and client_ref <> '' returning id`

async function remove(store: Store, extensions: Extensions, days: number) {
  const { db, catalog } = store
  const old = textsOf(await db.query(oldest('delete'), [days]))
  if (old.length === 0) return 0
  const blanked = new Set(textsOf(await db.query(BLANK, [old])))
  await redactCopies(db, [...blanked], { to: '', from: '' })
  const gone = old.filter((id) => !blanked.has(id))
  await deleteRecords(store, extensions, catalog.find('sms_messages')!, gone)
  return old.length
}

const REDACT_DELIVERIES = `
with cleared as (update webhook_deliveries set response_body = '' where message = any($1::text[]) returning id)
update webhook_payloads p set image = p.image::jsonb || $2::jsonb from cleared where p.delivery = cleared.id`

/**
 * Blanks the texts of messages in conversations, and texts and attachments in webhook deliveries. There, sets
 * the fields of `more`, too. Returns the ids of changed conversations.
 */
export async function redactCopies(db: Db, messages: readonly string[], more = {}): Promise<string[]> {
  await db.query(REDACT_DELIVERIES, [messages, JSON.stringify({ body: '', attachments: [], ...more })])
  return clearLastTexts(db, messages)
}

const RETRY_MS = 600_000

/** From this number of messages on, the indexes of a large history pay off: docs/scaling.md. */
const LARGE_HISTORY = 250_000

const HAS_TABLE = `select to_regclass('sms_messages') is not null`
/** Whether there are $1 messages or more, by Postgres' estimate, which autovacuum updates. */
const IS_LARGE = `select reltuples >= $1 from pg_class where oid = to_regclass('sms_messages')`
const MAY_BUILD = `select pg_try_advisory_xact_lock(${LOCKS.indexBuild})`

const UNDEFINED_COLUMN = '42703'

const files = () => sqlFiles('indexes/large-history')
const needsTrigrams = ({ sql }: SqlFile) => sql.includes('gin_trgm_ops')

const isTrue = async (db: Db, text: string, params: unknown[] = []) =>
  (await db.query(text, params)).rows[0]?.[0] === true

/** The indexes of a large history that are not `ready`; none if there are fewer than `large` messages. */
async function openIndexes(db: Db, large: number) {
  const names = files().map(({ name }) => name)
  const states = await indexStates(db, names)
  const open = files()
    .map((file) => ({ file, state: states.get(file.name) ?? 'missing' }))
    .filter(({ state }) => state !== 'ready')
  if (large === 0 || open.length === 0) return open
  return (await isTrue(db, IS_LARGE, [large])) ? open : []
}

/** The statement that creates an index. Undefined if the index needs trigrams and they are unavailable. */
function createStatement(file: SqlFile, trigrams: Trigrams): string | undefined {
  if (needsTrigrams(file) && 'reason' in trigrams) return undefined
  return 'operatorClass' in trigrams
    ? file.sql.replace('gin_trgm_ops', () => trigrams.operatorClass)
    : file.sql
}

/** Builds missing indexes concurrently, on one node; none for fewer than `large` messages. */
export async function buildIndexes(db: Db, log: Logger, large = LARGE_HISTORY): Promise<void> {
  if ((await openIndexes(db, large)).length === 0 || !(await isTrue(db, HAS_TABLE))) return
  await db.transaction(async (tx) => {
    if (await isTrue(tx, MAY_BUILD)) await buildAll(db, log, large)
  })
}

async function buildAll(db: Db, log: Logger, large: number) {
  const trigrams = await db.transaction(installTrigrams)
  for (const { file, state } of await openIndexes(db, large)) {
    const sql = createStatement(file, trigrams)
    // Postgres finishes a build that a server began, even if that server has stopped
    if (state === 'building' || !sql) continue
    if (state === 'partial') await db.unhurried(`drop index concurrently if exists ${file.name}`)
    log.info({ index: file.name }, 'building an index of the messages')
    await db.unhurried(sql).catch((error: unknown) => {
      if (!isSqlError(error, UNDEFINED_COLUMN)) throw error
    })
  }
}

/** The reason for missing trigram indexes if pg_trgm is not installed. `buildIndexes` tries to install it. */
const NOT_INSTALLED: Trigrams = {
  reason:
    'The extension pg_trgm is not installed. Install it in the database: create extension pg_trgm (docs/operations.md).',
}

/** Warnings about missing indexes; none for fewer than `large` messages. */
export async function indexWarnings(db: Db, large = LARGE_HISTORY): Promise<string[]> {
  const open = await openIndexes(db, large)
  if (open.length === 0) return []
  const trigrams = (await trigramsOf(db)) ?? NOT_INSTALLED
  return open.map(({ file, state }) => {
    if ('reason' in trigrams && needsTrigrams(file))
      return `Searches in messages are slow: the index ${file.name} is not possible. ${trigrams.reason}`
    const how = state === 'building' ? 'being built' : 'not built yet'
    return `The index ${file.name} is ${how}. Some searches and lists of messages are slow until then.`
  })
}

/**
 * Builds missing indexes in the background and retries failures. Returns a function to stop; Postgres then
 * finishes an index that it is building.
 */
export function startIndexes(db: Db, log: Logger): () => Promise<void> {
  let [isTold, isStopped] = [false, false]
  const build = async () => {
    await buildIndexes(db, log)
    if (isTold) return
    isTold = true
    for (const warning of await indexWarnings(db)) log.warn(warning)
  }
  const unlessStopped = (error: unknown) => {
    if (!isStopped) throw error
  }
  const stop = repeat(() => build().catch(unlessStopped), RETRY_MS, log)
  return async () => {
    isStopped = true
    void stop()
  }
}
