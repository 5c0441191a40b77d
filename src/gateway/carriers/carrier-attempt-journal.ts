import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import {
  type Begun,
  type Journal,
  type JournalEntry,
  UNSTORED_MS,
} from '../../programs/agent/send-journal.ts'

/**
 * The journal of a carrier's attempts in the database: a server sees which attempts another server has begun,
 * even if both run the carrier for a moment.
 */
export async function openAttemptJournal(db: Db, device: string): Promise<Journal> {
  const rows = await queries(db)
    .selectFrom('carrier_attempts')
    .innerJoin('sms_dispatch', 'sms_dispatch.message', 'carrier_attempts.message')
    .select(['carrier_attempts.message', 'carrier_attempts.attempt'])
    .where('carrier_attempts.device', '=', device)
    .execute()
  const begun = new Set(rows.map(({ message, attempt }) => `${message}.${attempt}`))
  /** Attempts with a result, until a minute after the server has stored the result. */
  const withResult = new Set<string>()
  /**
   * The times with which this process has begun an attempt: a row with one of them is its own. Each begin has
   * a new one, so that a deletion that the database carries out late does not remove a later begin.
   */
  const begins = new Map<string, readonly Date[]>()
  const untold = new Map<number, JournalEntry>()
  let last = 0

  /** Deletes the row of an attempt if this process wrote it. */
  const remove = (id: string, attempt: number) =>
    queries(db)
      .deleteFrom('carrier_attempts')
      .where('device', '=', device)
      .where('message', '=', id)
      .where('attempt', '=', attempt)
      .where(sql<boolean>`begun_at = any(${begins.get(`${id}.${attempt}`) ?? []}::timestamptz[])`)
      .execute()

  return {
    isShared: true,
    untold,
    hasBegun: (id, attempt) => begun.has(`${id}.${attempt}`),
    hasResult: (id, attempt) => withResult.has(`${id}.${attempt}`),
    async begin(id, attempt, isFresh = false) {
      const key = `${id}.${attempt}`
      const formers = begins.get(key) ?? []
      const time = makeUniqueTime()
      begins.set(key, [...formers, time])
      const given = [device, id, attempt, time, formers, isFresh] as const
      const answer = await callFunction(db, 'sms_begin', ...given).catch(() => undefined)
      if (!answer) {
        // the database is busy or away, or its answer was lost: the attempt is not sent now
        await sleep(UNSTORED_MS)
        return 'unstored'
      }
      begun.add(key)
      return answer as Begun
    },
    async undo(id, attempt) {
      begun.delete(`${id}.${attempt}`)
      await remove(id, attempt).catch(() => {}) // then this process alone can begin it again
    },
    async keep(entry) {
      untold.set(++last, entry)
      withResult.add(`${entry.item.id}.${entry.item.attempt}`)
    },
    forget(told, refused = false) {
      for (const number of told) {
        const { id, attempt } = untold.get(number)?.item ?? {}
        const key = `${id}.${attempt}`
        untold.delete(number)
        if (refused) {
          withResult.delete(key) // the server may hand the attempt out again
          continue
        }
        // an answer that is on its way to this or another server may contain the attempt again
        setTimeout(() => {
          withResult.delete(key)
          begun.delete(key)
          remove(String(id), Number(attempt)).catch(() => {}) // the hourly job deletes it
          begins.delete(key)
        }, REPORTED_MS).unref()
      }
    },
    close() {},
  }
}

const REPORTED_MS = 60_000

const DAY_MS = 86_400_000

/** A time of the last day that no other process chooses: attempts are deleted by it after a week. */
const makeUniqueTime = () => new Date(Date.now() - Math.random() * DAY_MS)
