import { sql } from 'kysely'
import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { anyOf, NOW, queries } from '../../db/queries.ts'
import { ALL_LANGUAGES, withLanguages } from '../../portable/opt-languages.ts'
import { type OptWords, readOptWord } from '../../portable/opt-words.ts'
import { E164 } from '../../portable/phone/e164.ts'
import { addEntry, type Proof, withProof } from '../consent/ledger.ts'
import { isErasedOrStoppedSql, isStoppedSql } from '../consent/stopped.ts'
import type { Device } from '../devices/device.ts'
import { logChanged, REASONS } from '../status.ts'
import { failUnsent } from './fail-messages.ts'
import type { Attempt } from './leases.ts'
import type { OptChange } from './opt-changes.ts'

/** The server's words and those of an account's languages. Asks only if a text is a word of some language. */
export async function optWordsOf(
  { db }: Pick<Store, 'db'>,
  user: string,
  words: OptWords,
  bodies: readonly string[],
): Promise<OptWords> {
  const isForeign = (body: string) => readOptWord(body, ALL_LANGUAGES) !== undefined
  if (!bodies.some(isForeign)) return words
  const settings = await queries(db)
    .selectFrom('user_settings')
    .select('opt_out_languages')
    .where('user', '=', user)
    .executeTakeFirst()
  return withLanguages(words, settings?.opt_out_languages ?? [])
}

const optOut = (db: Db, user: string, phone: string) =>
  queries(db)
    .insertInto('contacts')
    .values({ id: sql`pb_new_id()`, user, phone, opted_out: true, created: NOW, updated: NOW })
    .onConflict((found) =>
      found
        .columns(['user', 'phone'])
        .doUpdateSet(({ ref }) => ({ opted_out: true, updated: ref('excluded.updated') }))
        .where('contacts.opted_out', '=', false),
    )
    .returning(['id', sql<boolean>`xmax = 0`.as('isNew')])
    .execute()

const optIn = (db: Db, user: string, phone: string) =>
  queries(db)
    .updateTable('contacts')
    .set({ opted_out: false, updated: NOW })
    .where('user', '=', user)
    .where('phone', '=', phone)
    .where('opted_out', '=', true)
    .returning(['id', sql<boolean>`false`.as('isNew')])
    .execute()

/** Whether the person of a number was erased or has opted out. */
async function isStopped(db: Db, user: string, phone: string): Promise<boolean> {
  const { stopped } = await queries(db)
    .selectNoFrom(isErasedOrStoppedSql(user, phone).as('stopped'))
    .executeTakeFirstOrThrow()
  return stopped
}

/**
 * Stores that a person has opted out of a user's texts, or in; creates a contact for an opt-out. `proof`: of
 * the entry of `consents`.
 */
export async function setOptedOut(
  store: Store,
  user: string,
  phone: string,
  isOut: boolean,
  proof: Proof,
): Promise<void> {
  if (!E164.test(phone)) return // senders that are names or short codes have no contact
  const change = isOut ? optOut : optIn
  const changed = await withProof(store.db, proof, () => change(store.db, user, phone))
  if (!isOut && changed.length === 0 && (await isStopped(store.db, user, phone)))
    await addEntry(store.db, { ...proof, user, number: phone, group: '', event: 'opt_in' })
  for (const { id, isNew } of changed) await logChanged(store, 'contacts', isNew ? 'create' : 'update', [id])
}

/** The proof of an opt-out or opt-in by a text. */
export const proofOf = ({ said, message }: Pick<OptChange, 'said' | 'message'>): Proof => ({
  source: 'keyword',
  said,
  message,
})

/** The recipient of a message has opted out (a lookup per row). `message`: the column with its id. */
export const hasOptedOut = (message: string) => sql<boolean>`coalesce((
  select ${isStoppedSql(sql`o."user"`, sql`o."to"`)} from sms_messages o where o.id = ${sql.ref(message)}), false)`

/** Maximum messages that one sweep of the queue ends. The next sweep, a second later, ends others. */
const MAX_ROWS = 1_000

/** Ends messages that are due, but whose recipient has opted out since they were accepted. */
export async function endOptedOut(db: Db): Promise<readonly string[]> {
  await failUnsent(db, sql`select unnest(sms_due_stopped(${sql.lit(MAX_ROWS)}))`, REASONS.optedOut)
  return []
}

/** Ends and refunds unclaimed messages to these numbers, in the transaction that opts them out. */
export async function endUnclaimed({ db }: Store, user: string, phones: readonly string[]): Promise<void> {
  if (phones.length === 0) return
  // found by the index on user and phone number
  const waiting = queries(db)
    .selectFrom('sms_messages as m')
    .innerJoin('sms_dispatch as d', 'd.message', 'm.id')
    .select('d.message')
    .where('m.user', '=', user)
    .where('m.to', '=', anyOf(phones))
    .where(sql<boolean>`m.status in ('pending', 'assigned') and d.state in ('pending', 'assigned')`)
    .orderBy('d.message')
    .forUpdate('d')
  await failUnsent(db, waiting, REASONS.optedOut)
}

/** Ends a returned message if its recipient opted out; returns whether it did. Call lockUserSends first. */
export async function endReturned(db: Db, device: Pick<Device, 'id' | 'user'>, { id, attempt }: Attempt) {
  const returned = queries(db)
    .selectFrom('sms_dispatch as d')
    .where('d.device', '=', device.id)
    .where('d.user', '=', device.user)
    .where('d.message', '=', id)
    .where('d.attempt', '=', attempt)
    .where('d.state', '=', sql.lit('sending'))
    .where(hasOptedOut('d.message'))
    .forUpdate('d')
  // takes the message off its line's counts
  await queries(db)
    .with('returned', () =>
      returned.select(['d.message', 'd.line', 'd.charged', 'd.cost', 'd.user']).where('d.charged', '<>', ''),
    )
    .selectFrom('returned as r')
    .innerJoin('sms_messages as m', 'm.id', 'r.message')
    .select(sql`sms_line_refund(r.line, r.charged, m."to", r.cost, r."user")`.as('refunded'))
    .execute()
  return (await failUnsent(db, returned.select('d.message'), REASONS.optedOut)) > 0
}
