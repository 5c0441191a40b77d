import type { Db } from '../../platform/db/open.ts'

/** A group that people join by its page, or by texting one of its words, which commas separate. */
export interface JoinGroup {
  readonly id: string
  readonly words: string
}

/** SQL: the groups of user $1 that people join by themselves, the oldest first, as JSON; null without any. */
export const JOIN_GROUPS = `(
  select json_agg(json_build_object('id', g.id, 'words', g.join_words) order by g.created, g.id)
  from contact_groups g where g."user" = $1 and (g.join_words <> '' or g.join_page))`

export const readJoinGroups = (column: unknown): readonly JoinGroup[] =>
  column ? (JSON.parse(String(column)) as JoinGroup[]) : []

/** The groups of an account that people join by themselves, the oldest first. */
export async function findJoinGroups(db: Db, user: string): Promise<readonly JoinGroup[]> {
  const { rows } = await db.query(`select ${JOIN_GROUPS}`, [user], 'join groups')
  return readJoinGroups(rows[0]?.[0])
}
