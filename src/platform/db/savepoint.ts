import type { Db } from './open.ts'

/** Runs work in a savepoint. If it throws, only its changes are undone, and the error is thrown. */
export async function withSavepoint<T>(db: Db, work: () => Promise<T>): Promise<T> {
  await db.query('savepoint attempt')
  try {
    return await work()
  } catch (error) {
    await db.query('rollback to savepoint attempt')
    throw error
  } finally {
    await db.query('release savepoint attempt')
  }
}
