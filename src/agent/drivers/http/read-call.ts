import { createHash } from 'node:crypto'
import { readPhone } from '../../../portable/phone/read.ts'
import { valueAt } from '../../../templates/value-at.ts'
import { isObject, parseJson } from '../../../tools/json.ts'
import { matches, textAt, textsAt } from './path.ts'
import type { Preset } from './preset.ts'
import type { Carrier } from './settings.ts'
import { type Call, fieldsIn, formIn, isForm, isSigned, pairsIn, queryIn } from './signature.ts'

/** An event in a carrier's call. `key`: the same for a text that the carrier repeats. */
export type CarrierEvent =
  | { readonly kind: 'receipt'; readonly id: string; readonly attempt: number; readonly error: string }
  | CarrierText

/** `files`: absent if there are none. */
export interface CarrierText extends Readonly<Record<'key' | 'from' | 'body', string>> {
  readonly kind: 'text'
  readonly sim: number
  readonly files?: readonly CarrierFile[]
}

/** A file of a text, which the carrier still has. Its description is the carrier's. */
export interface CarrierFile extends Readonly<Record<'url' | 'name' | 'contentType', string>> {
  readonly size: number | undefined
}

/** Maximum bytes of a call. */
export const MAX_CALL_BYTES = 256 << 10
const MAX_EVENTS = 1_000
/** Maximum files of a text. */
const MAX_FILES = 100
const MAX_NAME = 255
/** A reference of `refOf`. Others belong to texts that somebody else sent by the same account. */
const REF = /^([\w-]{1,100})\.(\d{1,9})$/
/** Minimum digits of a number with its calling code. Fewer digits are a short code. ITU-T E.164 */
const SHORTEST = 7

/** Reads a carrier's call. Undefined if it is not signed as the carrier signs. Ignores unknown events. */
export function readCall(carrier: Carrier, call: Call): CarrierEvent[] | undefined {
  const { signature, receipt, incoming } = carrier.interface
  if (signature && !isSigned(signature, call, carrier.webhook_secret || carrier.secret)) return undefined
  const json = parseJson(call.body.toString())
  const query = Object.fromEntries(fieldsIn(queryIn(call)))
  const all = { ...query, ...Object.fromEntries(formIn(call)), ...(isObject(json) && json) }
  const itemsOf = (each: string | undefined): unknown[] => {
    if (each === undefined) return [all]
    const list = valueAt(all, each.split('.'))
    if (!Array.isArray(list)) return []
    // an item may lack what the query has
    return list
      .slice(0, MAX_EVENTS)
      .filter(isObject)
      .map((item) => ({ ...query, ...item }))
  }
  const receipts = receipt
    ? itemsOf(receipt.each).flatMap((item): CarrierEvent[] => {
        const [, id, attempt] = REF.exec(textAt(item, receipt.ref)) ?? []
        const status = textAt(item, receipt.status)
        const isFinal = [...receipt.delivered, ...receipt.failed].includes(status)
        if (!id || !isFinal || !matches(item, receipt.when)) return []
        const words = textsAt(item, receipt.error)
        const failure = `The carrier did not deliver it: ${[status, words].filter(Boolean).join(' ')}`
        const error = receipt.delivered.includes(status) ? '' : failure
        return [{ kind: 'receipt', id, attempt: Number(attempt), error }]
      })
    : []
  const texts = incoming
    ? itemsOf(incoming.each).flatMap((item): CarrierEvent[] => {
        const from = textAt(item, incoming.from)
        const hasBody = valueAt(item, incoming.body.split('.')) !== undefined
        if (from === '' || !hasBody || !matches(item, incoming.when)) return []
        const given = textAt(item, incoming.id) || JSON.stringify(item)
        const key = createHash('sha256').update(given).digest('base64url')
        // a list is JSON, which is always UTF-8
        const charset = incoming.each === undefined ? textAt(item, incoming.charset) : ''
        const body = recoded(call, incoming.body, charset) ?? textAt(item, incoming.body)
        const sim = simOf(carrier, textAt(item, incoming.to))
        const files = filesIn(item, incoming.files)
        return [{ kind: 'text', key, from: numberOf(from), body, sim, ...(files.length > 0 && { files }) }]
      })
    : []
  return [...receipts, ...texts]
}

function filesIn(item: unknown, paths: NonNullable<Preset['incoming']>['files']): CarrierFile[] {
  const list = paths && valueAt(item, paths.each.split('.'))
  if (!paths || !Array.isArray(list)) return []
  const files = list.slice(0, MAX_FILES).map((file) => ({
    url: textAt(file, paths.url),
    name: textAt(file, paths.name).slice(0, MAX_NAME),
    contentType: textAt(file, paths.type).slice(0, MAX_NAME),
    size: Number(textAt(file, paths.size)) || undefined,
  }))
  return files.filter(({ url }) => url !== '')
}

/** A field of a query or form in another charset than UTF-8; undefined if it is UTF-8. */
function recoded(call: Call, name: string, charset: string): string | undefined {
  if (charset === '' || !isCharset(charset)) return undefined
  const form = isForm(call) ? call.body.toString('latin1') : ''
  const pairs = [...pairsIn(queryIn(call)), ...pairsIn(form)]
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  const bytes = value
    ?.replaceAll('+', ' ')
    .replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return bytes === undefined ? undefined : new TextDecoder(charset).decode(Buffer.from(bytes, 'latin1'))
}

function isCharset(label: string): boolean {
  try {
    return new TextDecoder(label) !== undefined
  } catch {
    return false // such as GSM, which Kannel recodes to UTF-8
  }
}

/** Carriers write numbers with their calling code, often without +. */
const numberOf = (from: string) =>
  from.length < SHORTEST ? from : (readPhone(from, '', { bare: 'world' }).phone ?? from)

const simOf = ({ senders }: Carrier, to: string) =>
  senders.findIndex((sender) => sender.replace(/^\+/, '') === to.trim().replace(/^\+/, '')) + 1
