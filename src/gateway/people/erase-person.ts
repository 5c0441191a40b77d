import { type RawBuilder, sql } from 'kysely'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { acquireLock, matchAny, NOW, queries } from '../../platform/db/queries.ts'
import type { Again } from '../../platform/jobs/job-queue.ts'
import { writePersonHideSql } from '../base/hide-person.ts'
import { lockUserSends } from '../base/lock-user-sends.ts'
import { updateRecords } from '../base/message-status.ts'
import type { Person, Place, Texts } from '../base/personal-data.ts'
import { deleteExports } from './delete-old-exports.ts'
import { hideFileNames } from './erase-file-names.ts'
import { eraseCampaigns, eraseMentions, findNewestText, type MentionsAt } from './erase-mentions.ts'
import { type Erasing, erasePersonRows } from './erase-table-rows.ts'
import { addFieldsToMentionSteps } from './find-mentions.ts'
import { loadContactName } from './person.ts'
import type { HasPersonalData } from './personal-tables.ts'
import { loadJobProgress, saveProgress } from './save-job-progress.ts'
import { countTexts, endOpenTexts, lockTexts } from './texts-of-person.ts'
import { startTimeSlice } from './time-slice.ts'

type Erasure = Omit<Erasing, 'texts'> & HasPersonalData & { readonly request: string }

interface At extends MentionsAt {
  /** The name of the person at the start: the contact may be deleted before the end. */
  readonly name: string
  /** Texts to and from the person at the start, and those that are erased. */
  readonly texts: number
  readonly erased: number
  /** The `_rowid` of the account's newest text at the start. */
  readonly newest: number
}

/** The share of the work after which the texts to and from the person are erased. */
const TEXTS_SHARE = 0.6

/**
 * Erases all data of a person. Each step may be repeated, and continues where the last run ended: texts
 * first, in portions with all that belongs to them, then mentions in other words, page by page, then
 * everything of the number in one transaction, with the number of the request itself. A request without a
 * number has only its last step left.
 */
export async function eraseData(
  services: Pick<Erasure, 'store' | 'extensions' | 'personalData'>,
  request: string,
  person: Person | undefined,
  signal: AbortSignal,
  runMs?: number,
): Promise<Again | undefined> {
  const { db } = services.store
  const isOver = startTimeSlice(signal, runMs)
  if (person && !(await erasePerson({ ...services, request, person }, isOver)))
    return { inSeconds: 0 }
  await forgetStatistics(services)
  await updateRecords(db, 'person_requests', (update) =>
    update.set({ state: 'done', progress: 100, done_at: NOW }).where('id', '=', request),
  )
}

/** Returns false if the run's time ends before the work. */
async function erasePerson(
  unnamed: Omit<Erasure, 'name'>,
  isOver: () => boolean,
): Promise<boolean> {
  const at = await beginErasure(unnamed)
  const erasure = { ...unnamed, name: at.name }
  await runInTransaction(erasure, (inside) => erasePlaces(inside, ['first']))
  for (let now = await eraseTexts(erasure, at); now; now = await eraseTexts(erasure, now))
    if (isOver()) return false
  // before the words of MMS that name their files
  while (await renameFiles(erasure)) if (isOver()) return false
  for (let now = await hideMentions(erasure, at); now; now = await hideMentions(erasure, now))
    if (isOver()) return false
  await awaitWriters(erasure)
  while (await eraseTexts(erasure, at)) isOver()
  while (await renameFiles(erasure)) isOver()
  await eraseNumber(erasure)
  return true
}

const runInTransaction = <T>(erasure: Erasure, work: (inside: Erasure) => Promise<T>): Promise<T> =>
  erasure.store.db.transaction((db) =>
    work({ ...erasure, store: { db, catalog: erasure.store.catalog } }),
  )

/**
 * Ends open texts to the person. Returns where the erasure continues; at its start, what there is to do. Only
 * then the person gets on the stop list: who agrees again before the next run gets texts again.
 */
async function beginErasure({
  store: { db },
  request,
  person,
}: Omit<Erasure, 'name'>): Promise<At> {
  const former = await loadJobProgress<At>(db, request)
  const count = async () => ({
    name: await loadContactName(db, person),
    texts: await countTexts(db, person),
    newest: await findNewestText(db, person.user),
  })
  // progress that an earlier version stored has no `mention`: it looks for all mentions again
  const at = { erased: 0, mention: 0, seen: 0, ...(former ?? (await count())) }
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
  runInTransaction(erasure, async ({ store: { db }, person: { user } }) => {
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
  runInTransaction(erasure, async (inside): Promise<At | undefined> => {
    const { store, request, person } = inside
    const ids = await lockTexts(store.db, person)
    if (ids.length === 0) return
    await eraseCampaigns(store.db, person, inside.name, ids)
    await erasePlaces(inside, ['texts'], sql<string[]>`${ids}::text[]`)
    const now = { ...at, erased: at.erased + ids.length }
    await saveProgress(
      store.db,
      request,
      now,
      (TEXTS_SHARE * now.erased) / Math.max(at.texts, now.erased),
    )
    return now
  })

/** Renames some files of texts to others. Returns how many. */
const renameFiles = (erasure: Erasure) =>
  runInTransaction(erasure, ({ store: { db }, person, name }) => hideFileNames(db, person, name))

/** Hides the number in some words about others. Returns undefined without further ones. */
const hideMentions = (erasure: Erasure, at: At) =>
  runInTransaction(erasure, async (inside): Promise<At | undefined> => {
    const { store, request } = inside
    const next = await eraseMentions(inside, at)
    if (!next) return
    const now = { ...at, ...next }
    const seen = now.mention === 0 ? now.seen : at.newest
    const share = TEXTS_SHARE + ((1 - TEXTS_SHARE) * seen) / Math.max(at.newest, seen, 1)
    await saveProgress(store.db, request, now, share)
    return now
  })

/** Erases everything but texts, and the number of the request, which the remaining steps do not need. */
const eraseNumber = (erasure: Erasure) =>
  runInTransaction(erasure, async (inside) => {
    const { db } = inside.store
    await acquireLock(db, LOCKS.person, inside.person.user)
    // allows the deletion of entries of `consents`, which leave hashes (trigger consents_kept)
    await callFunction(db, 'set_config', 'pocketsms.forget', 'consents', true)
    await hideReasons(db, inside.person, inside.name)
    await erasePlaces(inside, ['first', 'last'])
    await deleteExports(db, inside.person.user)
    await forgetChanges(db, inside.person)
  })

/** Deletes entries of the change log that name the number. Those of other accounts stay. */
const forgetChanges = (db: Db, { user, spellings }: Person) =>
  queries(db)
    .deleteFrom('_changes')
    .where(sql`image ->> 'user'`, '=', user)
    .where(sql<boolean>`concat(image, ' ', former) ~ ${spellings}`)
    .execute()

/** The reasons of all requests about the person stay, without the number and the name. */
const hideReasons = (db: Db, person: Person, name: string) =>
  queries(db)
    .updateTable('person_requests')
    .set({ reason: writePersonHideSql(sql.ref('reason'), person, name) as RawBuilder<string> })
    .where('user', '=', person.user)
    .where('number', '=', matchAny(person.forms))
    .execute()

/** Postgres keeps frequent values of columns in its statistics. Makes them again. */
async function forgetStatistics({
  store: { db, catalog },
  personalData: { places, mentions: steps },
}: Pick<Erasure, 'store' | 'personalData'>): Promise<void> {
  const mentions = addFieldsToMentionSteps(catalog, steps).flatMap((step) => step.mentions)
  for (const table of new Set([...places, ...mentions].map((place) => place.table)))
    await db.query(`analyze "${table}"`)
}

/**
 * Erases the rows of a person in the places of some phases, in a transaction, and adds their number to the
 * counts of the request. `texts`: the texts whose places are erased.
 */
async function erasePlaces(
  { request, personalData, ...erasing }: Erasure,
  phases: readonly Place['phase'][],
  texts: Texts = sql`'{}'::text[]`,
): Promise<void> {
  const counts: Record<string, number> = {}
  for (const place of personalData.places) {
    if (!phases.includes(place.phase)) continue
    const rows = await erasePersonRows({ ...erasing, texts }, place)
    if (rows > 0) counts[place.table] = rows
  }
  if (Object.keys(counts).length > 0) await addErasedCounts(erasing.store.db, request, counts)
}

/** Adds to the counts of the request, in the transaction that erases. */
async function addErasedCounts(
  db: Db,
  request: string,
  more: Readonly<Record<string, number>>,
): Promise<void> {
  const { counts } = await queries(db)
    .selectFrom('person_requests')
    .select('counts')
    .where('id', '=', request)
    .executeTakeFirstOrThrow()
  const sum: Record<string, number> = JSON.parse(counts ?? 'null') ?? {}
  for (const [table, rows] of Object.entries(more)) sum[table] = (sum[table] ?? 0) + rows
  // subscribers get them with the progress
  await queries(db)
    .updateTable('person_requests')
    .set({ counts: JSON.stringify(sum) })
    .where('id', '=', request)
    .execute()
}

/** Puts a person on the stop list: no later send is accepted. `db`: a transaction that locks the sends. */
export const stopPerson = (db: Db, { user, number }: Pick<Person, 'user' | 'number'>) =>
  queries(db)
    .insertInto('_stop_list')
    .values({ user, hash: sql`person_hash(${user}, ${number})` })
    .onConflict((found) => found.doNothing())
    .execute()
