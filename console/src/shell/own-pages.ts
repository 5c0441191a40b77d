import { hasTeamRole, type Session } from '../data/session.ts'
import { hasMembers } from '../data/team/people.ts'
import { PAGES, type PageEntry } from '../pages.ts'
import { matchPath } from '../router.ts'

/** The pages of an account, or of a superuser. */
const listPages = ({ role }: Pick<Session, 'role'>): readonly PageEntry[] =>
  PAGES.filter((page) => page.for === 'both' || page.for === role)

/** The pages that a person has, by their role. */
export const listOwnPages = (session: Pick<Session, 'role'>): readonly PageEntry[] =>
  listPages(session).filter((page) => hasTeamRole(page.needs ?? 'viewer'))

const hasPath = (pages: readonly PageEntry[], path: string) =>
  pages.some((page) => matchPath(page.path, path) !== null)

/** Whether the account has the page at `path`, also if only for other roles. */
export const hasPageForOthers = (session: Pick<Session, 'role'>, path: string): boolean =>
  hasPath(listPages(session), path)

/** Whether a person has the page at `path`. */
export const hasPage = (session: Pick<Session, 'role'>, path: string): boolean =>
  path === '/' || hasPath(listOwnPages(session), path)

/**
 * The page that opens after a sign-in: the figures of today for an owner whose team answers texts, otherwise
 * the first page of the navigation.
 */
export async function chooseStartPath(session: Session): Promise<string> {
  const first = listOwnPages(session)[0]?.path ?? '/'
  if (session.role !== 'user' || session.team !== 'owner') return first
  return (await hasMembers(session.record.id).catch(() => false)) ? '/today' : first
}
