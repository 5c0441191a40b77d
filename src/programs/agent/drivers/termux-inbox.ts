import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { parseJson } from '../../../platform/tools/json.ts'
import { deriveId } from '../../../platform/tools/random.ts'
import { toPlainText } from '../../../portable/phone/plain-text.ts'
import { openFileMap } from '../persistent-map.ts'

/** A text as `termux-sms-list` prints it. `received`: local time such as `2026-11-20 10:45:00`. */
export interface Listed {
  readonly _id: number
  /** Before Termux:API 0.50, sent texts are listed as well. */
  readonly type?: string
  readonly address?: string | null
  readonly number?: string | null
  readonly body: string | null
  readonly received: string
}

/** The error that Termux:API prints instead of a result, for example if a permission is missing. */
export interface Refusal {
  readonly error?: string
}

/** The inbox at the last look: the highest id, the latest time of arrival, and all texts. */
interface Seen {
  readonly id: number
  readonly atMs: number
  readonly keys: readonly string[]
}

/** Android may write digits of its language. */
export const readArrival = ({ received }: Listed) => toPlainText(received)
const readArrivalMs = (text: Listed) => Date.parse(readArrival(text))
/** Android prints all times by its present zone, and zones differ by quarters of an hour. */
const QUARTER_MS = 900_000
/** Tells texts with the same id apart by their time, in any zone. */
const makeTextKey = (text: Listed) => `${text._id} ${readArrivalMs(text) % QUARTER_MS}`

/**
 * Recognizes new texts in a phone's inbox. Ids alone do not show them: Android gives the id of the newest
 * text again once that is deleted, and a new database begins with 1. `file` keeps what was seen.
 */
export function openTermuxInbox(file: string) {
  let seen = existsSync(file) ? readSeen(parseJson(readFileSync(file, 'utf8'))) : undefined

  /** Whether a text was received since the last check. False before the first check. */
  function isNew(text: Listed): boolean {
    if (!seen || seen.keys.includes(makeTextKey(text))) return false
    return text._id > seen.id || readArrivalMs(text) >= seen.atMs
  }

  /** Remembers the texts of the inbox. Ignores an empty inbox: Android lists none while it starts. */
  function remember(texts: readonly Listed[]): void {
    if (seen && texts.length === 0) return
    const times = texts.map(readArrivalMs).filter((ms) => !Number.isNaN(ms))
    // an id above all others: later texts of an inbox that was empty are new by their time
    const ids = texts.length > 0 ? texts.map(({ _id }) => _id) : [Number.MAX_SAFE_INTEGER]
    const atMs = times.length > 0 ? Math.max(...times) : Date.now()
    const before = JSON.stringify(seen)
    seen = { id: Math.max(...ids), atMs, keys: texts.map(makeTextKey) }
    const after = JSON.stringify(seen)
    if (after === before) return
    writeFileSync(`${file}.new`, after, { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }

  return { isNew, remember }
}

/** Earlier versions of the agent kept the highest id only. */
function readSeen(kept: unknown): Seen | undefined {
  if (typeof kept === 'number') return { id: kept, atMs: Number.POSITIVE_INFINITY, keys: [] }
  const { id, atMs, keys } = (kept ?? {}) as Partial<Seen>
  return typeof id === 'number' && typeof atMs === 'number' && keys ? { id, atMs, keys } : undefined
}

/** How many texts are remembered until Android lists them as sent. */
const MAX_OWN = 1_000
/** Android may write a number with or without its calling code. */
const LAST_DIGITS = 7

/** Keeps in a file which texts the agent sent, to distinguish them from those of the phone's owner. */
export function openOwnTexts(file: string) {
  const counts = openFileMap<number>(file, MAX_OWN)
  return {
    async add(to: string, body: string): Promise<void> {
      const key = makeKey(to, body)
      await counts.set(key, (counts.get(key) ?? 0) + 1)
    },
    /** Forgets a text of the agent once. False if it is none. */
    async take(to: string, body: string): Promise<boolean> {
      const key = makeKey(to, body)
      const count = counts.get(key)
      if (count === undefined) return false
      await (count > 1 ? counts.set(key, count - 1) : counts.set(key))
      return true
    },
  }
}

/** A hash: texts may contain codes. */
const makeKey = (to: string, body: string) =>
  deriveId(`${to.replace(/\D/g, '').slice(-LAST_DIGITS)} ${body.replace(/\s+/g, ' ').trim()}`)
