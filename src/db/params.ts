import type { Db } from './open.ts'

/** Values of the server, by key, as JSON text: settings, keys. Undefined for one that was never written. */
export async function readParam(db: Db, key: string, lock = false): Promise<string | undefined> {
  const query = db.kysely.selectFrom('_params').select('value').where('key', '=', key)
  return (await (lock ? query.forUpdate() : query).executeTakeFirst())?.value
}

/** Writes a value that is not there yet; one that is stays. */
export async function addParam(db: Db, key: string, value: string): Promise<void> {
  await db.kysely
    .insertInto('_params')
    .values({ key, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Writes a value, new or not. */
export async function writeParam(db: Db, key: string, value: string): Promise<void> {
  await db.kysely
    .insertInto('_params')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute()
}

/**
 * A value that is made when it is first needed, and stays: of several nodes that make one, the first counts.
 */
export async function readOrMakeParam(db: Db, key: string, make: () => Promise<string>): Promise<string> {
  const known = await readParam(db, key)
  if (known !== undefined) return known
  await addParam(db, key, await make())
  return (await readParam(db, key))!
}
