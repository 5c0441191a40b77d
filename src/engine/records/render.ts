import type { Collection } from '../collections/collection.ts'
import type { Field, Value } from '../fields/field.ts'
import { findFieldStorage, findFieldType } from '../fields/field-types.ts'
import { writeNumber, writeSortedJson } from '../fields/json-text.ts'
import { AnswerMeter, checkPicked, FREE_BYTES, MAX_ANSWER_BYTES } from '../request/answer-limit.ts'
import type { RequestInfo } from '../request/request.ts'
import { columnsOf, type RecordRow } from './record-row.ts'
import { isShown } from './shown-fields.ts'

export interface FieldVisibility {
  readonly showsHidden: boolean
  /** Shows an auth record's email even if `emailVisibility` is false. */
  readonly showsEmail: boolean
}

interface Part {
  readonly before: string
  readonly at: number
  readonly write: (value: Value) => string
  /** The value to write for NULL, which only a view may contain. */
  readonly zero: Value
  /** The last value written; `text` has its JSON. Neighbours in a list often have equal values. */
  value: Value | undefined
  text: string
}

interface Plan {
  readonly head: readonly Part[]
  readonly middle: string
  readonly tail: readonly Part[]
  readonly end: string
}

const plansOf = new WeakMap<Collection, (Plan | undefined)[]>()

/** A row as JSON, keys in byte order. PocketBase: core/record_model.go, PublicExport; contract 0.1, 3.3 */
export function renderRecord(
  collection: Collection,
  row: RecordRow,
  visibility: FieldVisibility,
  expand?: string,
): string {
  const { showsHidden, showsEmail } = visibility
  const isPublic =
    collection.type !== 'auth' || row[columnsOf(collection).at.get('emailVisibility')!] === true
  const plan = findRenderPlan(collection, showsHidden, showsEmail || isPublic)
  let text = ''
  for (const part of plan.head) text += renderPart(part, row[part.at]!)
  text += plan.middle
  if (expand !== undefined) text += `,"expand":${expand}`
  for (const part of plan.tail) text += renderPart(part, row[part.at]!)
  return text + plan.end
}

function renderPart(part: Part, value: Value): string {
  // 0 and -0 are equal but written differently.
  if (value !== part.value || (value === 0 && !Object.is(value, part.value))) {
    part.value = value
    part.text = part.before + part.write(value ?? part.zero)
  }
  return part.text
}

function findRenderPlan(collection: Collection, hidden: boolean, email: boolean): Plan {
  const plans = plansOf.get(collection) ?? []
  const kind = (hidden ? 1 : 0) + (email ? 2 : 0)
  const plan = plans[kind] ?? makeRenderPlan(collection, hidden, email)
  plans[kind] = plan
  plansOf.set(collection, plans)
  return plan
}

function makeRenderPlan(collection: Collection, hidden: boolean, email: boolean): Plan {
  const shown = collection.fields.filter((field) => isShown(collection, field, hidden, email))
  const entries = new Map<string, Field | string>(shown.map((field) => [field.name, field]))
  entries.set('collectionId', collection.id).set('collectionName', collection.name)
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  const { at } = columnsOf(collection)
  const first = sorted.filter(([key]) => key < 'expand')
  const last = sorted.filter(([key]) => key > 'expand')
  const before = layOutParts(first, at, '{')
  const after = layOutParts(last, at, '')
  return { head: before.parts, middle: before.rest, tail: after.parts, end: `${after.rest}}` }
}

function layOutParts(
  entries: readonly [string, Field | string][],
  at: ReadonlyMap<string, number>,
  opening: string,
): { parts: Part[]; rest: string } {
  const parts: Part[] = []
  let text = opening
  for (const [key, entry] of entries) {
    text += `${text === '{' ? '' : ','}${JSON.stringify(key)}:`
    if (typeof entry === 'string') text += JSON.stringify(entry)
    else {
      parts.push({
        before: text,
        at: at.get(key)!,
        write: makeValueWriter(entry),
        zero: findFieldType(entry).zero(entry),
        value: undefined,
        text: '',
      })
      text = ''
    }
  }
  return { parts, rest: text }
}

/** Returns a function that writes stored values of this field as JSON (contract 3.3). */
function makeValueWriter(field: Field): (value: Value) => string {
  if (field.type === 'password') return () => '""'
  if (field.type === 'date' || field.type === 'autodate') return (value) => `"${value}"`
  switch (findFieldStorage(field)) {
    case 'number':
      return (value) => writeNumber(value as number)
    case 'bool':
      return (value) => (value ? 'true' : 'false')
    case 'json':
    case 'geo':
      return (value) => (value as string | null) ?? 'null'
    default:
      return JSON.stringify
  }
}

export interface RenderedRecord {
  readonly collection: Collection
  readonly row: RecordRow
  readonly visibility: FieldVisibility
  expand?: Map<string, RenderedRecord | readonly RenderedRecord[]>
  expanded?: number
  /** Members of the answer to a write that the record does not have, such as a secret that is shown once. */
  readonly extra?: Readonly<Record<string, unknown>>
  /** The record's JSON, kept because many records may expand to it. */
  text?: string
}

/** Called with the length of a text while it is built. Throws if the text is too long. */
type CheckLength = (length: number) => void

/** JSON of a record with its expanded records. `+` joins texts without copying, however often they occur. */
export function renderCached(rendered: RenderedRecord, check: CheckLength = () => {}): string {
  const { collection, row, visibility, expand, extra } = rendered
  rendered.text ??= extra
    ? renderWithExtra(rendered, extra, check)
    : renderRecord(collection, row, visibility, expand && expandText(expand, check))
  return rendered.text
}

/** Parses the record alone: expanded records may have 32 MiB, which take many times the memory as objects. */
function renderWithExtra(
  { collection, row, visibility, expand }: RenderedRecord,
  extra: Readonly<Record<string, unknown>>,
  check: CheckLength,
): string {
  const own = JSON.parse(renderRecord(collection, row, visibility))
  const text = writeSortedJson({ ...own, ...extra })
  return expand ? `${text.slice(0, -1)},"expand":${expandText(expand, check)}}` : text
}

/** Writes records as JSON and counts their size. One record alone may be as large as its fields allow. */
export function writeRecords(
  shown: readonly RenderedRecord[],
  { query, meter = new AnswerMeter() }: RequestInfo,
): string[] {
  let length = 0
  const check = (more: number) => {
    if (length + more > FREE_BYTES) meter.check(length + more)
  }
  const isAlone = shown.length === 1 && !shown[0]!.expanded
  const texts = shown.map((one) => {
    const text = renderCached(one, check)
    if (!isAlone) check(text.length)
    if (!isAlone && query.fields) checkPicked(text.length)
    length += text.length
    return text
  })
  // exact bytes matter only for long texts: a UTF-16 unit has at most three bytes in UTF-8
  const bytes =
    length > MAX_ANSWER_BYTES / 3
      ? texts.reduce((sum, one) => sum + Buffer.byteLength(one), 0)
      : length
  meter.addWritten(bytes, isAlone)
  return texts
}

function expandText(
  expand: ReadonlyMap<string, RenderedRecord | readonly RenderedRecord[]>,
  check: CheckLength,
): string {
  const pairs = [...expand].sort(([a], [b]) => (a < b ? -1 : 1))
  let text = ''
  for (const [key, value] of pairs)
    text += `${text && ','}${JSON.stringify(key)}:${renderExpanded(value, check)}`
  return `{${text}}`
}

function renderExpanded(
  value: RenderedRecord | readonly RenderedRecord[],
  check: CheckLength,
): string {
  if ('row' in value) return renderCached(value, check)
  let text = ''
  for (const rendered of value) {
    text += (text && ',') + renderCached(rendered, check)
    check(text.length)
  }
  return `[${text}]`
}
