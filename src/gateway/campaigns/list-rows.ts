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

/** Stores the rows of a list in the transaction that stores their campaign. */
export async function insertListRows(
  db: Db,
  user: string,
  campaign: string,
  rows: ReturnType<typeof nameRows>['rows'],
): Promise<void> {
  for (let at = 0; at < rows.length; at += CHUNK) {
    const chunk = rows.slice(at, at + CHUNK)
    await queries(db)
      .insertInto('campaign_recipients')
      .columns(['id', 'user', 'campaign', 'line', 'to', 'values', 'reason', 'created', 'updated'])
      .expression((from) =>
        from
          .selectFrom(
            sql<{ id: string; line: number; to: string; values: string; reason: string }>`
              json_to_recordset(${JSON.stringify(chunk.map(({ size: _, ...row }) => row))}::json)`.as<'r'>(
              sql`r(id text, line int, "to" text, "values" json, reason text)`,
            ),
          )
          .select(['r.id', sql.lit(user).as('user'), sql.lit(campaign).as('campaign')])
          .select(['r.line', 'r.to', 'r.values', 'r.reason', NOW.as('created'), NOW.as('updated')]),
      )
      .execute()
    await logChanged(
      { db },
      'campaign_recipients',
      'create',
      chunk.map(({ id }) => id),
    )
  }
}

/** Returns the rows that still wait for their text, in their order. */
export async function loadOpenRows(db: Db, ids: readonly string[]): Promise<OpenRow[]> {
  const found = await queries(db)
    .selectFrom('campaign_recipients')
    .select(['id', 'to', 'values'])
    .where('id', '=', matchAny(ids))
    .where('message', '=', sql.lit(''))
    .where('reason', '=', sql.lit(''))
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
