import { useEffect } from 'preact/hooks'
import { may, type Session } from '../data/session.ts'
import { t } from '../language/words.ts'
import { PAGES, type PageEntry } from '../pages.ts'
import { ButtonLink } from '../parts/form/button.tsx'
import { Empty } from '../parts/list/empty.tsx'
import { go, match, place, to } from '../router.ts'
import { EndedAccount } from './account-switch.tsx'
import { Late } from './late.tsx'
import { BottomBar, SideBar } from './navigation.tsx'
import { Notifier } from './notifier.tsx'
import { UnreadCount } from './unread-count.tsx'

/** The console after sign-in: the navigation and the page of the address. */
export function Shell({ session }: { session: Session }) {
  const { path, query } = place.value
  const mine = PAGES.filter(
    (page) => (page.for === 'both' || page.for === session.role) && may(page.needs ?? 'viewer'),
  )
  const hasTexts = session.role === 'user' && may('viewer')
  useEffect(() => {
    // reads the address itself: the user may have gone elsewhere meanwhile
    if (/^#?\/?$/.test(location.hash)) go(mine[0]?.path ?? '/', {}, true)
    scrollTo(0, 0)
  }, [path])
  return (
    <div class="shell">
      {hasTexts && <UnreadCount session={session} />}
      {hasTexts && <Notifier session={session} />}
      <SideBar pages={mine} session={session} path={path} />
      <main id="page" tabIndex={-1}>
        <EndedAccount />
        <Shown pages={mine} path={path} query={query} />
      </main>
      <BottomBar pages={mine} session={session} path={path} />
    </div>
  )
}

function Shown({
  pages,
  path,
  query,
}: {
  pages: readonly PageEntry[]
  path: string
  query: URLSearchParams
}) {
  if (path === '/') return null
  for (const page of pages) {
    const params = match(page.path, path)
    if (params) return <Late key={page.load} load={page.load} params={params} query={query} />
  }
  return (
    <Empty
      icon="search"
      title={t('There is no such page')}
      action={<ButtonLink href={to('/')}>{t('Go to the start')}</ButtonLink>}
    >
      {t('The link may be old, or the page is not for this account.')}
    </Empty>
  )
}
