import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { formatNow } from '../../engine/fields/parse-date.ts'
import { ApiError } from '../../platform/api-errors.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import type { Db } from '../../platform/db/open.ts'
import { acquireLock, queries } from '../../platform/db/queries.ts'
import type { Again } from '../../platform/jobs/job-queue.ts'
import { readLanguage } from '../../portable/languages.ts'
import { updateRecords } from '../base/message-status.ts'
import type { Person } from '../base/personal-data.ts'
import { isTimeZone } from '../lines/check-zones-and-hours.ts'
import {
  beginExport,
  continueExport,
  type ExportHead,
  endExport,
  type Written,
} from './export-files.ts'
import type { PageLook } from './export-page.ts'
import {
  computeExportShare,
  type ExportAt,
  type Exporting,
  exportPortion,
  FIRST_PORTION,
} from './export-portion.ts'
import { loadContactName } from './person.ts'
import { loadJobProgress, saveProgress } from './save-job-progress.ts'
import { countTexts } from './texts-of-person.ts'
import { startTimeSlice } from './time-slice.ts'

/** How long the files of an export are kept: one day. */
const KEPT = `interval '1 day'`
/** One transaction writes portions for so long: a kill loses no more work. */
const SLICE_MS = 1_000

interface At extends ExportAt {
  readonly files: readonly [json: string, page: string]
  /** The page stays in one language when the owner chooses another meanwhile. */
  readonly look: PageLook
}

/**
 * Stores all data of a person, or of a whole account, as files of the request: JSON, a page for people, and
 * of a person copies of the files of texts. Each transaction adds a slice, so a job whose node died continues
 * after the last one. Throws FilesFull, and an ApiError if the person was erased meanwhile.
 */
export async function exportData(
  store: Pick<Store, 'db'>,
  exporting: Exporting,
  signal: AbortSignal,
): Promise<Again | undefined> {
  const isOver = startTimeSlice(signal)
  while (!(await store.db.transaction((db) => exportSlice(db, exporting))))
    if (isOver()) return { inSeconds: 0 }
}

/** Writes portions for `ms`, at least one. Returns whether they were the last ones. */
export async function exportSlice(db: Db, exporting: Exporting, ms = SLICE_MS): Promise<boolean> {
  const { request, person, places } = exporting
  await acquireLock(db, LOCKS.person, person.user)
  const former = await loadJobProgress<At>(db, request)
  await requireNotErased(db, request, former !== undefined)
  const { start, written } = await openExport(db, exporting, former)
  let at = start
  const end = performance.now() + ms
  do {
    at = { ...at, ...(await exportPortion(db, exporting, written, at)) }
  } while (at.place < places.length && performance.now() < end)
  const isDone = at.place === places.length
  await endExport(written, isDone)
  // the record names all of them from the start: at each commit, a trigger deletes files without a name
  await updateRecords(db, 'person_requests', (update) =>
    update.set({ files: [...at.files, ...at.copied] }).where('id', '=', request),
  )
  if (isDone) await finishExport(db, request, at)
  else await saveProgress(db, request, at, computeExportShare(exporting, at))
  return isDone
}

/** An earlier erasure has emptied the number of the person, or the files of the whole account. */
async function requireNotErased(db: Db, request: string, isBegun: boolean): Promise<void> {
  const found = await queries(db)
    .selectFrom('person_requests')
    .where('id', '=', request)
    .where(({ or, eb }) => or([eb('number', '<>', ''), eb('hash', '=', '')]))
    .$if(isBegun, (query) => query.where(sql<boolean>`files <> '{}'`))
    .executeTakeFirst()
  if (!found) throw new ApiError(409, 'The person was erased meanwhile.')
}

/** Begins or continues the files of an export. */
async function openExport(
  db: Db,
  { request, person, owner }: Exporting,
  former: At | undefined,
): Promise<{ start: At; written: Written }> {
  const place = { collection: 'person_requests', record: request }
  if (former)
    return {
      start: former,
      written: await continueExport(db, place, former.files, owner, former.look),
    }
  const head = await makeHead(db, person)
  const { files, written } = await beginExport(db, place, head, owner)
  return {
    start: {
      ...FIRST_PORTION,
      texts: person.number === '' ? 0 : await countTexts(db, person),
      files,
      look: head.look,
    },
    written,
  }
}

async function makeHead(db: Db, person: Person): Promise<ExportHead> {
  const { user: id, number } = person
  const { name, shownName, look } = await loadAccount(db, id)
  const contact = number === '' ? '' : await loadContactName(db, person)
  return {
    json: { number, account: { id, name }, at: formatNow() },
    of: [contact, number].filter((text) => text !== '').join(', ') || shownName,
    by: shownName,
    look,
  }
}

/** `shownName`: as public pages call the account, else as its owner is called as a sender. */
async function loadAccount(
  db: Db,
  id: string,
): Promise<{ name: string; shownName: string; look: PageLook }> {
  const found = await queries(db)
    .selectFrom('users as u')
    .leftJoin('user_settings as s', 's.user', 'u.id')
    .leftJoin('senders as o', 'o.id', 'u.id')
    .select(sql<string>`coalesce(nullif(u.name, ''), u.id)`.as('name'))
    .select(
      sql<string>`coalesce(nullif(s.account_name, ''), nullif(u.name, ''), nullif(o.name, ''), u.id)`.as(
        'shownName',
      ),
    )
    .select(['u.language', 's.time_zone as timeZone', 's.country'])
    .where('u.id', '=', id)
    .executeTakeFirst()
  const timeZone = isTimeZone(found?.timeZone ?? '') ? found!.timeZone! : 'UTC'
  const look = { language: readLanguage(found?.language), timeZone, country: found?.country ?? '' }
  return { name: found?.name ?? '', shownName: found?.shownName ?? '', look }
}

const finishExport = (db: Db, request: string, { counts }: At) =>
  updateRecords(db, 'person_requests', (update) =>
    update
      .set({
        state: 'done',
        progress: 100,
        counts: JSON.stringify(counts),
      })
      .set({ done_at: sql`pb_text(now())`, expires_at: sql`pb_text(now() + ${sql.raw(KEPT)})` })
      .where('id', '=', request),
  )
