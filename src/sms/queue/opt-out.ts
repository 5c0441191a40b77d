import { sql } from 'kysely'
import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { anyOf, NOW, queries } from '../../db/queries.ts'
import { formatDate } from '../../fields/date.ts'
import { ALL_LANGUAGES, withLanguages } from '../../portable/opt-languages.ts'
import { type OptWords, readOptWord } from '../../portable/opt-words.ts'
import { E164 } from '../../portable/phone/e164.ts'
import type { Device } from '../devices/device.ts'
import { logChanged, REASONS } from '../status.ts'
import type { Attempt } from './claim.ts'
import { failUnsent, type MessageSource } from './fail-or-reassign.ts'

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

/** An opt-out or opt-in. `at`: its time by the device's clock, in ms since 1970. */
export interface OptChange {
  readonly sender: string
  readonly isOut: boolean
  readonly at: number
}

/** Drops opt-ins that are older than a stored opt-out of the same sender: texts may arrive out of order. */
export async function latestOptChanges(
  store: Store,
  user: string,
  said: readonly OptChange[],
  words: OptWords,
): Promise<readonly OptChange[]> {
  const starts = said.filter(({ isOut }) => !isOut)
  if (starts.length === 0) return said
  const first = formatDate(new Date(Math.min(...starts.map(({ at }) => at))))
  const senders = starts.map(({ sender }) => sender)
  const later = await queries(store.db)
    .selectFrom('sms_messages')
    .select(['from', 'body', 'delivered_at'])
    .where('user', '=', user)
    .where('message_type', '=', sql.lit('incoming'))
    .where('from', '=', anyOf(senders))
    .where('created', '>', first)
    .where('delivered_at', '>', first)
    .execute()
  const stops = later.filter(({ body }) => readOptWord(body, words))
  const isOld = ({ sender, isOut, at }: OptChange) =>
    !isOut && stops.some((stop) => stop.from === sender && stop.delivered_at > formatDate(new Date(at)))
  return said.filter((one) => !isOld(one))
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

/** Stores whether a number has opted out of a user's texts; creates a contact for an opt-out. */
export async function setOptedOut(store: Store, user: string, phone: string, isOut: boolean): Promise<void> {
  if (!E164.test(phone)) return // senders that are names or short codes have no contact
  const change = isOut ? optOut : optIn
  for (const { id, isNew } of await change(store.db, user, phone))
    await logChanged(store, 'contacts', isNew ? 'create' : 'update', [id])
}

/** SQL: the recipient of a queued message has opted out (a lookup per row). `alias`: of sms_dispatch. */
export const isOptedOut = (alias: string): string => `coalesce((
  select bool_or(c.opted_out) from sms_messages o join contacts c on c."user" = o."user" and c.phone = o."to"
  where o.id = ${alias}.message), false)`

/** Maximum messages that one sweep of the queue ends. The next sweep, a second later, ends others. */
const MAX_ROWS = 1_000

const DUE: MessageSource = {
  name: 'opted out meanwhile',
  sql: `select d.* from sms_dispatch d
  join sms_messages m on m.id = d.message
  join contacts c on c."user" = d."user" and c.phone = m."to" and c.opted_out
  where d.state = 'pending' and d.due_at <= now()
  order by d.due_at limit ${MAX_ROWS} for update of d skip locked`,
}

/** Ends messages that are due, but whose recipient has opted out since they were accepted. */
export async function endOptedOut(db: Db): Promise<readonly string[]> {
  await failUnsent(db, DUE, REASONS.optedOut)
  return []
}

/** A user's unclaimed messages to some phone numbers, found by the index on user and phone number. */
const WAITING: MessageSource = {
  name: 'said stop',
  sql: `select d.* from sms_messages m join sms_dispatch d on d.message = m.id
  where m."user" = $2 and m."to" = any($3::text[]) and m.status in ('pending', 'assigned')
    and d.state in ('pending', 'assigned')
  order by d.message for update of d`,
}

/** Ends and refunds unclaimed messages to these numbers, in the transaction that opts them out. */
export async function endUnclaimed({ db }: Store, user: string, phones: readonly string[]): Promise<void> {
  if (phones.length > 0) await failUnsent(db, WAITING, REASONS.optedOut, [user, phones])
}

/** Takes a message off its line's counts if the device returned it unsent and the recipient has opted out. */
const UNCHARGE = `
with returned as (
  select d.message, d.line, d.charged, d."user" from sms_dispatch d
  where d.device = $1 and d."user" = $2 and d.message = $3 and d.attempt = $4 and d.state = 'sending'
    and d.charged <> '' and ${isOptedOut('d')} for update
)
select sms_line_refund(r.line, r.charged, m."to", r."user") from returned r join sms_messages m on m.id = r.message`

const GIVEN_BACK: MessageSource = {
  name: 'given back, opted out',
  sql: `select d.* from sms_dispatch d
  where d.device = $2 and d."user" = $3 and d.message = $4 and d.attempt = $5 and d.state = 'sending'
    and ${isOptedOut('d')}
  for update`,
}

/** Ends a returned message if its recipient opted out; returns whether it did. Call lockUserSends first. */
export async function endReturned(db: Db, device: Pick<Device, 'id' | 'user'>, { id, attempt }: Attempt) {
  await db.query(UNCHARGE, [device.id, device.user, id, attempt], 'sms uncharge returned')
  return (await failUnsent(db, GIVEN_BACK, REASONS.optedOut, [device.id, device.user, id, attempt])) > 0
}
