import type { Collection } from '../../collections/collection.ts'
import { quoteText } from '../../fields/values/json-text.ts'
import type { RecordRow } from '../columns.ts'
import { type FieldVisibility, renderRecord } from './render.ts'

/** A record in an answer with its expanded relations. */
export interface RenderedRecord {
  readonly collection: Collection
  readonly row: RecordRow
  readonly visibility: FieldVisibility
  /** Related records by step; present, perhaps empty, once a path exists. */
  expand?: Map<string, RenderedRecord | readonly RenderedRecord[]>
  /** Number of records expanded in it, at all depths. */
  expanded?: number
  /** Its JSON, once written: a record may be part of many others. */
  text?: string
}

/** Receives the length of a text before it is built. May throw. */
export type CheckLength = (length: number) => void

/** JSON of a record with expanded ones. Strings joined by `+` share memory of repeated records. */
export function renderedText(rendered: RenderedRecord, check: CheckLength = () => {}): string {
  rendered.text ??= renderRecord(
    rendered.collection,
    rendered.row,
    rendered.visibility,
    rendered.expand && expandText(rendered.expand, check),
  )
  return rendered.text
}

function expandText(
  expand: ReadonlyMap<string, RenderedRecord | readonly RenderedRecord[]>,
  check: CheckLength,
): string {
  const pairs = [...expand].sort(([a], [b]) => (a < b ? -1 : 1))
  let text = ''
  for (const [key, value] of pairs) text += `${text && ','}${quoteText(key)}:${valueText(value, check)}`
  return `{${text}}`
}

function valueText(value: RenderedRecord | readonly RenderedRecord[], check: CheckLength): string {
  if ('row' in value) return renderedText(value, check)
  let text = ''
  for (const rendered of value) {
    text += (text && ',') + renderedText(rendered, check)
    check(text.length)
  }
  return `[${text}]`
}
