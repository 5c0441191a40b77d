import type { Db } from './open.ts'

/** A stored parameter of the server, such as settings, as JSON text; undefined if never written. */
export async function readParam(db: Db, key: string, lock = false): Promise<string | undefined> {
  const sql = `select value from _params where key = $1${lock ? ' for update' : ''}`
  const [row] = (await db.query(sql, [key])).rows
  return row && String(row[0])
}

export async function addParam(db: Db, key: string, value: string): Promise<void> {
  await db.query('insert into _params (key, value) values ($1, $2) on conflict do nothing', [key, value])
}

export async function writeParam(db: Db, key: string, value: string): Promise<void> {
  const conflict = 'on conflict (key) do update set value = excluded.value'
  await db.query(`insert into _params (key, value) values ($1, $2) ${conflict}`, [key, value])
}

/** A parameter that is created when first needed. If several nodes create it, the first wins. */
export async function readOrMakeParam(db: Db, key: string, make: () => Promise<string>): Promise<string> {
  const known = await readParam(db, key)
  if (known !== undefined) return known
  await addParam(db, key, await make())
  return (await readParam(db, key))!
}
