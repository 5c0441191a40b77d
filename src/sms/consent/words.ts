import type { Db } from '../../db/open.ts'
import { type OptWords, readOptWord } from '../../portable/opt-words.ts'
import { HELP_WORDS, YES_WORDS } from './wording.ts'

/** A group that people join by its page, or by texting one of its words, which commas separate. */
export interface JoinGroup {
  readonly id: string
  readonly words: string
}

/** SQL: the groups of user $1 that people join by themselves, the oldest first, as JSON; null without any. */
export const JOIN_GROUPS = `(
  select json_agg(json_build_object('id', g.id, 'words', g.join_words) order by g.created, g.id)
  from contact_groups g where g."user" = $1 and (g.join_words <> '' or g.join_page))`

/** The column JOIN_GROUPS of a row. */
export const readJoinGroups = (column: unknown): readonly JoinGroup[] =>
  column ? (JSON.parse(String(column)) as JoinGroup[]) : []

/** The groups of an account that people join by themselves, the oldest first. */
export async function findJoinGroups(db: Db, user: string): Promise<readonly JoinGroup[]> {
  const { rows } = await db.query(`select ${JOIN_GROUPS}`, [user], 'join groups')
  return readJoinGroups(rows[0]?.[0])
}

const isOne = (body: string, words: readonly string[]) => readOptWord(body, { out: words, in: [] }) === true

/** Whether a whole text asks for help. */
export const isHelp = (body: string): boolean => isOne(body, HELP_WORDS)

/** What a text says about consent, besides opt-out words. `group`: the id of the group that it joins. */
export type ConsentWord =
  | { readonly kind: 'join'; readonly group: string }
  | { readonly kind: 'yes' | 'help' }

/**
 * Reads a whole text as a word that joins, confirms or asks for help. A word that opts out is none of them;
 * one that opts in may confirm. Only accounts with groups that people join by themselves
 * answer a text for help.
 */
export function consentWordOf(
  body: string,
  words: OptWords,
  groups: readonly JoinGroup[],
): ConsentWord | undefined {
  const isOut = readOptWord(body, words)
  if (isOut === true) return undefined
  if (isOne(body, YES_WORDS)) return { kind: 'yes' }
  if (isOut === false || groups.length === 0) return undefined
  if (isHelp(body)) return { kind: 'help' }
  const group = groups.find((one) => isOne(body, one.words.split(',')))
  return group && { kind: 'join', group: group.id }
}
