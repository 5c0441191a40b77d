import { setTimeout as sleep } from 'node:timers/promises'
import { openLineFile } from './line-file.ts'

/** A report, or a received or typed text, that the server must get. `item` is in the server's format. */
export interface JournalEntry {
  readonly kind: 'report' | 'incoming' | 'typed'
  readonly item: Readonly<Record<string, unknown>>
}

/**
 * A line of the journal. `begun`: an attempt handed to the radio on `day`. Day 0: it was not sent after all.
 * `tell`: number of an entry for the server. `told`: numbers of entries that the server has answered.
 * `refused`: the server accepted none of the entries in `told`, and may hand out their attempts again.
 */
type Entry =
  | { readonly begun: string; readonly day: number }
  | {
      readonly tell: number
      readonly kind: JournalEntry['kind']
      readonly item: JournalEntry['item']
    }
  | { readonly told: readonly number[]; readonly refused?: boolean }

const DAY_MS = 86_400_000
/** How long attempts to send are remembered: much longer than the server leases a message to the device. */
const KEPT_DAYS = 7
/** How long reported attempts are remembered: an answer that is on its way may contain them again. */
const REPORTED_MS = 60_000
/** The pause after an attempt that could not be stored, such as on a full disk. */
export const UNSTORED_MS = 1_000

/**
 * Which process has begun an attempt: `here` this one, `elsewhere` another, `unstored` none, as the attempt
 * could not be stored. `withdrawn`: as `here`, but the text must not be sent any more. `over`: as
 * `elsewhere`, with the same restriction.
 */
export type Begun = 'here' | 'withdrawn' | 'elsewhere' | 'over' | 'unstored'

export interface Journal {
  /** Other processes may begin the same attempts, and `begin` also asks whether the text may still leave. */
  readonly isShared: boolean
  /** Entries that the server does not know yet, oldest first, by number. */
  readonly untold: ReadonlyMap<number, JournalEntry>
  /** Whether an attempt was handed to the radio, perhaps in an earlier run. */
  hasBegun(id: string, attempt: number): boolean
  /** Whether the result of an attempt is known: the server has it, or will get it. */
  hasResult(id: string, attempt: number): boolean
  /**
   * Stores that an attempt begins. Never rejects; waits a moment before it resolves with `unstored`.
   * `isFresh`: a claim has just said that the text may leave.
   */
  begin(id: string, attempt: number, isFresh?: boolean): Promise<Begun>
  /** Undoes `begin`: the attempt was certainly not sent. Never rejects. */
  undo(id: string, attempt: number): Promise<void>
  /**
   * Stores an entry until `forget`. Rejects if that fails. Then a report is still sent, unless this process
   * ends before, but a received text is dropped: its driver must report it again.
   */
  keep(entry: JournalEntry): Promise<void>
  forget(told: readonly number[], refused?: boolean): void
  close(): void
}

/** Opens the file from which an agent recovers after a crash: attempts, reports and received texts. */
export function openJournal(file: string): Journal {
  let last = 0
  const begun = new Map<string, number>()
  const untold = new Map<number, JournalEntry>()
  /** Attempts whose result the server has, oldest first, with the report's time (monotonic clock). */
  const reported = new Map<string, number>()
  /** Attempts with a result that the server does not have yet. */
  const withResult = new Set<string>()
  const lines = openLineFile(file, read, live)

  function read(entry: Entry): void {
    if ('begun' in entry) begun.set(entry.begun, entry.day)
    else if ('told' in entry) for (const key of take(entry)) begun.delete(key)
    else note(entry.tell, { kind: entry.kind, item: entry.item })
    if ('tell' in entry) last = Math.max(last, entry.tell)
  }

  function note(tell: number, entry: JournalEntry): void {
    untold.set(tell, entry)
    if (entry.kind === 'report') withResult.add(makeEntryKey(entry))
  }

  /** Removes entries that the server has. Returns the attempts that the server will not hand out again. */
  function take({ told, refused }: Extract<Entry, { readonly told: unknown }>): string[] {
    const taken = told.flatMap((number) => untold.get(number) ?? [])
    for (const number of told) untold.delete(number)
    for (const entry of taken) withResult.delete(makeEntryKey(entry))
    return refused ? [] : taken.map(makeEntryKey)
  }

  function* live(): Iterable<Entry> {
    const oldest = readToday() - KEPT_DAYS
    for (const [key, day] of begun) if (day < oldest) begun.delete(key)
    for (const [key, day] of begun) yield { begun: key, day }
    for (const [tell, telling] of untold) yield { tell, ...telling }
  }

  /** Whether an attempt was handed to the radio, perhaps in an earlier run. It must not be sent again. */
  function hasBegun(id: string, attempt: number): boolean {
    return begun.has(`${id}.${attempt}`) || reported.has(`${id}.${attempt}`)
  }

  const hasResult = (id: string, attempt: number) =>
    withResult.has(`${id}.${attempt}`) || reported.has(`${id}.${attempt}`)

  async function begin(id: string, attempt: number): Promise<Begun> {
    const key = `${id}.${attempt}`
    const day = readToday()
    try {
      await store({ begun: key, day }, () => begun.set(key, day))
      return 'here'
    } catch {
      begun.delete(key)
      await sleep(UNSTORED_MS)
      return 'unstored'
    }
  }

  /** Undoes `begin`: the attempt was certainly not sent. */
  async function undo(id: string, attempt: number): Promise<void> {
    const key = `${id}.${attempt}`
    // if that fails, the attempt counts as begun after a restart
    await store({ begun: key, day: 0 }, () => begun.delete(key)).catch(() => {})
    begun.delete(key)
  }

  async function keep(telling: JournalEntry): Promise<void> {
    const tell = ++last
    const isReport = telling.kind === 'report'
    if (isReport) note(tell, telling)
    try {
      await store({ tell, ...telling }, () => note(tell, telling))
    } catch (error) {
      if (!isReport) untold.delete(tell)
      throw error
    }
  }

  /** Writes an entry, and calls `written` once the file has it. Resolves when it is on disk. */
  async function store(entry: Entry, written: () => unknown): Promise<void> {
    const stored = lines.append(entry)
    written()
    await stored
  }

  function forget(told: readonly number[], refused = false): void {
    const nowMs = performance.now()
    const entry = { told, ...(refused && { refused }) }
    for (const key of take(entry)) if (begun.delete(key)) reported.set(key, nowMs)
    for (const [key, sinceMs] of reported) {
      if (nowMs - sinceMs < REPORTED_MS) break
      reported.delete(key)
    }
    // if that fails, the report is sent again after a restart
    store(entry, () => {}).catch(() => {})
  }

  return {
    isShared: false,
    hasBegun,
    hasResult,
    begin,
    undo,
    keep,
    untold,
    forget,
    close: lines.close,
  }
}

const makeEntryKey = ({ item }: JournalEntry) => `${item.id}.${item.attempt}`

const readToday = () => Math.floor(Date.now() / DAY_MS)
