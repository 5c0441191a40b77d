import type { Db as BossDb, PgBoss } from 'pg-boss'
import type { Db } from '../db/open.ts'
import type { Logger } from '../log.ts'

const QUEUE = 'webhooks'

/** A delivery whose turn it is. */
export interface Ticket {
  readonly job: string
  readonly delivery: string
}

/** A delivery that is to have its turn: now, or in so many seconds. */
export interface Turn {
  readonly delivery: string
  readonly webhook: string
  readonly inSeconds?: number
  /** It had an attempt before. */
  readonly isAgain?: boolean
}

/**
 * Calls of one webhook at a time, over all nodes; fewer of deliveries that have failed before. So a slow receiver has
 * its own deliveries wait, and not those of others.
 */
const CALLS = { default: 5, tiers: { again: 2 } }
/** A ticket whose node said nothing for so long is given to another: longer than any attempt takes. */
const EXPIRE_SECONDS = 30
const SUPERVISE_SECONDS = 10
/** What is done is removed soon: the log is in webhook_deliveries. */
const DONE_SECONDS = 60
const DAY_SECONDS = 86_400
const NEVER_ENOUGH = 1_000_000

/**
 * The queue of deliveries, in pg-boss' tables: whose turn it is and when, over any number of nodes, and what becomes of
 * the turns of a node that died. A delivery has one ticket at most. All of it can be lost: what is to be delivered is
 * in webhook_deliveries, and `remind` finds it.
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
    const queue = new Queue(boss)
    await queue.take(0) // it now knows its queue: inside a transaction it could not ask for it
    return queue
  }

  /** Gives turns, in the transaction `db`. A delivery that waits for one already keeps it. */
  async add(db: Db, turns: readonly Turn[]): Promise<void> {
    const jobs = turns.map(({ delivery, webhook, inSeconds = 0, isAgain }) => ({
      data: { delivery },
      singletonKey: delivery,
      startAfter: String(inSeconds),
      group: { id: webhook, ...(isAgain && { tier: 'again' }) },
    }))
    if (jobs.length > 0) await this.#boss.insert(QUEUE, jobs, { db: adapt(db) })
  }

  /** Has a delivery that waits for its time wait no longer, in the transaction `db`. */
  async hurry(db: Db, delivery: string): Promise<void> {
    await this.#boss.update(QUEUE, undefined, { singletonKey: delivery, startAfter: 0, db: adapt(db) })
  }

  /** At most `limit` tickets that no other node has; [] when none is due. */
  async take(limit: number): Promise<Ticket[]> {
    const jobs = await this.#boss.fetch<unknown>(QUEUE, {
      batchSize: Math.max(1, limit),
      groupConcurrency: CALLS,
    })
    return jobs.map(({ id, data }) => ({ job: id, delivery: deliveryOf(data) }))
  }

  /** This turn is over, at the commit of `db`. */
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
