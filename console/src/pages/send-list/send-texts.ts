import { postRequest } from '../../data/client.ts'
import { type Fault, readFault } from '../../data/fault.ts'
import { workInParallel } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import type { ListText } from './list-rows.ts'

export interface ListOutcome {
  /** Ids of the accepted messages by row number in the file. */
  readonly accepted: ReadonlyMap<number, string>
  /** How many rows were not sent again, because their phone number got the same text less than a day ago. */
  readonly before: number
  readonly refused: readonly { readonly text: ListText; readonly why: string }[]
  /** The error that stopped the run, because every row would fail. */
  readonly fault: Fault | undefined
}

export const NOTHING_SENT: ListOutcome = {
  accepted: new Map(),
  before: 0,
  refused: [],
  fault: undefined,
}

const TOLD_MS = 100

/** Status codes that stop the run, because every row would fail; 0 means no answer. */
const STOPPING: ReadonlySet<number> = new Set([0, 401, 402, 403, 429, 500, 503])

/**
 * Sends the texts that are not in `done`, a few at a time. Reports progress to `tell`; never throws. The
 * idempotency key consists of phone number and text: a repeat within a day sends nothing twice, even from a
 * corrected file or another browser.
 */
export async function runList(
  texts: readonly ListText[],
  options: Readonly<Record<string, unknown>>,
  done: ListOutcome,
  stop: AbortSignal,
  tell: (outcome: ListOutcome) => void,
): Promise<ListOutcome> {
  const accepted = new Map(done.accepted)
  const refused: ListOutcome['refused'][number][] = []
  let before = done.before
  let fault: Fault | undefined
  let toldMs = 0
  const outcome = (): ListOutcome => ({
    accepted: new Map(accepted),
    before,
    refused: [...refused],
    fault,
  })
  const send = async (text: ListText) => {
    try {
      const sent = await sendOneText(text, options)
      accepted.set(text.row, sent.id)
      if (sent.isOld) before++
    } catch (error) {
      const why = readFault(error)
      if (STOPPING.has(why.status)) fault ??= why
      else
        refused.push({ text, why: why.code === 'idempotency_key_reused' ? OTHERWISE : why.message })
    }
    if (performance.now() - toldMs < TOLD_MS) return
    toldMs = performance.now()
    tell(outcome())
  }
  const waiting = texts.filter(({ row }) => !accepted.has(row))
  await workInParallel(waiting, send, () => stop.aborted || fault !== undefined)
  return outcome()
}

const OTHERWISE = t('The same text went to this number within a day, for another time')

async function sendOneText(
  { phone, body }: ListText,
  options: Readonly<Record<string, unknown>>,
): Promise<{ id: string; isOld: boolean }> {
  let isOld = false
  const answer = await postRequest<{ message_ids: readonly string[] }>(
    '/api/sms/send',
    { recipients: [phone], body, bulk: true, ...options },
    {
      headers: { 'Idempotency-Key': makeKey(phone, body) },
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        isOld = response.headers.get('Idempotent-Replayed') === 'true'
        return response
      },
    },
  )
  return { id: answer.message_ids[0]!, isOld }
}

/** An idempotency key from phone number and text. Uses `hashFnv` because crypto.subtle would need HTTPS. */
const makeKey = (phone: string, body: string): string =>
  `list-${phone}-${hashFnv(body, 0x811c9dc5)}${hashFnv(body, 0x01000193)}`

/** The 32-bit FNV-1a hash in hex, with `start` instead of the standard start value. */
function hashFnv(text: string, start: number): string {
  let hash = start
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
