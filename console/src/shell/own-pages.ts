import { hasTeamRole, type Session } from '../data/session.ts'
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
