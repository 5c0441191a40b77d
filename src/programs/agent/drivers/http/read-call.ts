import { createHash } from 'node:crypto'
import { isObject, parseJson } from '../../../../platform/tools/json.ts'
import { toLoggableKey } from '../../../../platform/tools/loggable-texts.ts'
import { readPhone } from '../../../../portable/phone/read-phone.ts'
import { joinSubject } from '../../../../portable/written-words.ts'
import type { Carrier } from './carrier-account.ts'
import {
  isCallSigned,
  isFormCall,
  parseFormFields,
  readCallForm,
  readCallQuery,
  type SignedCall,
  splitFormPairs,
} from './check-call-signature.ts'
import type { Incoming, Receipt } from './preset.ts'
import { type CarrierFile, readCarrierFiles } from './read-call-files.ts'
import {
  isAmongValues,
  matchesCondition,
  readTextAt,
  readTextsAt,
  readValueAt,
} from './read-path.ts'

/** An event in a carrier's call. `key`: the same for a text that the carrier repeats. */
export type CarrierEvent =
  | {
      readonly kind: 'receipt'
      readonly id: string
      readonly attempt: number
      readonly error: string
      /** Absent for SMS and MMS. */
      readonly channel?: 'rcs'
    }
  | CarrierText

/** `files`: absent if there are none. */
export interface CarrierText extends Readonly<Record<'key' | 'from' | 'body', string>> {
  readonly kind: 'text'
  readonly sim: number
  /** The first line of `body`, too. */
  readonly subject?: string | undefined
  readonly files?: readonly CarrierFile[]
}

export const MAX_CALL_BYTES = 256 << 10
const MAX_EVENTS = 1_000
/** How often a call is searched for a file: some 0.1 ms each at most. */
const MAX_SEARCHES = 3_000
/** Maximum names of an unknown event's fields, and levels below the first. */
const MAX_NAMES = 50
const MAX_DEPTH = 3
/** A reference of `makeAttemptRef`. Others belong to texts that other programs sent by the same account. */
const REF = /^([\w-]{1,100})\.(\d{1,9})$/
/** Minimum digits of a number with its calling code. Fewer digits are a short code. ITU-T E.164 */
const SHORTEST = 7

/** The news of a call. `unknown`: for each event that the preset lacks, the names of its fields. */
interface CarrierNews {
  readonly events: readonly CarrierEvent[]
  readonly unknown: readonly (readonly string[])[]
}

/** Reads a carrier's call. Undefined if it is not signed as the carrier signs. */
export function readCall(carrier: Carrier, call: SignedCall): CarrierNews | undefined {
  const { signature, receipt, incoming, ignored } = carrier.interface
  if (signature && !isCallSigned(signature, call, carrier.webhook_secret || carrier.secret))
    return undefined
  const events: CarrierEvent[] = []
  const unknown: string[][] = []
  const source: Source = {
    recode: makeRecoder(call),
    common: hashText(readCallQuery(call) + (isFormCall(call) ? `&${call.body}` : '')),
    searches: MAX_SEARCHES,
  }
  for (const { item, own, each } of listItems(carrier, call)) {
    if (events.length >= MAX_EVENTS) break
    const ofItem = <T extends { each?: string | undefined }>(all: readonly T[]) =>
      all.filter((form) => form.each === each)
    const found = [
      ...ofItem(receipt).map((form) => readReceipt(form, item)),
      ...ofItem(incoming).map((form) => readText(carrier, form, item, own, source)),
    ].filter((event) => event !== undefined)
    events.push(...found.flat())
    if (found.length === 0 && !ignored.some((condition) => matchesCondition(item, condition)))
      unknown.push(listEventFields(item))
  }
  return { events, unknown }
}

/** An item of a call, perhaps an event. `own`: without the query and form; `each`: the list that it is in. */
interface Item {
  readonly item: unknown
  readonly own: unknown
  readonly each?: string
}

/** The items of a call, at most MAX_EVENTS: a longer call costs no more. */
function listItems({ interface: { receipt, incoming } }: Carrier, call: SignedCall): Item[] {
  const text = call.body.toString().trim()
  const query = Object.fromEntries(parseFormFields(readCallQuery(call)))
  const common = { ...query, ...Object.fromEntries(readCallForm(call)) }
  const lists = new Set([...receipt, ...incoming].flatMap(({ each }) => each ?? []))
  const items: Item[] = []
  const json = parseJson(text)
  for (const part of [json].flat().slice(0, MAX_EVENTS)) {
    if (items.length === MAX_EVENTS) break
    const all = { ...common, ...(isObject(part) && part) }
    const present = [...lists].filter((each) => Array.isArray(readValueAt(all, each)))
    // an item may lack what the query has
    for (const each of present)
      for (const item of (readValueAt(all, each) as unknown[]).slice(0, MAX_EVENTS - items.length))
        items.push({ item: isObject(item) ? { ...query, ...item } : item, own: item, each })
    // a call without anything is a test of the address
    if (present.length === 0 && (text !== '' || Object.keys(all).length > 0))
      items.push({ item: all, own: part })
  }
  return items
}

/** A receipt; none if it is not final, or of a text of another program. Undefined if this is no receipt. */
function readReceipt({ when, ref, status: at, error, channel, ...words }: Receipt, item: unknown) {
  const status = readTextAt(item, at)
  const { delivered, failed, pending } = words
  if (
    !isAmongValues([...delivered, ...failed, ...pending], status) ||
    !matchesCondition(item, when)
  )
    return undefined
  const [, id, attempt] = REF.exec(readTextAt(item, ref)) ?? []
  if (!id || isAmongValues(pending, status)) return []
  const failure = [status, readTextsAt(item, error)].filter(Boolean).join(' ')
  const isRcs = channel.some((path) => /^rcs(?::|$)/i.test(readTextAt(item, path)))
  return {
    kind: 'receipt' as const,
    id,
    attempt: Number(attempt),
    error: isAmongValues(delivered, status) ? '' : `The carrier did not deliver it: ${failure}`,
    ...(isRcs && { channel: 'rcs' as const }),
  }
}

/**
 * The common data of a call's items. `common`: a hash of its query and form; `searches`: how often it may
 * still be searched for a file.
 */
interface Source {
  readonly recode: ReturnType<typeof makeRecoder>
  readonly common: string
  searches: number
}

/** A text; undefined if this is no text. */
function readText(
  carrier: Carrier,
  form: Incoming,
  item: unknown,
  own: unknown,
  source: Source,
): CarrierText | undefined {
  const from = readTextAt(item, form.from)
  if (from === '' || !matchesCondition(item, form.when)) return undefined
  const path = [form.body].flat().find((each) => readValueAt(item, each) != null)
  const files = readCarrierFiles(item, form.files, source)
  if (path === undefined && files.length === 0) return undefined
  const given = readTextAt(item, form.id) || `${source.common} ${JSON.stringify(own)}`
  // a list is JSON, which is always UTF-8
  const charset = form.each === undefined ? readTextAt(item, form.charset) : ''
  return {
    kind: 'text',
    key: hashText(given),
    from: normalizeSender(from),
    ...joinSubject(
      readTextAt(item, form.subject),
      (path && source.recode(path, charset)) ?? readTextAt(item, path),
    ),
    sim: findSenderSlot(carrier, item, [form.to].flat()),
    ...(files.length > 0 && { files }),
  }
}

/** Names of the fields of an event as they may be logged, such as `data.type`, without their values. */
function listEventFields(item: unknown, before = '', depth = 0): string[] {
  if (!isObject(item) || depth > MAX_DEPTH) return []
  return Object.entries(item)
    .slice(0, MAX_NAMES)
    .map(([key, value]) => [`${before}${toLoggableKey(key)}`, value] as const)
    .flatMap(([name, value]) => [name, ...listEventFields(value, `${name}.`, depth + 1)])
    .slice(0, MAX_NAMES)
}

/** Returns a function that reads a field of a query or form in another charset; undefined if it is UTF-8. */
function makeRecoder(call: SignedCall) {
  let pairs: readonly string[] | undefined
  const readPairs = () => {
    const form = isFormCall(call) ? call.body.toString('latin1') : ''
    return [...splitFormPairs(readCallQuery(call)), ...splitFormPairs(form)]
  }
  return (name: string, charset: string): string | undefined => {
    if (charset === '' || !isCharset(charset)) return undefined
    pairs ??= readPairs()
    const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
    const bytes = value
      ?.replaceAll('+', ' ')
      .replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    return bytes === undefined
      ? undefined
      : new TextDecoder(charset).decode(Buffer.from(bytes, 'latin1'))
  }
}

function isCharset(label: string): boolean {
  try {
    return new TextDecoder(label) !== undefined
  } catch {
    return false // such as GSM, which Kannel recodes to UTF-8
  }
}

/** Carriers write numbers with their calling code, often without +, and those of RCS after `rcs:`. */
function normalizeSender(given: string): string {
  const from = given.replace(/^rcs:/, '')
  return from.length < SHORTEST ? from : (readPhone(from, '', { bare: 'world' }).phone ?? from)
}

const hashText = (text: string) => createHash('sha256').update(text).digest('base64url')

const stripPlus = (sender: string) => sender.trim().replace(/^\+/, '')

/** The slot of the first value that is a sender of ours; 0 if none is. */
function findSenderSlot({ senders }: Carrier, item: unknown, paths: readonly string[]): number {
  const bare = senders.map(stripPlus)
  const slots = paths.map((path) => bare.indexOf(stripPlus(readTextAt(item, path))) + 1)
  return slots.find(Boolean) ?? 0
}
