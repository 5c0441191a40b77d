import { sql } from 'kysely'
import type { Store } from '../collections/catalog.ts'
import { LOCKS } from '../db/advisory-locks.ts'
import type { Db } from '../db/open.ts'
import { lock, queries } from '../db/queries.ts'
import { formatDate } from '../fields/date.ts'
import { copyFiles } from '../files/copy-files.ts'
import { beginFile, type GrowingFile } from '../files/growing-file.ts'
import type { FileOwner } from '../files/storage-limit.ts'
import { storedName } from '../files/stored-name.ts'
import { updateRecords } from '../sms/status.ts'
import { PAGE_END, PLACE_END, pageHead, placeHead, placeRow } from './export-html.ts'
import { type Person, textsOfPerson } from './person.ts'
import type { Place } from './place.ts'
import { PLACES } from './places.ts'
import { readPlace } from './read-place.ts'

/** Maximum files of texts in an export. */
const MAX_FILES = 500
/** How long the files of an export are kept: one day. */
const KEPT = `interval '1 day'`

/** The readable page and the JSON of an export, which are written row by row. */
interface Written {
  readonly json: GrowingFile
  readonly page: GrowingFile
}

/**
 * Stores all data of a person as files of the request: JSON, a page for people, and copies of the files of
 * texts. All or nothing, so a job whose node died makes them again. Throws FilesFull.
 */
export async function exportData(
  store: Pick<Store, 'db'>,
  request: string,
  person: Person,
  maxFileBytes: number,
  signal: AbortSignal,
): Promise<void> {
  const owner = { id: person.user, maxBytes: maxFileBytes }
  await store.db.transaction(async (db) => {
    await lock(db, LOCKS.person, person.user)
    if (!(await isOpen(db, request))) return
    const { name, at } = await readHead(db, person.user)
    const place = { collection: 'person_requests', record: request }
    const names = [storedName('person.json', ''), storedName('person.html', '')] as const
    const json = await beginFile(db, { ...place, name: names[0] }, 'application/json', owner)
    const page = await beginFile(db, { ...place, name: names[1] }, 'text/html; charset=utf-8', owner)
    await json.add(
      `${JSON.stringify({ number: person.number, account: { id: person.user, name }, at }).slice(0, -1)},"places":{`,
    )
    await page.add(pageHead(person.number, name, at))
    const counts = await writePlaces(db, { json, page }, person, signal)
    await json.add('}}')
    await page.add(PAGE_END)
    await json.end()
    await page.end()
    const copies = await copyAttachments(db, place, person, owner)
    await updateRecords(db, 'person_requests', (update) =>
      update
        .set({ state: 'done', counts: JSON.stringify(counts), files: [...names, ...copies] })
        .set({ done_at: sql`pb_text(now())`, expires_at: sql`pb_text(now() + ${sql.raw(KEPT)})` })
        .where('id', '=', request),
    )
  })
}

/** False if an erasure of the person came first: it has emptied the number. The next run then fails. */
async function isOpen(db: Db, request: string): Promise<boolean> {
  const found = await queries(db)
    .selectFrom('person_requests')
    .where('id', '=', request)
    .where('number', '<>', '')
    .executeTakeFirst()
  return found !== undefined
}

/** The name of an account, as it stands in an export, and the present time. */
async function readHead(db: Db, user: string): Promise<{ name: string; at: string }> {
  const found = await queries(db)
    .selectFrom('users')
    .select(sql<string>`coalesce(nullif(name, ''), email)`.as('name'))
    .where('id', '=', user)
    .executeTakeFirst()
  return { name: found?.name ?? '', at: formatDate(new Date()) }
}

/** Writes all places. Returns how many rows each has. */
async function writePlaces(db: Db, written: Written, person: Person, signal: AbortSignal) {
  const counts: Record<string, number> = {}
  for (const place of PLACES.filter(({ shown }) => shown.length > 0)) {
    const isFirst = Object.keys(counts).length === 0
    const rows = await writePlace(db, written, person, place, isFirst, signal)
    if (rows > 0) counts[place.table] = rows
  }
  return counts
}

async function writePlace(
  db: Db,
  { json, page }: Written,
  person: Person,
  place: Place,
  isFirst: boolean,
  signal: AbortSignal,
): Promise<number> {
  let rows = 0
  for await (const row of readPlace(db, place, person)) {
    signal.throwIfAborted()
    if (rows === 0) {
      await json.add(`${isFirst ? '' : ','}"${place.table}":[`)
      await page.add(placeHead(place.title, place.shown))
    }
    await json.add(rows === 0 ? row : `,${row}`)
    await page.add(placeRow(JSON.parse(row), place.table === '_files'))
    rows++
  }
  if (rows > 0) {
    await json.add(']')
    await page.add(PLACE_END)
  }
  return rows
}

async function copyAttachments(
  db: Db,
  to: { readonly collection: string; readonly record: string },
  person: Person,
  owner: FileOwner,
): Promise<string[]> {
  const { ids } = await queries(db).selectNoFrom(textsOfPerson(person).as('ids')).executeTakeFirstOrThrow()
  return copyFiles(db, { collection: 'sms_messages', records: ids }, to, owner, MAX_FILES)
}
