import type { Db } from '../../db/open.ts'

/** Counts an attempt of `key` in the database: at most `max` per window of `seconds`. */
export async function countAttempt(db: Db, key: string, max: number, seconds: number): Promise<boolean> {
  const { rows } = await db.query(
    `insert into auth_tries as t (key, tries, ends) values ($1, 1, now() + make_interval(secs => $2))
     on conflict (key) do update set
       tries = case when t.ends <= now() then 1 else t.tries + 1 end,
       ends = case when t.ends <= now() then excluded.ends else t.ends end
     returning tries`,
    [key, seconds],
  )
  return Number(rows[0]?.[0]) <= max
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

/** Deletes expired windows. */
export async function deleteExpiredAttempts(db: Db): Promise<void> {
  await db.query('delete from auth_tries where ends <= now()')
}
