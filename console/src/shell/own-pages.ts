import { hasTeamRole, type Session } from '../data/session.ts'
import { hasMembers } from '../data/team/people.ts'
import { PAGES, type PageEntry } from '../pages.ts'
import { matchPath } from '../router.ts'

/** The pages that a person has, by their role. */
export const listOwnPages = ({ role }: Pick<Session, 'role'>): readonly PageEntry[] =>
  PAGES.filter(
    (page) => (page.for === 'both' || page.for === role) && hasTeamRole(page.needs ?? 'viewer'),
  )

/** Whether a person has the page at `path`. */
export const hasPage = (session: Pick<Session, 'role'>, path: string): boolean =>
  path === '/' || listOwnPages(session).some((page) => matchPath(page.path, path) !== null)

/**
 * The page that opens after a sign-in: the figures of today for an owner whose team answers texts, otherwise
 * the first page of the navigation.
 */
export async function chooseStartPath(session: Session): Promise<string> {
  const first = listOwnPages(session)[0]?.path ?? '/'
  if (session.role !== 'user' || session.team !== 'owner') return first
  return (await hasMembers(session.record.id).catch(() => false)) ? '/today' : first
}
