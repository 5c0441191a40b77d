import { randomId } from '../../src/tools/random.ts'
import { client } from '../support/server/server-with-devices.ts'

/** A change of a record: what was asked, and whether it was answered. */
export interface Written {
  readonly collection: string
  readonly action: 'create' | 'update' | 'delete'
  readonly id: string
  /** Counts the changes of a record; a delete has that of the change before it. */
  readonly seq: number
  /** As the record is by this change, or was before it was deleted. */
  readonly owner: string
  readonly open: boolean
  /** When the answer came, as performance.now() has it. */
  readonly at: number
  /** False: nobody knows whether it was done. Then it is the record's last. */
  readonly isKnown: boolean
}

type Row = Pick<Written, 'collection' | 'id' | 'seq' | 'owner' | 'open'>

/** Of ten changes. */
const CREATES = 2
const DELETES = 1
const MAX_ROWS = 6
const FEW_MS = 20

/** Changes records as fast as they are answered, through all servers in turn, each writer its own. */
export class Writers {
  readonly written: Written[] = []
  readonly faults: string[] = []
  readonly #urls: readonly string[]
  readonly #token: string
  readonly #owners: readonly string[]
  readonly #collections: readonly string[]
  #left = 0
  #turn = 0

  constructor(
    urls: readonly string[],
    token: string,
    owners: readonly string[],
    collections: readonly string[],
  ) {
    this.#urls = urls
    this.#token = token
    this.#owners = owners
    this.#collections = collections
  }

  /** Makes that many changes that are answered. */
  async write(changes: number, writers: number): Promise<void> {
    this.#left = changes
    await Promise.all(Array.from({ length: writers }, () => this.#work()))
  }

  async #work(): Promise<void> {
    const rows: Row[] = []
    while (this.#left > 0) {
      const dice = Math.floor(Math.random() * 10)
      const at = Math.floor(Math.random() * rows.length)
      const row = rows[at]
      if (!row || (dice < CREATES && rows.length < MAX_ROWS)) {
        const fresh = this.#vary({ collection: pick(this.#collections), id: randomId(), seq: 0 })
        if (await this.#say('create', fresh)) rows.push(fresh)
      } else if (dice >= 10 - DELETES) {
        rows.splice(at, 1)
        await this.#say('delete', row)
      } else {
        const { collection, id, seq, owner } = row
        const next = this.#vary({ collection, id, seq: seq + 1 }, dice < CREATES ? undefined : owner)
        if (await this.#say('update', next)) rows[at] = next
        else rows.splice(at, 1)
      }
    }
  }

  #vary(row: Pick<Row, 'collection' | 'id' | 'seq'>, owner = pick(this.#owners)): Row {
    return { ...row, owner, open: Math.random() < 0.5 }
  }

  async #say(action: Written['action'], row: Row): Promise<boolean> {
    const url = this.#urls[this.#turn++ % this.#urls.length]!
    const { collection, id, seq, owner, open } = row
    const records = `/api/collections/${collection}/records`
    const path = action === 'create' ? records : `${records}/${id}`
    const body = { create: { id, seq, owner, open }, update: { seq, owner, open }, delete: undefined }[action]
    const method = { create: 'POST', update: 'PATCH', delete: 'DELETE' }[action]
    const answer = await client(url, '', this.#token)
      .call(method, path, body)
      .catch(() => undefined)
    const isKnown = answer !== undefined
    if (answer && answer.status !== 200 && answer.status !== 204) {
      this.faults.push(`${action} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return false
    }
    this.written.push({ ...row, action, at: performance.now(), isKnown })
    if (isKnown) this.#left--
    else await new Promise((resolve) => setTimeout(resolve, FEW_MS))
    return isKnown
  }
}

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!
