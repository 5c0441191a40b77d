import type { DriverEvents, OutgoingText } from '../driver.ts'
import { FileMap } from '../file-map.ts'
import type { Pdu } from './library.ts'
import type { Settings } from './settings.ts'

/** A sent text; `parts`: the carrier's ids of all its parts. */
interface Sent extends Pick<OutgoingText, 'id' | 'attempt'> {
  readonly parts: readonly string[]
}

const MAX_SENT = 200_000
const MAX_EARLY = 10_000
/** SMPP 3.4, 5.2.23 */
const MAX_ID = 65
/** Longer than sending a text takes. An older receipt belongs to an earlier text with the same id. */
const EARLY_MS = 300_000
/** Final values of message_state, and their words in a receipt's text. SMPP 3.4, 5.2.28 and appendix B */
const STATES: Readonly<Record<string, string>> = {
  2: 'DELIVRD',
  3: 'EXPIRED',
  4: 'DELETED',
  5: 'UNDELIV',
  8: 'REJECTD',
}

/** Matches receipts with texts by the carrier's ids. A receipt may come before the answer to submit_sm. */
export class Receipts {
  readonly #settings: Settings
  readonly #delivered: DriverEvents['delivered']
  /** Sent texts by the id of each part without a receipt. */
  readonly #sent: FileMap<Sent>
  /** Receipts of unknown ids: an error, '' for delivery, and when they came (monotonic clock). */
  readonly #early = new Map<string, { readonly error: string; readonly atMs: number }>()

  constructor(file: string, settings: Settings, delivered: DriverEvents['delivered']) {
    this.#settings = settings
    this.#delivered = delivered
    this.#sent = new FileMap(file, MAX_SENT)
  }

  /** Remembers the carrier's ids of all parts of a text. */
  async add(ids: readonly string[], { id, attempt }: OutgoingText): Promise<void> {
    const parts = ids.map((each) => keyOf(each, this.#settings.answer_ids))
    for (const part of parts) void this.#sent.set(part, { id, attempt, parts })
    for (const part of parts) {
      const early = this.#early.get(part)
      this.#early.delete(part)
      if (early && performance.now() - early.atMs < EARLY_MS) await this.#apply(part, early.error)
    }
  }

  /** Takes a receipt. States that are not final change nothing. */
  async take(pdu: Pdu, text: string): Promise<void> {
    const { receipted_message_id: tlv, message_state } = pdu
    const { answer_ids, receipt_ids } = this.#settings
    const wordOf = (field: string) => new RegExp(`\\b${field}:\\s*(\\w+)\\b(?!:)`, 'i').exec(text)?.[1] ?? ''
    const state = STATES[Number(message_state)] ?? wordOf('stat').toUpperCase()
    if (!Object.values(STATES).includes(state)) return
    const error =
      state === 'DELIVRD' ? '' : `The carrier did not deliver it: ${state} ${wordOf('err')}`.trim()
    const inField = String(tlv ?? '').split('\0', 1)[0]!
    const inText = /\bid:\s*(\S+)/i.exec(text)?.[1] ?? ''
    const keys = [keyOf(inField, answer_ids), keyOf(inText, receipt_ids)].filter(Boolean)
    if (inField === inText) keys.reverse() // some carriers write the id of the receipt's text into the field
    const known = keys.find((key) => this.#sent.get(key))
    if (known) return this.#apply(known, error)
    for (const key of keys) this.#early.set(key, { error, atMs: performance.now() })
    while (this.#early.size > MAX_EARLY) this.#early.delete(this.#early.keys().next().value!)
  }

  /** A text is delivered when all its parts are, and has failed when one has. */
  async #apply(part: string, error: string): Promise<void> {
    const sent = this.#sent.get(part)
    if (!sent) return
    const others = sent.parts.filter((each) => each !== part && this.#sent.get(each)?.id === sent.id)
    if (error || others.length === 0) await this.#delivered(sent, new Date(), error)
    for (const each of error ? sent.parts : [part]) await this.#sent.set(each)
  }

  close(): void {
    this.#sent.close()
  }
}

/** An id for comparison: up to its zero byte, without leading zeros, hexadecimal ones by value. */
function keyOf(id: string, form: Settings['answer_ids']): string {
  const plain = id.slice(0, MAX_ID).split('\0', 1)[0]!.trim().toLowerCase()
  const text = form === 'hex' && /^[\da-f]+$/.test(plain) ? String(BigInt(`0x${plain}`)) : plain
  return text.replace(/^0+(?=.)/, '')
}
