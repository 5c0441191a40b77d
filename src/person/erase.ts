import { sql } from 'kysely'
import type { Store } from '../collections/catalog.ts'
import { LOCKS } from '../db/advisory-locks.ts'
import type { Db } from '../db/open.ts'
import { lock, NOW, queries } from '../db/queries.ts'
import type { Extensions } from '../records/extension.ts'
import { updateRecords } from '../sms/status.ts'
import type { Again } from '../work/job-queue.ts'
import { eraseMentions } from './erase-mentions.ts'
import { erasePlace } from './erase-place.ts'
import { lockTexts } from './lock-texts.ts'
import type { Person } from './person.ts'
import type { Place } from './place.ts'
import { PLACES } from './places.ts'
import { PLACES_OF_NUMBER } from './places-of-number.ts'
import { PLACES_OF_TEXTS } from './places-of-texts.ts'
import { stopTexts } from './stop.ts'

/** A job releases its place after this time and continues later, so that others have their turn. */
const RUN_MS = 20_000

interface EraseServices {
  readonly store: Store
  readonly extensions: Extensions
}

/**
 * Erases all data of a person. Each step may be repeated, and finds only what earlier runs left: texts first,
 * in portions with all that belongs to them, then everything of the number in one transaction, with the
 * number of the request itself. A request without a number has only its last step left.
 */
export async function eraseData(
  services: EraseServices,
  request: string,
  person: Person | undefined,
  signal: AbortSignal,
): Promise<Again | undefined> {
  const { db } = services.store
  if (person) {
    await stopTexts(db, person)
    const end = performance.now() + RUN_MS
    while ((await erasePortion(services, request, person)) > 0) {
      signal.throwIfAborted()
      if (performance.now() > end) return { inSeconds: 0 }
    }
    await eraseMentions(db, person, signal)
    await eraseNumber(services, request, person)
  }
  await forgetStatistics(db)
  await updateRecords(db, 'person_requests', (update) =>
    update.set({ state: 'done', done_at: NOW }).where('id', '=', request),
  )
}

/** Erases some texts and what belongs to them. Returns how many texts. */
const erasePortion = ({ store, extensions }: EraseServices, request: string, person: Person) =>
  store.db.transaction(async (db) => {
    const ids = await lockTexts(db, person)
    if (ids.length === 0) return 0
    const texts = sql<string[]>`${ids}::text[]`
    const inside = { db, catalog: store.catalog }
    await erasePlaces({ store: inside, extensions, person, texts }, request, PLACES_OF_TEXTS)
    return ids.length
  })

/** Erases everything but texts. The number of the request goes, too: what is left needs it no more. */
const eraseNumber = ({ store, extensions }: EraseServices, request: string, person: Person) =>
  store.db.transaction(async (db) => {
    await lock(db, LOCKS.person, person.user)
    // allows the deletion of entries of `consents`, which leave hashes (trigger consents_kept)
    const allow = sql`set_config('pocketsms.forget', 'consents', true)`
    await queries(db).selectNoFrom(allow.as('set')).execute()
    await hideReasons(db, person)
    const inside = { db, catalog: store.catalog }
    const erasing = { store: inside, extensions, person, texts: sql<string[]>`'{}'::text[]` }
    await erasePlaces(erasing, request, PLACES_OF_NUMBER)
    await forgetChanges(db, person)
  })

/** Deletes entries of the change log that name the number. Those of other accounts stay. */
const forgetChanges = (db: Db, { user, spellings }: Person) =>
  queries(db)
    .deleteFrom('_changes')
    .where(sql`image ->> 'user'`, '=', user)
    .where(sql<boolean>`image::text ~ ${spellings}`)
    .execute()

async function erasePlaces(
  erasing: Parameters<typeof erasePlace>[0],
  request: string,
  places: readonly Place[],
): Promise<void> {
  const counts: Record<string, number> = {}
  for (const place of places) {
    const rows = await erasePlace(erasing, place)
    if (rows > 0) counts[place.table] = rows
  }
  await addCounts(erasing.store.db, request, counts)
}

/** Adds to the counts of the request, in the transaction that erases. */
async function addCounts(db: Db, request: string, more: Readonly<Record<string, number>>): Promise<void> {
  const { counts } = await queries(db)
    .selectFrom('person_requests')
    .select('counts')
    .where('id', '=', request)
    .executeTakeFirstOrThrow()
  const sum: Record<string, number> = JSON.parse(counts ?? 'null') ?? {}
  for (const [table, rows] of Object.entries(more)) sum[table] = (sum[table] ?? 0) + rows
  await updateRecords(db, 'person_requests', (update) =>
    update.set({ counts: JSON.stringify(sum) }).where('id', '=', request),
  )
}

/** The reasons of all requests about the person stay, without the number and the name. */
const hideReasons = (db: Db, { user, number, spellings }: Person) =>
  queries(db)
    .updateTable('person_requests')
    .set({
      reason: sql`replace(regexp_replace(reason, ${spellings}, '…', 'g'), coalesce((
        select nullif(c.name, '') from contacts c where c."user" = ${user} and c.phone = ${number}), '…'), '…')`,
    })
    .where('user', '=', user)
    .where('number', '=', number)
    .execute()

/** A trigger copies the names of campaigns to `senders`. */
const COPIES = ['senders']

/** Postgres keeps frequent values of columns in its statistics. Makes them anew. */
async function forgetStatistics(db: Db): Promise<void> {
  for (const table of [...PLACES.map((place) => place.table), ...COPIES]) await db.query(`analyze "${table}"`)
}
