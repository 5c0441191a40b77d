import type { Journal, JournalEntry } from '../../agent/journal.ts'
import type { Db } from '../../db/open.ts'
import { queries } from '../../db/queries.ts'

/**
 * The journal of a carrier's attempts in the database. An attempt that one server has begun is begun by no
 * other, even if both run the carrier for a moment. `isRepeatable`: repeating an attempt does no harm.
 */
export async function openAttemptJournal(db: Db, device: string, isRepeatable: boolean): Promise<Journal> {
  const rows = await queries(db)
    .selectFrom('carrier_attempts')
    .innerJoin('sms_dispatch', 'sms_dispatch.message', 'carrier_attempts.message')
    .select(['carrier_attempts.message', 'carrier_attempts.attempt'])
    .where('carrier_attempts.device', '=', device)
    .execute()
  const begun = new Set(rows.map(({ message, attempt }) => `${message}.${attempt}`))
  /** Attempts with a result. The server hands them out no more, once it has the result. */
  const withResult = new Set<string>()
  const untold = new Map<number, JournalEntry>()
  let last = 0

  const remove = (id: string, attempt: number) =>
    queries(db)
      .deleteFrom('carrier_attempts')
      .where('device', '=', device)
      .where('message', '=', id)
      .where('attempt', '=', attempt)
      .execute()

  return {
    untold,
    hasBegun: (id, attempt) => begun.has(`${id}.${attempt}`),
    hasResult: (id, attempt) => withResult.has(`${id}.${attempt}`),
    async begin(id, attempt) {
      const inserted = await queries(db)
        .insertInto('carrier_attempts')
        .values({ device, message: id, attempt })
        .onConflict((found) => found.doNothing())
        .returning('message')
        .execute()
      begun.add(`${id}.${attempt}`)
      return isRepeatable || inserted.length > 0
    },
    async undo(id, attempt) {
      begun.delete(`${id}.${attempt}`)
      await remove(id, attempt)
    },
    async keep(entry) {
      untold.set(++last, entry)
      withResult.add(`${entry.item.id}.${entry.item.attempt}`)
    },
    forget(told, refused = false) {
      for (const number of told) {
        const { id, attempt } = untold.get(number)?.item ?? {}
        untold.delete(number)
        if (refused) continue // the server may hand the attempt out again
        begun.delete(`${id}.${attempt}`)
        remove(String(id), Number(attempt)).catch(() => {}) // the hourly job deletes it
        // an answer that is on its way may contain the attempt again
        setTimeout(() => withResult.delete(`${id}.${attempt}`), REPORTED_MS).unref()
      }
    },
    close() {},
  }
}

const REPORTED_MS = 60_000
