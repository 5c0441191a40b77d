import {
  continueStoredFile,
  type GrowingFile,
  startStoredFile,
} from '../../engine/files/append-to-file.ts'
import type { FileOwner } from '../../engine/files/storage-limit.ts'
import type { FilePlace } from '../../engine/files/stored-files.ts'
import { makeStoredName } from '../../engine/files/stored-name.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Place } from '../base/personal-data.ts'
import {
  type ExportedRow,
  makePageWords,
  PAGE_END,
  type PageLook,
  type PageWords,
  renderMoreRows,
  renderPageHead,
  renderPlaceHead,
  renderRow,
} from './export-page.ts'

/** Rows of a place on the readable page, which a browser can still show. The JSON has all. */
export const PAGE_ROWS = 10_000

/** The readable page and the JSON of an export, which are written row by row. */
export interface Written {
  readonly json: GrowingFile
  readonly page: GrowingFile
  readonly words: PageWords
}

type RecordPlace = Omit<FilePlace, 'name'>

/** The head of an export. `of` and `by`: how its page names the person or account, and the account. */
export interface ExportHead {
  readonly json: { number: string; account: { id: string; name: string }; at: string }
  readonly of: string
  readonly by: string
  readonly look: PageLook
}

/** Begins JSON and page of a record. Returns their names, too. */
export async function beginExport(
  db: Db,
  record: RecordPlace,
  head: ExportHead,
  owner: FileOwner,
): Promise<{ files: readonly [string, string]; written: Written }> {
  const name = head.json.number === '' ? 'account' : 'person'
  const files = [makeStoredName(`${name}.json`, ''), makeStoredName(`${name}.html`, '')] as const
  const json = await startStoredFile(db, { ...record, name: files[0] }, 'application/json', owner)
  const page = await startStoredFile(
    db,
    { ...record, name: files[1] },
    'text/html; charset=utf-8',
    owner,
  )
  const words = makePageWords(head.look)
  const { json: start, of, by } = head
  await json.add(`${JSON.stringify(start).slice(0, -1)},"places":{`)
  await page.add(renderPageHead(words, { of, account: by, at: start.at, json: files[0] }))
  return { files, written: { json, page, words } }
}

export const continueExport = async (
  db: Db,
  record: RecordPlace,
  [json, page]: readonly [string, string],
  owner: FileOwner,
  look: PageLook,
): Promise<Written> => ({
  json: await continueStoredFile(db, { ...record, name: json }, owner),
  page: await continueStoredFile(db, { ...record, name: page }, owner),
  words: makePageWords(look),
})

/** Ends the slice of a transaction; `isDone`: the last one. Throws FilesFull. */
export async function endExport({ json, page }: Written, isDone: boolean): Promise<void> {
  if (isDone) {
    await json.add('}}')
    await page.add(PAGE_END)
  }
  await json.end(isDone)
  await page.end(isDone)
}

/** Where a row stands, and what the page knows of its values. */
interface RowToWrite {
  /** Rows of the place before this one. */
  readonly before: number
  /** Whether no place before this one has rows. */
  readonly isFirst: boolean
  /** Its values, if the page shows it. */
  readonly values: ExportedRow | undefined
  /** The names of files to which the page can link. */
  readonly copies: readonly string[]
  /** Names of other records, by id. */
  readonly names: ReadonlyMap<string, string>
}

/** Writes a row of a place. */
export async function exportRow(
  { json, page, words }: Written,
  place: Place,
  row: string,
  { before, isFirst, values, copies, names }: RowToWrite,
): Promise<void> {
  const isOnPage = place.onPage.length > 0
  if (before === 0) {
    await json.add(`${isFirst ? '' : ','}"${place.table}":[`)
    if (isOnPage) await page.add(renderPlaceHead(words, place))
  }
  await json.add(before === 0 ? row : `,${row}`)
  if (isOnPage && values) await page.add(renderRow(words, place, values, { copies, names }))
}

export async function endTableExport(
  { json, page, words }: Written,
  { onPage }: Place,
  rows: number,
): Promise<void> {
  if (rows === 0) return
  await json.add(']')
  if (onPage.length > 0 && rows > PAGE_ROWS) await page.add(renderMoreRows(words, rows - PAGE_ROWS))
}
