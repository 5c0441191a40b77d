import type { DbSession, TransactionSession } from '../../../src/platform/db/backend.ts'
import { Database, type Db } from '../../../src/platform/db/open.ts'

/**
 * The same database, which keeps how Postgres would go about each statement that it is given, one text a
 * statement.
 */
export function recordPlans(db: Db): { db: Db; plans: string[] } {
  const plans: string[] = []
  const watched = (session: DbSession): DbSession => ({
    script: (text) => session.script(text),
    async query(text, params, name) {
      const { rows } = await session.query(`explain ${text}`, params)
      plans.push(`${text}\n${rows.join('\n')}`)
      return session.query(text, params, name)
    },
  })
  const backend = {
    ...watched(db),
    lookUp: watched(db).query,
    use: () => db.use,
    clientQuery: watched(db).query,
    unhurried: (text: string) => db.unhurried(text),
    transaction: <T>(work: (session: TransactionSession) => Promise<T>) =>
      db.transaction((inner) =>
        work({
          ...watched(inner),
          limit: (ms) => inner.limitStatements(ms),
          endOthers: () => inner.endOthers(),
        }),
      ),
    listen: (channel: string, heard: (payload: string) => void) => db.listen(channel, heard),
    announce: (channel: string, payload: string) => db.announce(channel, payload),
    hears: () => db.hears,
    close: async () => {},
  }
  return { db: new Database(backend).forEverybody('test'), plans }
}
