import type { Db as BossDb, PgBoss } from 'pg-boss'
import type { Db } from '../db/open.ts'
import type { Logger } from '../log.ts'

const QUEUE = 'webhooks'

/** The right to make one attempt of a delivery. */
export interface Ticket {
  readonly job: string
  readonly delivery: string
}

/** A ticket whose node said nothing for so long is given to another: longer than any attempt takes. */
const EXPIRE_SECONDS = 30
const SUPERVISE_SECONDS = 10
/** What is done is removed soon: the log is in webhook_deliveries. */
const DONE_SECONDS = 60
const DAY_SECONDS = 86_400
const NEVER_ENOUGH = 1_000_000

/**
 * Who makes which call: tickets in pg-boss' tables, each for one node of any number, and back in the queue
 * when that node died. A delivery has one at most. All of it can be lost: what is to be delivered is in
 * webhook_dispatch.
 */
export class Queue {
  readonly #boss: PgBoss

  private constructor(boss: PgBoss) {
    this.#boss = boss
  }

  /** Starts pg-boss, which makes its tables when they are missing. */
  static async open(db: Db, log: Logger): Promise<Queue> {
    // only here: who has no webhooks need not have it in memory
    const { PgBoss } = await import('pg-boss')
    const boss = new PgBoss({
      db: adapt(db),
      backend: db.kind,
      schedule: false,
      reindex: false,
      monitorVacuum: false,
      superviseIntervalSeconds: SUPERVISE_SECONDS,
      monitorIntervalSeconds: SUPERVISE_SECONDS,
      maintenanceIntervalSeconds: DONE_SECONDS,
      flowIntervalSeconds: DAY_SECONDS,
      bamIntervalSeconds: DAY_SECONDS,
    })
    boss.on('error', (err) => log.warn({ err }, 'the queue of webhooks stumbled'))
    await boss.start()
    await boss.createQueue(QUEUE, {
      policy: 'exclusive', // of each singletonKey
      expireInSeconds: EXPIRE_SECONDS,
      retryLimit: NEVER_ENOUGH,
      retentionSeconds: 30 * DAY_SECONDS,
      deleteAfterSeconds: DONE_SECONDS,
    })
    await boss.insert(QUEUE, []) // it now knows its queue: inside a transaction it could not ask for it
    return new Queue(boss)
  }

  /** Makes tickets, in the transaction `db`. A delivery that has one keeps it. */
  async add(db: Db, deliveries: readonly string[]): Promise<void> {
    const jobs = deliveries.map((delivery) => ({ data: { delivery }, singletonKey: delivery }))
    if (jobs.length > 0) await this.#boss.insert(QUEUE, jobs, { db: adapt(db) })
  }

  /** At most `limit` tickets that no other node has; [] when none is due. */
  async take(limit: number): Promise<Ticket[]> {
    const jobs = await this.#boss.fetch<unknown>(QUEUE, { batchSize: limit })
    return jobs.map(({ id, data }) => ({ job: id, delivery: deliveryOf(data) }))
  }

  /** The attempt is over, at the commit of `db`. */
  async done(db: Db, { job }: Ticket): Promise<void> {
    await this.#boss.complete(QUEUE, job, undefined, { db: adapt(db) })
  }

  /** Somebody else may take it at once. */
  async giveBack({ job }: Ticket): Promise<void> {
    await this.#boss.fail(QUEUE, job)
  }

  async close(): Promise<void> {
    await this.#boss.stop({ graceful: false, close: false })
  }
}

/** One backend hands out jsonb as its text. */
const deliveryOf = (data: unknown): string =>
  ((typeof data === 'string' ? JSON.parse(data) : data) as { delivery: string }).delivery

const SEVERAL = /^\s*begin\s*;/i

/** Our database as pg-boss wants it: rows as objects. */
const adapt = (db: Db): BossDb => ({
  async executeSql(text, values = []) {
    if (values.length === 0 && SEVERAL.test(text)) {
      // in a transaction of ours, which rolls back what fails in the middle
      await db.transaction((inside) => inside.script(text))
      return { rows: [] }
    }
    const { rows, columns } = await db.query(text, values)
    return { rows: rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]]))) }
  },
})
