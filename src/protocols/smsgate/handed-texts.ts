import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Device } from '../../gateway/base/device.ts'
import type { Attempt } from '../../gateway/messages/queue/leases.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { answerTime, IS_CANCELED, isOpen, toSend } from './refill.ts'
import { isOf } from './stored-phone.ts'

interface HandedText extends Attempt {
  /** The phone must not send this text any more: it was deleted, or given to another device. */
  readonly isCanceled: boolean
  /** An answer listed this text so recently that the phone may still be reading it. */
  readonly isListed: boolean
  readonly isKnown: boolean
}

/** Reads what a phone was given, whether its event stream is open, and isOpen. Its row must be locked. */
export async function handedState(db: Db, device: Device) {
  const { texts, ...state } = await queries(db)
    .selectNoFrom([
      sql<boolean>`exists (
        select from device_streams s where s.device = ${device.id} and s.until > now())`.as('canBeWoken'),
      sql<boolean>`coalesce((select ${isOpen(device)} from smsgate_phones p where ${isOf(device)}), false)`.as(
        'isOpen',
      ),
      sql<string>`coalesce((
        select json_agg(json_build_object(
          'id', t.message, 'attempt', t.attempt, 'isCanceled', ${IS_CANCELED}, 'isKnown', t.is_known,
          'isListed', t.listed_at > now() - ${answerTime}) order by t.message)
        from smsgate_texts t where ${isOf(device)}), '[]')::text`.as('texts'),
    ])
    .executeTakeFirstOrThrow()
  return { ...state, texts: JSON.parse(texts) as readonly HandedText[] }
}

/** What an answer to a phone lists. `validUntilMs` is by the database's clock. */
interface Listed {
  readonly texts: readonly (Attempt & { readonly validUntilMs: number })[]
  readonly canceled: readonly Attempt[]
  /** How many of `texts` the phone gets for the first time. */
  readonly added: number
}

/** Stores what an answer to a phone lists. Forgets texts that have expired and are no longer being sent. */
export async function noteListed(db: Db, device: Device, { texts, canceled, added }: Listed): Promise<void> {
  const given = texts.map(({ id, attempt, validUntilMs }) => ({ id, attempt, validUntilMs }))
  await queries(db)
    .with('forgotten', (query) =>
      query
        .deleteFrom('smsgate_texts as t')
        .where(isOf(device))
        .where('t.valid_until', '<=', sql<Date>`now()`)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('sms_dispatch as d')
                .whereRef('d.message', '=', 't.message')
                .whereRef('d.attempt', '=', 't.attempt')
                .where('d.state', '=', 'sending'),
            ),
          ),
        ),
    )
    .with('canceled', (query) =>
      query
        .updateTable('smsgate_texts as t')
        .from(attempts(canceled).as<'g'>(sql`g(id text, attempt int)`))
        .set({ canceled_at: sql<Date>`now()` })
        .where(isOf(device))
        .whereRef('t.message', '=', 'g.id')
        .whereRef('t.attempt', '=', 'g.attempt'),
    )
    .with('phone', (query) =>
      query
        .updateTable('smsgate_phones')
        .set({ handed_at: sql<Date>`now()`, handed: sql`${added}::int + ${toSend(device)}` })
        .where(isOf(device))
        .where(sql<boolean>`${added}::int > 0`),
    )
    .insertInto('smsgate_texts')
    .columns(['device', 'user', 'message', 'attempt', 'listed_at', 'valid_until'])
    .expression((from) =>
      from
        .selectFrom(attempts(given).as<'g'>(sql`g(id text, attempt int, "validUntilMs" float8)`))
        .select(({ val }) => [
          val(device.id).as('device'),
          val(device.user).as('user'),
          ...(['g.id', 'g.attempt'] as const),
          sql<Date>`now()`.as('listed_at'),
          sql<Date>`to_timestamp(g."validUntilMs" / 1000)`.as('valid_until'),
        ]),
    )
    .onConflict((found) =>
      found
        .columns(['device', 'message', 'attempt'])
        .doUpdateSet(({ ref }) => ({ listed_at: ref('excluded.listed_at') })),
    )
    .execute()
}

/** A list as rows; the alias names their columns. */
const attempts = <A extends Attempt>(list: readonly A[]) =>
  sql<A>`json_to_recordset(${JSON.stringify(list)}::json)`

/** A phone's report about a text: `waits` on the phone, was `processed` by Android, or is `over`. */
export type Progress = Attempt & { readonly step: 'waits' | 'processed' | 'over' }

export async function noteProgress({ db }: Store, device: Device, progress: readonly Progress[]) {
  if (progress.length === 0) return
  // the last state counts if a report names a text twice
  const given = [...new Map(progress.map((text) => [`${text.id}.${text.attempt}`, text])).values()]
  await queries(db)
    .with('given', (query) =>
      query
        .selectFrom(attempts(given).as<'g'>(sql`g(id text, attempt int, step text)`))
        .select(['g.id', 'g.attempt', 'g.step']),
    )
    .with('over', (query) =>
      query
        .deleteFrom('smsgate_texts as t')
        .using('given as g')
        .where(isOf(device))
        .whereRef('t.message', '=', 'g.id')
        .whereRef('t.attempt', '=', 'g.attempt')
        .where('g.step', '=', 'over'),
    )
    .updateTable('smsgate_texts as t')
    .from('given as g')
    .set({ is_known: true, is_processed: sql<boolean>`t.is_processed or g.step = 'processed'` })
    .where(isOf(device))
    .whereRef('t.message', '=', 'g.id')
    .whereRef('t.attempt', '=', 'g.attempt')
    .where('g.step', '<>', 'over')
    .execute()
}
