import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { quoteText } from '../fields/json-text.ts'
import type { RequestInfo } from '../filter/request.ts'
import { columnsOf, type Row } from './columns.ts'
import { renderRecord, type Sight } from './render.ts'
import { emailsSeen } from './sight.ts'

/** A record on its way into an answer, with what is expanded in it. */
export interface Shown {
  readonly collection: Collection
  readonly row: Row
  readonly sight: Sight
  /** Records by step of the path; there, perhaps empty, once a path from here has led somewhere. */
  expand?: Map<string, Shown | readonly Shown[]>
  /** How many records are expanded in it, at all depths. */
  expanded?: number
  /** Its JSON, once written: one record may stand in many others. */
  text?: string
}

/** Rows of one collection as the requester may see them. */
export async function showRows(
  store: Store,
  collection: Collection,
  rows: readonly Row[],
  request: RequestInfo,
): Promise<Shown[]> {
  const hidden = request.auth?.isSuperuser ?? false
  const sight: Sight = { hidden, email: hidden }
  const close: Sight = { hidden, email: true }
  const emails = await emailsSeen(store, collection, rows, request)
  const { id } = columnsOf(collection)
  return rows.map((row) => ({ collection, row, sight: emails.has(row[id] as string) ? close : sight }))
}

/** Told how long a text is going to be, before it is put together. May throw. */
export type CheckLength = (length: number) => void

/**
 * The JSON of a record with all that is expanded in it, keys in byte order. Strings put together by `+` share their
 * parts: a record that stands in a thousand others is in memory once, until the answer is sent.
 */
export function shownText(shown: Shown, check: CheckLength = () => {}): string {
  shown.text ??= renderRecord(
    shown.collection,
    shown.row,
    shown.sight,
    shown.expand && expandText(shown.expand, check),
  )
  return shown.text
}

function expandText(expand: ReadonlyMap<string, Shown | readonly Shown[]>, check: CheckLength): string {
  const pairs = [...expand].sort(([a], [b]) => (a < b ? -1 : 1))
  let text = ''
  for (const [key, value] of pairs) text += `${text && ','}${quoteText(key)}:${valueText(value, check)}`
  return `{${text}}`
}

function valueText(value: Shown | readonly Shown[], check: CheckLength): string {
  if ('row' in value) return shownText(value, check)
  let text = ''
  for (const shown of value) {
    text += (text && ',') + shownText(shown, check)
    check(text.length)
  }
  return `[${text}]`
}
