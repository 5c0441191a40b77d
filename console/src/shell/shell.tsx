import { useEffect, useState } from 'preact/hooks'
import { askServerHealth } from '../data/connection/connection.ts'
import { hasTeamRole, type Session } from '../data/session.ts'
import { isHuge, isRail } from '../data/use/media-queries.ts'
import { t } from '../language/words.ts'
import { PAGES, type PageEntry } from '../pages.ts'
import { ButtonLink } from '../parts/form/form.tsx'
import { Empty } from '../parts/list/empty.tsx'
import { goToPage, makePageHref, matchPath, place } from '../router.ts'
import { EndedAccount, Visit } from './account-switch.tsx'
import { Counts } from './counts.tsx'
import { Keys } from './keys.tsx'
import { isPageShown, Late } from './late.tsx'
import { BottomBar, SideBar } from './navigation.tsx'
import { Notifier } from './notifier.tsx'
import { chooseStartPath, findPage, listOwnPages } from './own-pages.ts'
import { refuseFiles } from './refuse-files.ts'
import { scrollToPlace } from './scroll-place.ts'
import { Tabs } from './tabs.tsx'

/** The wait before each page that is not shown yet is loaded. It leaves the connection to the shown page. */
const PRELOAD_MS = 3_000

/** The pages that begin a campaign, beside the one of all sends. */
const FORMS = ['/send/list', '/campaigns/reminder']

/** The console after sign-in: the navigation and the page that the URL names. */
export function Shell({ session }: { session: Session }) {
  const { path, query } = place.value
  const mine = listOwnPages(session)
  // the forms of campaigns belong to the campaigns
  const isForm =
    FORMS.includes(path) || (hasTeamRole('admin') && (query.has('new') || query.has('campaign')))
  const marked = isForm ? '/campaigns' : path
  const isInbox = path.startsWith('/conversations')
  const hasRail = isRail.value || (isInbox && !isHuge.value)
  const hasNews = isPageShown.value && session.role === 'user' && hasTeamRole('viewer')
  useEffect(preloadPages, [])
  useEffect(refuseFiles, [])
  useEffect(() => {
    if (isAtStart()) void openStart(session)
    return scrollToPlace(path)
  }, [path])
  return (
    <div class={hasRail ? 'shell rail' : 'shell'}>
      {hasNews && <Counts session={session} />}
      {hasNews && <Notifier session={session} />}
      {hasNews && <LateTeamNews session={session} />}
      <Keys pages={mine} />
      <SideBar pages={mine} session={session} path={marked} />
      <main id="page" tabIndex={-1}>
        <EndedAccount session={session} />
        <Visit session={session} />
        <Tabs pages={mine} path={marked} />
        <Shown session={session} pages={mine} path={path} query={query} />
      </main>
      <BottomBar pages={mine} session={session} path={marked} />
    </div>
  )
}

/** Reads the URL, because the path of a component may be old: the user may have opened another page. */
const isAtStart = () => /^#?\/?$/.test(location.hash)

async function openStart(session: Session): Promise<void> {
  const path = await chooseStartPath(session)
  if (isAtStart()) goToPage(path, {}, true)
}

/**
 * Loads the pages of the bottom bar one after another, so that they open without a connection, too. Loading
 * cannot be aborted: on a dead connection it would keep all later requests waiting. So it asks before.
 */
function preloadPages(): () => void {
  const left = PAGES.filter(({ bar }) => bar)
  let isBusy = false
  const next = async () => {
    isBusy = true
    if (await askServerHealth())
      await left
        .shift()
        ?.load()
        .catch(() => {})
    isBusy = false
  }
  const timer = setInterval(() => {
    if (left.length === 0) clearInterval(timer)
    else if (!isBusy) void next()
  }, PRELOAD_MS)
  return () => clearInterval(timer)
}

function Shown({
  session,
  pages,
  path,
  query,
}: {
  session: Session
  pages: readonly PageEntry[]
  path: string
  query: URLSearchParams
}) {
  if (path === '/') return null
  const page = findPage(session, path)
  if (page && pages.includes(page)) {
    const params = matchPath(page.path, path)!
    return <Late key={page.load} load={page.load} params={params} query={query} />
  }
  return (
    <Empty
      icon="search"
      title={page ? t('Your role does not see this page') : t('There is no such page')}
      action={<ButtonLink href={makePageHref('/')}>{t('Go to the start page')}</ButtonLink>}
    >
      {page
        ? session.isVisit
          ? t('You see this account as a superuser: only its team sees this page.')
          : t('An owner or admin of the team can give you another role.')
        : t('The link may be old, or the page is not for this account.')}
    </Empty>
  )
}

type News = typeof import('./team-news.tsx')

/** News of the team. Their code is in the file of the inbox, which is always loaded (vite.config.ts). */
function LateTeamNews({ session }: { session: Session }) {
  const [loaded, setLoaded] = useState<News>()
  useEffect(() => {
    import('./team-news.tsx').then(setLoaded, () => {}) // as without a connection
  }, [])
  return loaded ? <loaded.TeamNews session={session} /> : null
}
