import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// What the app keeps on the phone, and what the radio sent: it outlives the app.

export type State = 'Pending' | 'Cancelled' | 'Processed' | 'Sent' | 'Delivered' | 'Failed'

/** A message in the app's database. Instants are by the phone's clock. */
export interface StoredMessage {
  readonly id: string
  readonly text: string
  /** Of an MMS: the bytes of each of its files. */
  readonly pictures?: readonly number[]
  readonly to: string
  readonly validUntil: number
  readonly createdAt: number
  readonly priority: number
  /** Null: at once, and then the app starts its sender anew for the next text. */
  readonly scheduleAt: number | null
  state: State
  error: string | null
  readonly states: Record<string, string>
}

export interface Registration {
  readonly id: string
  readonly token: string
  readonly login: string
}

/** A webhook in the app's queue. */
export interface QueuedHook {
  readonly number: number
  readonly url: string
  readonly body: string
}

/** What went on air. */
export interface AirLine {
  readonly id: string
  readonly to: string
  readonly text: string
  readonly pictures?: readonly number[]
}

type Line =
  | { readonly kind: 'registered'; readonly registration: Registration | null }
  | { readonly kind: 'message'; readonly message: StoredMessage }
  | { readonly kind: 'owed' | 'told'; readonly id: string }
  | { readonly kind: 'hook'; readonly hook: QueuedHook }
  | { readonly kind: 'hooked'; readonly number: number }
  | { readonly kind: 'seen'; readonly text: string }
  | { readonly kind: 'settings'; readonly settings: Record<string, Record<string, unknown>> }
  | {
      readonly kind: 'webhooks'
      readonly list: readonly { url: string; event: string; id: string }[]
    }

/**
 * The app's databases, each change a line of a file: a new one over the same folder knows all the old one
 * knew.
 */
export class PhoneStore {
  registration: Registration | null = null
  settings: Record<string, Record<string, unknown>> = {}
  webhooks: readonly { url: string; event: string; id: string }[] = []
  readonly messages = new Map<string, StoredMessage>()
  /** Messages whose state has to be told. */
  readonly owed = new Set<string>()
  readonly hooks = new Map<number, QueuedHook>()
  /** Incoming texts that were handled. */
  readonly seen = new Set<string>()
  readonly #file: string
  readonly #air: string

  constructor(folder: string) {
    this.#file = join(folder, 'app.jsonl')
    this.#air = join(folder, 'air.jsonl')
    for (const line of linesOf<Line>(this.#file)) this.#apply(line)
  }

  write(line: Line): void {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`)
    this.#apply(line)
  }

  /** The radio sends. */
  send(line: AirLine): void {
    appendFileSync(this.#air, `${JSON.stringify(line)}\n`)
  }

  onAir = (): AirLine[] => linesOf(this.#air)

  #apply(line: Line): void {
    if (line.kind === 'registered') this.registration = line.registration
    else if (line.kind === 'message') this.messages.set(line.message.id, line.message)
    else if (line.kind === 'owed') this.owed.add(line.id)
    else if (line.kind === 'told') this.owed.delete(line.id)
    else if (line.kind === 'hook') this.hooks.set(line.hook.number, line.hook)
    else if (line.kind === 'hooked') this.hooks.delete(line.number)
    else if (line.kind === 'seen') this.seen.add(line.text)
    else if (line.kind === 'settings') this.settings = line.settings
    else if (line.kind === 'webhooks') this.webhooks = line.list
  }
}

const linesOf = <T>(file: string): T[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : []
