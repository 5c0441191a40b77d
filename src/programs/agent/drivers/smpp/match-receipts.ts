import type { DriverEvents, OutgoingText } from '../../driver-interface.ts'
import { openFileMap } from '../../persistent-map.ts'
import type { Pdu } from './library.ts'
import type { SmppSettings } from './smpp-settings.ts'

/** A sent text; `parts`: the carrier's ids of all its parts. */
interface Sent extends Pick<OutgoingText, 'id' | 'attempt'> {
  readonly parts: readonly string[]
  /** When the carrier accepted it, in milliseconds since 1970. Missing in entries of earlier versions. */
  readonly atMs?: number
}

const MAX_SENT = 200_000
const MAX_EARLY = 10_000
/** Maximum length of a carrier's message id. SMPP 3.4, 5.2.23 */
const MAX_ID = 65
/** A receipt this much older than the answer to submit_sm belongs to an earlier text with an equal id. */
const EARLY_MS = 300_000
/** A receipt this late belongs to another text: carriers count from 1 again, and keep texts for a week. */
const OLD_MS = 10 * 86_400_000
/** Final values of message_state, and their words in a receipt's text. SMPP 5.0, 4.7.15; 3.4, appendix B */
const STATES: Readonly<Record<string, string>> = {
  2: 'DELIVRD',
  3: 'EXPIRED',
  4: 'DELETED',
  5: 'UNDELIV',
  8: 'REJECTD',
  9: 'SKIPPED',
}
/** Beginnings of the words that carriers write: `DELIVERED`, `UNDELIVERABLE`, `REJECTED`. */
const FINAL: readonly (readonly [beginning: RegExp, state: string])[] = [
  [/^DELIV|^DLVR/, 'DELIVRD'],
  [/^EXPIR/, 'EXPIRED'],
  [/^DELET/, 'DELETED'],
  [/^UNDEL|^FAIL/, 'UNDELIV'],
  [/^REJ/, 'REJECTD'],
  [/^SKIP/, 'SKIPPED'],
]
const NOT_FINAL = /^(?:$|ENR|ACC|SCHED|BUF|UNK)/

const WORDS = /\b(?:id|stat):/i

/**
 * The text of a receipt as ASCII. Some carriers write it in UCS-2, others give a data_coding that it has not:
 * `decoded`, the text by its data_coding, is only used if the bytes show no words of a receipt.
 */
export function readReceiptText(bytes: Buffer, decoded: () => string): string {
  const plain = bytes.toString('latin1')
  return WORDS.test(plain) ? plain : decoded()
}

/** Matches receipts with texts by the carrier's ids. A receipt may precede the answer to submit_sm. */
export function openReceipts(
  file: string,
  settings: SmppSettings,
  delivered: DriverEvents['delivered'],
) {
  /** Sent texts, by the id of each part that has no receipt yet. */
  const sentBy = openFileMap<Sent>(file, MAX_SENT)
  /** Receipts of texts not known yet, by id. `error`: '' if delivered. `atMs`: arrival (monotonic clock). */
  const early = new Map<string, { readonly error: string; readonly atMs: number }>()

  async function add(ids: readonly string[], { id, attempt }: OutgoingText): Promise<void> {
    const parts = ids.map((each) => normalizeReceiptId(each, settings.answer_ids))
    for (const part of parts) void sentBy.set(part, { id, attempt, parts, atMs: Date.now() })
    for (const part of parts) {
      const receipt = early.get(part)
      early.delete(part)
      if (receipt && performance.now() - receipt.atMs < EARLY_MS) await apply(part, receipt.error)
    }
  }

  /** Handles a receipt. Ignores states that are not final. */
  async function take(pdu: Pdu, text: string): Promise<void> {
    const { receipted_message_id: tlv, message_state } = pdu
    const { answer_ids, receipt_ids } = settings
    const wordOf = (field: string) =>
      new RegExp(`\\b${field}:\\s*(\\w+)\\b(?!:)`, 'i').exec(text)?.[1] ?? ''
    const word = wordOf('stat').toUpperCase()
    const state =
      STATES[Number(message_state)] ?? FINAL.find(([beginning]) => beginning.test(word))?.[1]
    if (!state) {
      if (!NOT_FINAL.test(word))
        process.stderr.write(`SMPP: a receipt has the unknown state ${word}\n`)
      return
    }
    const error =
      state === 'DELIVRD' ? '' : `The carrier did not deliver it: ${state} ${wordOf('err')}`.trim()
    const inField = String(tlv ?? '').split('\0', 1)[0]!
    const inText = /\bid:\s*(\S+)/i.exec(text)?.[1] ?? ''
    const keys = [
      normalizeReceiptId(inField, answer_ids),
      normalizeReceiptId(inText, receipt_ids),
    ].filter(Boolean)
    if (inField === inText) keys.reverse() // some carriers write the id of the receipt's text into the field
    const known = keys.find((key) => {
      const sent = sentBy.get(key)
      return sent && (sent.atMs ?? Date.now()) > Date.now() - OLD_MS
    })
    if (known) return apply(known, error)
    for (const key of keys) early.set(key, { error, atMs: performance.now() })
    while (early.size > MAX_EARLY) early.delete(early.keys().next().value!)
  }

  /**
   * Applies a part's receipt. Reports a text as delivered once all parts are, or the first one if the carrier
   * sends one receipt for all; as failed once one failed.
   */
  async function apply(part: string, error: string): Promise<void> {
    const sent = sentBy.get(part)
    if (!sent) return
    const others = sent.parts.filter((each) => each !== part && sentBy.get(each)?.id === sent.id)
    const isLast = error !== '' || others.length === 0 || settings.receipt_for_parts === 'one'
    if (isLast) await delivered(sent, new Date(), error)
    for (const each of isLast ? sent.parts : [part]) await sentBy.set(each)
  }

  return { add, take, close: sentBy.close }
}

/** Makes ids comparable: cuts them at a zero byte, drops leading zeros, makes hexadecimal ids decimal. */
function normalizeReceiptId(id: string, form: SmppSettings['answer_ids']): string {
  const plain = id.slice(0, MAX_ID).split('\0', 1)[0]!.trim().toLowerCase()
  const text = form === 'hex' && /^[\da-f]+$/.test(plain) ? String(BigInt(`0x${plain}`)) : plain
  return text.replace(/^0+(?=.)/, '')
}

/** Whether a message's fields or text show a receipt. An id is no proof: Kannel adds ids to texts, too. */
export const isReceipt = ({ receipted_message_id, message_state }: Pdu, text: string) =>
  receipted_message_id !== undefined &&
  (message_state !== undefined || (/\bid:/i.test(text) && /\bstat:/i.test(text)))
