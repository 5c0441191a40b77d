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

/**
 * The page of the account at `path`, also if only other roles have it: to a viewer `/contacts/fields` is not
 * the contact `fields`.
 */
export const findPage = (session: Pick<Session, 'role'>, path: string): PageEntry | undefined =>
  listPages(session).find((page) => matchPath(page.path, path) !== null)

/** The page with a row for each page of the group `setup`. */
export const SET_UP = '/set-up'

/** The pages of the section of a page, which are tabs; only itself for a page without a section. */
export const findSection = (page: PageEntry, pages: readonly PageEntry[]): readonly PageEntry[] =>
  page.section ? pages.filter(({ section }) => section === page.section) : [page]

/** Whether a person has the page at `path`. */
export function hasPage(session: Pick<Session, 'role'>, path: string): boolean {
  if (path === '/') return true
  const page = findPage(session, path)
  return page !== undefined && hasTeamRole(page.needs ?? 'viewer')
}

/**
 * The page that opens after a sign-in: the figures of today for an owner whose team answers texts, otherwise
 * the first page of the navigation.
 */
export async function chooseStartPath(session: Session): Promise<string> {
  const first = listOwnPages(session)[0]?.path ?? '/'
  if (session.role !== 'user' || session.team !== 'owner') return first
  return (await hasMembers(session.record.id).catch(() => false)) ? '/today' : first
}
