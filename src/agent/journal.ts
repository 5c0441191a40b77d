import {
  closeSync,
  existsSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { parseJson } from '../tools/json.ts'

/** A report or a received text as the server takes it. */
export interface JournalEntry {
  readonly kind: 'report' | 'incoming'
  readonly item: Readonly<Record<string, unknown>>
}

type Entry =
  | { readonly begun: string; readonly day: number }
  | { readonly tell: number; readonly kind: JournalEntry['kind']; readonly item: JournalEntry['item'] }
  | { readonly told: readonly number[] }

const DAY_MS = 86_400_000
/** Longer than any lease: the server does not hand out older attempts. */
const KEPT_DAYS = 7
/** The file is rewritten when it has this many lines too many. */
const MAX_SPARE_LINES = 10_000

/** What an agent must remember after a crash. JSON lines, each synced before anything depends on it. */
export class Journal {
  readonly #file: string
  #descriptor: number
  #lines = 0
  #last = 0
  /** The last line was written in part. */
  #isTorn = false
  readonly #begun = new Map<string, number>()
  readonly #untold = new Map<number, JournalEntry>()

  constructor(file: string) {
    this.#file = file
    if (existsSync(file)) this.#read(readFileSync(file, 'utf8'))
    this.#descriptor = this.#rewrite()
  }

  #read(text: string): void {
    for (const line of text.split('\n')) {
      const entry = parseJson(line) as Entry | undefined
      if (!entry) continue // empty, or torn by a kill
      if ('begun' in entry) this.#begun.set(entry.begun, entry.day)
      else if ('told' in entry) for (const number of entry.told) this.#untold.delete(number)
      else this.#untold.set(entry.tell, { kind: entry.kind, item: entry.item })
      if ('tell' in entry) this.#last = Math.max(this.#last, entry.tell)
    }
  }

  /** Writes the live entries to a new file that replaces the old one; on an error the old one stays. */
  #rewrite(): number {
    const oldest = today() - KEPT_DAYS
    for (const [key, day] of this.#begun) if (day < oldest) this.#begun.delete(key)
    const entries: Entry[] = [
      ...[...this.#begun].map(([begun, day]) => ({ begun, day })),
      ...[...this.#untold].map(([tell, telling]) => ({ tell, ...telling })),
    ]
    const temporary = `${this.#file}.new`
    const descriptor = openSync(temporary, 'w', 0o600)
    // Not writeSync, which writes only a part on a full disk without an error.
    writeFileSync(descriptor, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
    fdatasyncSync(descriptor)
    renameSync(temporary, this.#file)
    this.#lines = entries.length
    return descriptor
  }

  #append(entry: Entry): void {
    const before = this.#isTorn ? '\n' : ''
    this.#isTorn = true
    writeFileSync(this.#descriptor, `${before}${JSON.stringify(entry)}\n`)
    fdatasyncSync(this.#descriptor)
    this.#isTorn = false
    this.#lines++
    if (this.#lines - this.#begun.size - this.#untold.size < MAX_SPARE_LINES) return
    const old = this.#descriptor
    this.#descriptor = this.#rewrite()
    closeSync(old)
  }

  /** Whether an attempt was handed to the radio, also in an earlier run: it must not be again. */
  hasBegun(id: string, attempt: number): boolean {
    return this.#begun.has(`${id}.${attempt}`)
  }

  begin(id: string, attempt: number): void {
    const begun = `${id}.${attempt}`
    const day = today()
    this.#begun.set(begun, day)
    this.#append({ begun, day })
  }

  /** Keeps an entry for the server until `forget`. */
  keep(telling: JournalEntry): void {
    const tell = ++this.#last
    this.#untold.set(tell, telling)
    this.#append({ tell, ...telling })
  }

  /** Entries that the server does not know yet, oldest first, by number. */
  get untold(): ReadonlyMap<number, JournalEntry> {
    return this.#untold
  }

  /** Removes entries that the server has. */
  forget(numbers: readonly number[]): void {
    for (const number of numbers) this.#untold.delete(number)
    this.#append({ told: numbers })
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

const today = () => Math.floor(Date.now() / DAY_MS)
