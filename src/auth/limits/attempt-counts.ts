import type { Db } from '../../db/open.ts'

/** Counts an attempt of `key`; false beyond `max` in a window of `seconds`. */
export async function countAttempt(db: Db, key: string, max: number, seconds: number): Promise<boolean> {
  const values = [[key], [max], seconds]
  const { rows } = await db.query(`select auth_take_tries($1::text[], $2::int[], $3, '')`, values)
  return Number(rows[0]?.[0]) === 0
}

/** Whether `key` was attempted in the current window. */
export async function hasAttempt(db: Db, key: string): Promise<boolean> {
  const { rows } = await db.query(
    'select 1 from auth_tries where key = $1 and ends > now()',
    [key],
    'auth was tried',
  )
  return rows.length > 0
}

export async function clearAttempts(db: Db, key: string): Promise<void> {
  await db.query('delete from auth_tries where key = $1', [key])
}

export async function deleteExpiredAttempts(db: Db): Promise<void> {
  await db.query('delete from auth_tries where ends <= now()')
}
