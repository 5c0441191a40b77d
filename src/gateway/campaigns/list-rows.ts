import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, NOW, queries } from '../../platform/db/queries.ts'
import { makeRandomId } from '../../platform/tools/random.ts'
import { logChanged, REASONS, updateRecords } from '../base/message-status.ts'
import type { OfferedMessage } from '../messages/send/offer.ts'
import type { GivenRow } from './list-body.ts'
import { LIST_REASONS } from './list-reasons.ts'
import type { PlannedRow } from './plan-list.ts'

/** Maximum rows stored by one statement. */
const CHUNK = 1_000

/** A row as it is stored, with its id. */
export interface OpenRow {
  readonly id: string
  readonly to: string
  readonly values: Readonly<Record<string, unknown>>
}

/** Gives rows their ids; `audience`: the ids of those that get a text, in their order. */
export function nameRows(rows: readonly PlannedRow[]) {
  const named = rows.map((row) => ({ ...row, id: makeRandomId() }))
  return { rows: named, audience: named.flatMap(({ id, size }) => (size ? [id] : [])) }
}

/** A row to store. `line`: 0 for a reminder; `occurrence`: '' for a list. */
interface NewRow extends OpenRow {
  readonly line: number
  readonly reason: string
  readonly occurrence: string
}

const COLUMNS = [
  'id',
  'user',
  'campaign',
  'line',
  'to',
  'values',
  'reason',
  'occurrence',
  'created',
  'updated',
] as const

/** Stores rows of a campaign. Returns the ids of those whose occurrence had no row yet. */
export async function insertRecipients(
  db: Db,
  user: string,
  campaign: string,
  rows: readonly NewRow[],
): Promise<string[]> {
  const given = sql<
    Record<'id' | 'to' | 'values' | 'reason' | 'occurrence', string> & { line: number }
  >`
    json_to_recordset(${JSON.stringify(rows)}::json)`
  const inserted = await queries(db)
    .insertInto('campaign_recipients')
    .columns(COLUMNS)
    .expression((from) =>
      from
        .selectFrom(
          given.as<'r'>(
            sql`r(id text, line int, "to" text, "values" json, reason text, occurrence text)`,
          ),
        )
        .select(['r.id', sql<string>`${user}::text`.as('user')])
        .select(sql<string>`${campaign}::text`.as('campaign'))
        .select(['r.line', 'r.to', 'r.values', 'r.reason', 'r.occurrence'])
        .select([NOW.as('created'), NOW.as('updated')]),
    )
    .onConflict((found) =>
      found.columns(['campaign', 'occurrence']).where('occurrence', '<>', sql.lit('')).doNothing(),
    )
    .returning('id')
    .execute()
  const ids = inserted.map(({ id }) => id)
  await logChanged({ db }, 'campaign_recipients', 'create', ids)
  return ids
}

/** Stores the rows of a list in the transaction that stores their campaign. */
export async function insertListRows(
  db: Db,
  user: string,
  campaign: string,
  rows: ReturnType<typeof nameRows>['rows'],
): Promise<void> {
  const named = rows.map(({ size: _, ...row }) => ({ ...row, occurrence: '' }))
  for (let at = 0; at < named.length; at += CHUNK)
    await insertRecipients(db, user, campaign, named.slice(at, at + CHUNK))
}

/** How many of these rows still wait for their text. */
export async function countOpenRows(db: Db, ids: readonly string[]): Promise<number> {
  const { open } = await selectOpenRows(db, ids)
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .executeTakeFirstOrThrow()
  return Number(open)
}

const selectOpenRows = (db: Db, ids: readonly string[]) =>
  queries(db)
    .selectFrom('campaign_recipients')
    .where('id', '=', matchAny(ids))
    .where('message', '=', sql.lit(''))
    .where('reason', '=', sql.lit(''))

/** Returns the rows that still wait for their text, in their order. */
export async function loadOpenRows(db: Db, ids: readonly string[]): Promise<OpenRow[]> {
  const found = await selectOpenRows(db, ids)
    .select(['id', 'to', 'values'])
    .orderBy('line')
    .orderBy('_rowid')
    .execute()
  return found.map((row) => ({ ...row, values: JSON.parse(row.values ?? '{}') ?? {} }))
}

/** Notes why rows get no text. */
export async function recordReasons(
  db: Db,
  rows: readonly { readonly id: string; readonly reason: string }[],
): Promise<void> {
  for (const [reason, same] of Map.groupBy(rows, (row) => row.reason))
    await updateRecords(db, 'campaign_recipients', (update) =>
      update.set({ reason }).where('id', '=', matchAny(same.map(({ id }) => id))),
    )
}

/** Takes waiting texts, which are deleted then, from their rows. */
export const unlinkTexts = (db: Db, messages: readonly string[]) =>
  updateRecords(db, 'campaign_recipients', (update) =>
    update
      .set({ message: '' })
      .where('message', '=', matchAny(messages))
      .where('message', '<>', sql.lit('')),
  )

/** Gives rows the texts that were sent again instead of theirs. */
export const linkRetries = (db: Db, user: string, campaign: string) => {
  const again = sql<string>`(select m.id from sms_messages m where m."user" = ${user}
    and m.client_ref = 'retry:' || campaign_recipients.message and m.client_ref <> '')`
  return updateRecords(db, 'campaign_recipients', (update) =>
    update
      .set({ message: again })
      .where('campaign', '=', campaign)
      .where('message', '<>', sql.lit(''))
      .where(again, 'is not', null),
  )
}

/** A row that has not got its text, as a change of the text needs it. */
export interface WaitingRow extends GivenRow {
  readonly id: string
  /** Its text waits, or is not stored yet. */
  readonly isOpen: boolean
}

/** The rows of a campaign that have not got its text, in their order; those of no number stay left out. */
export async function loadWaitingRows(db: Db, campaign: string): Promise<WaitingRow[]> {
  const found = await queries(db)
    .selectFrom('campaign_recipients as r')
    .leftJoin('sms_dispatch as d', 'd.message', 'r.message')
    .select(['r.id', 'r.line', 'r.to', 'r.values', 'r.reason'])
    .where('r.campaign', '=', campaign)
    .where(sql<boolean>`(r.message = '' or d.state in ('pending', 'assigned'))`)
    .orderBy('r.line')
    .orderBy('r._rowid')
    .execute()
  return found.map(({ reason, values, ...row }) => ({
    ...row,
    values: JSON.parse(values ?? '{}') ?? {},
    reason: OF_NUMBERS.has(reason) ? reason : '',
    isOpen: reason === '',
  }))
}

const OF_NUMBERS: ReadonlySet<string> = new Set([
  LIST_REASONS.noNumber,
  LIST_REASONS.notANumber,
  LIST_REASONS.noCountry,
  LIST_REASONS.tooManyCells,
])

/**
 * Notes the texts of rows, in the transaction that stores these. A text that was not stored went to a person
 * on the stop list.
 */
export async function linkTexts(
  db: Db,
  rows: readonly OpenRow[],
  messages: readonly OfferedMessage[],
): Promise<void> {
  const ids = rows.map(({ id }) => id)
  const texts = JSON.stringify(Object.fromEntries(ids.map((id, i) => [id, messages[i]!.id])))
  const text = sql<string>`(select m.id from sms_messages m where m.id = ${texts}::jsonb ->> campaign_recipients.id)`
  await updateRecords(db, 'campaign_recipients', (update) =>
    update
      .set({ message: sql<string>`coalesce(${text}, '')` })
      .set({
        reason: sql<string>`case when ${text} is null then ${sql.lit(REASONS.stopped)} else '' end`,
      })
      .where('id', '=', matchAny(ids)),
  )
}
