import { LineFile } from './line-file.ts'

/** A report or a received text in the server's format. */
export interface JournalEntry {
  readonly kind: 'report' | 'incoming'
  readonly item: Readonly<Record<string, unknown>>
}

/**
 * `day` 0: it was not sent and may begin again. `refused`: the server accepted none of them, so it may hand
 * out these attempts again.
 */
type Entry =
  | { readonly begun: string; readonly day: number }
  | { readonly tell: number; readonly kind: JournalEntry['kind']; readonly item: JournalEntry['item'] }
  | { readonly told: readonly number[]; readonly refused?: boolean }

const DAY_MS = 86_400_000
/** Longer than any lease: the server does not hand out older attempts. */
const KEPT_DAYS = 7
/** Longer than a claim takes: a claim sent before a report may return the reported attempt again. */
const REPORTED_MS = 60_000

/** What an agent must remember after a crash. */
export class Journal {
  readonly #lines: LineFile<Entry>
  #last = 0
  readonly #begun = new Map<string, number>()
  readonly #untold = new Map<number, JournalEntry>()
  /** Attempts whose result the server has, oldest first, with the report's time (monotonic clock). */
  readonly #reported = new Map<string, number>()

  constructor(file: string) {
    this.#lines = new LineFile<Entry>(
      file,
      (entry) => this.#read(entry),
      () => this.#live(),
    )
  }

  #read(entry: Entry): void {
    if ('begun' in entry) this.#begun.set(entry.begun, entry.day)
    else if ('told' in entry) for (const key of this.#take(entry)) this.#begun.delete(key)
    else this.#untold.set(entry.tell, { kind: entry.kind, item: entry.item })
    if ('tell' in entry) this.#last = Math.max(this.#last, entry.tell)
  }

  /** Removes reported entries. Returns the attempts that the server will not hand out again. */
  #take({ told, refused }: { readonly told: readonly number[]; readonly refused?: boolean }): string[] {
    const taken = told.flatMap((number) => this.#untold.get(number) ?? [])
    for (const number of told) this.#untold.delete(number)
    return refused ? [] : taken.map(({ item }) => `${item.id}.${item.attempt}`)
  }

  *#live(): Iterable<Entry> {
    const oldest = today() - KEPT_DAYS
    for (const [key, day] of this.#begun) if (day < oldest) this.#begun.delete(key)
    for (const [begun, day] of this.#begun) yield { begun, day }
    for (const [tell, telling] of this.#untold) yield { tell, ...telling }
  }

  /** Whether an attempt was handed to the radio, perhaps in an earlier run. It must not be sent again. */
  hasBegun(id: string, attempt: number): boolean {
    return this.#begun.has(`${id}.${attempt}`) || this.#reported.has(`${id}.${attempt}`)
  }

  begin(id: string, attempt: number): Promise<void> {
    const begun = `${id}.${attempt}`
    const day = today()
    const written = this.#lines.append({ begun, day })
    this.#begun.set(begun, day)
    return written
  }

  /** Undoes `begin`: the attempt was certainly not sent. */
  undo(id: string, attempt: number): Promise<void> {
    const begun = `${id}.${attempt}`
    const written = this.#lines.append({ begun, day: 0 })
    this.#begun.delete(begun)
    return written
  }

  /**
   * Stores an entry for the server until `forget`. After an error it is not stored, and is reported again
   * later.
   */
  async keep(telling: JournalEntry): Promise<void> {
    const tell = ++this.#last
    const written = this.#lines.append({ tell, ...telling })
    this.#untold.set(tell, telling)
    try {
      await written
    } catch (error) {
      this.#untold.delete(tell)
      throw error
    }
  }

  /** Entries that the server does not know yet, oldest first, by number. */
  get untold(): ReadonlyMap<number, JournalEntry> {
    return this.#untold
  }

  /** Removes entries that the server has accepted or refused. */
  forget(told: readonly number[], refused = false): void {
    const nowMs = performance.now()
    const entry = { told, ...(refused && { refused }) }
    for (const key of this.#take(entry)) if (this.#begun.delete(key)) this.#reported.set(key, nowMs)
    for (const [key, sinceMs] of this.#reported) {
      if (nowMs - sinceMs < REPORTED_MS) break
      this.#reported.delete(key)
    }
    void this.#lines.append(entry)
  }

  close(): void {
    this.#lines.close()
  }
}

const today = () => Math.floor(Date.now() / DAY_MS)
