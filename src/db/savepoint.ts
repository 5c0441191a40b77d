import type { Db } from './open.ts'

/** Runs a part of a transaction whose failure is thrown, but leaves what came before it standing. */
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
