import { sql } from 'kysely'
import { LOCKS } from '../db/advisory-locks.ts'
import type { Db } from '../db/open.ts'
import { lock, NOW, queries } from '../db/queries.ts'
import { lockUserSends } from '../sms/send/lock-user-sends.ts'
import { updateRecords } from '../sms/status.ts'
import type { Again } from '../work/job-queue.ts'
import { readPlaceOfJob, saveProgress } from './checkpoint.ts'
import { deleteAccountExports } from './clean-up.ts'
import { eraseMentions, eraseMentionsOfTeam, newestText } from './erase-mentions.ts'
import type { Erasing } from './erase-place.ts'
import { erasePlaces } from './erase-places.ts'
import { hide, nameOf } from './hide.ts'
import type { Person } from './person.ts'
import { PLACES } from './places.ts'
import { PLACES_OF_CALLS } from './places-of-calls.ts'
import { PLACES_OF_NUMBER } from './places-of-number.ts'
import { PLACES_OF_TEXTS } from './places-of-texts.ts'
import { endOpenTexts, stopPerson } from './stop.ts'
import { countTexts } from './texts-of-person.ts'
import { lockTexts } from './texts-to-erase.ts'
import { beginRun } from './time-slice.ts'

type Erasure = Omit<Erasing, 'texts'> & { readonly request: string }

/** Where an erasure continues. */
interface At {
  /** Texts to and from the person at the start, and those that are erased. */
  readonly texts: number
  readonly erased: number
  /** The `_rowid` of the account's newest text at the start, and of the last one that was looked through. */
  readonly newest: number
  readonly seen: number
}

/** The share of the work after which the texts to and from the person are erased. */
const TEXTS_SHARE = 0.6

/**
 * Erases all data of a person. Each step may be repeated, and continues where the last run ended: texts
 * first, in portions with all that belongs to them, then mentions in other texts, page by page, then
 * everything of the number in one transaction, with the number of the request itself. A request without a
 * number has only its last step left.
 */
export async function eraseData(
  services: Pick<Erasure, 'store' | 'extensions'>,
  request: string,
  person: Person | undefined,
  signal: AbortSignal,
  runMs?: number,
): Promise<Again | undefined> {
  const { db } = services.store
  const isOver = beginRun(signal, runMs)
  if (person && !(await erasePerson({ ...services, request, person }, isOver))) return { inSeconds: 0 }
  await forgetStatistics(db)
  await updateRecords(db, 'person_requests', (update) =>
    update.set({ state: 'done', progress: 100, done_at: NOW }).where('id', '=', request),
  )
}

/** Returns false if the time of the run is over before the end. */
async function erasePerson(erasure: Erasure, isOver: () => boolean): Promise<boolean> {
  const { store, person } = erasure
  const at = await begin(erasure)
  await inTransaction(erasure, (inside) => erasePlaces(inside, PLACES_OF_CALLS))
  for (let now = await eraseTexts(erasure, at); now; now = await eraseTexts(erasure, now))
    if (isOver()) return false
  const name = await nameOf(store.db, person)
  for (let now = await hideMentions(erasure, at, name); now; now = await hideMentions(erasure, now, name))
    if (isOver()) return false
  await eraseMentionsOfTeam(store.db, person, name)
  await awaitWriters(erasure)
  while (await eraseTexts(erasure, at)) isOver()
  await eraseNumber(erasure, name)
  return true
}

const inTransaction = <T>(erasure: Erasure, work: (inside: Erasure) => Promise<T>): Promise<T> =>
  erasure.store.db.transaction((db) => work({ ...erasure, store: { db, catalog: erasure.store.catalog } }))

/**
 * Ends open texts to the person. Returns where the erasure continues; at its start, what there is to do. Only
 * then the person gets on the stop list: who agrees again before the next run gets texts again.
 */
async function begin({ store: { db }, request, person }: Erasure): Promise<At> {
  const former = await readPlaceOfJob<At>(db, request)
  const count = async () => ({
    texts: await countTexts(db, person),
    newest: await newestText(db, person.user),
  })
  const at = former ?? { ...(await count()), erased: 0, seen: 0 }
  await db.transaction(async (inside) => {
    await lockUserSends(inside, person.user)
    if (!former) await stopPerson(inside, person)
    await endOpenTexts(inside, person)
    await saveProgress(inside, request, at, 0)
  })
  return at
}

/** Waits for the sends and calls of hooks that began before the person got on the stop list. */
const awaitWriters = (erasure: Erasure) =>
  inTransaction(erasure, async ({ store: { db }, person: { user } }) => {
    await queries(db)
      .selectFrom('hooks')
      .select('id')
      .where('user', '=', user)
      .orderBy('id')
      .forUpdate()
      .execute()
    await lockUserSends(db, user)
  })

/** Erases some texts and what belongs to them. Returns undefined without further texts. */
const eraseTexts = (erasure: Erasure, at: At) =>
  inTransaction(erasure, async (inside): Promise<At | undefined> => {
    const { store, request, person } = inside
    const ids = await lockTexts(store.db, person)
    if (ids.length === 0) return
    await erasePlaces(inside, PLACES_OF_TEXTS, sql<string[]>`${ids}::text[]`)
    const now = { ...at, erased: at.erased + ids.length }
    await saveProgress(store.db, request, now, (TEXTS_SHARE * now.erased) / Math.max(at.texts, now.erased))
    return now
  })

/** Hides the number in some texts to others. Returns undefined without further texts. */
const hideMentions = (erasure: Erasure, at: At, name: string) =>
  inTransaction(erasure, async ({ store, request, person }): Promise<At | undefined> => {
    const seen = await eraseMentions(store.db, person, name, at.seen)
    if (seen === undefined) return
    const now = { ...at, seen }
    const share = TEXTS_SHARE + ((1 - TEXTS_SHARE) * seen) / Math.max(at.newest, seen)
    await saveProgress(store.db, request, now, share)
    return now
  })

/** Erases everything but texts. The number of the request goes, too: what is left needs it no more. */
const eraseNumber = (erasure: Erasure, name: string) =>
  inTransaction(erasure, async (inside) => {
    const { db } = inside.store
    await lock(db, LOCKS.person, inside.person.user)
    // allows the deletion of entries of `consents`, which leave hashes (trigger consents_kept)
    const allow = sql`set_config('pocketsms.forget', 'consents', true)`
    await queries(db).selectNoFrom(allow.as('set')).execute()
    await hideReasons(db, inside.person, name)
    await erasePlaces(inside, [...PLACES_OF_CALLS, ...PLACES_OF_NUMBER])
    await deleteAccountExports(db, inside.person.user)
    await forgetChanges(db, inside.person)
  })

/** Deletes entries of the change log that name the number. Those of other accounts stay. */
const forgetChanges = (db: Db, { user, spellings }: Person) =>
  queries(db)
    .deleteFrom('_changes')
    .where(sql`image ->> 'user'`, '=', user)
    .where(sql<boolean>`image::text ~ ${spellings}`)
    .execute()

/** The reasons of all requests about the person stay, without the number and the name. */
const hideReasons = (db: Db, person: Person, name: string) =>
  queries(db)
    .updateTable('person_requests')
    .set({ reason: hide(sql.ref('reason'), person, name) })
    .where('user', '=', person.user)
    .where('number', '=', person.number)
    .execute()

/** A trigger copies the names of campaigns to `senders`. */
const COPIES = ['senders']

/** Postgres keeps frequent values of columns in its statistics. Makes them anew. */
async function forgetStatistics(db: Db): Promise<void> {
  for (const table of [...PLACES.map((place) => place.table), ...COPIES]) await db.query(`analyze "${table}"`)
}
