import type { Db } from '../db/open.ts'

/**
 * Notes one more try of `key` and says whether it is allowed: at most `max` in a window of `seconds`, which begins with
 * the first. Counted in the database, so that the nodes together allow no more than one does.
 */
export async function takeTry(db: Db, key: string, max: number, seconds: number): Promise<boolean> {
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

/** Takes one try back, since it was none: what was tried was right. */
export async function giveTryBack(db: Db, key: string): Promise<void> {
  await db.query('update auth_tries set tries = tries - 1 where key = $1 and tries > 0', [key])
}

/** Whether `key` was tried in a window that is not over. */
export async function wasTried(db: Db, key: string): Promise<boolean> {
  const { rows } = await db.query('select 1 from auth_tries where key = $1 and ends > now()', [key])
  return rows.length > 0
}

/** Forgets the tries of `key`. */
export async function forgetTries(db: Db, key: string): Promise<void> {
  await db.query('delete from auth_tries where key = $1', [key])
}

/** Forgets all windows that are over. */
export async function forgetOldTries(db: Db): Promise<void> {
  await db.query('delete from auth_tries where ends <= now()')
}
