import { useEffect, useRef, useState } from 'preact/hooks'
import { cutToCharacters } from '#portable/cut-text.ts'
import { pb } from '../data/client.ts'
import { askServerHealth } from '../data/connection/connection.ts'
import { notifications, renewNotifications } from '../data/notifications/browser.ts'
import type { Conversation } from '../data/record-types.ts'
import { hasTeamRole, type Session } from '../data/session.ts'
import {
  isNotifiedAbout,
  isNotifiedNow,
  useNotify,
  usePersonalChoices,
} from '../data/team/personal-choices.ts'
import { announced, type InboxAnswer, inboxAnswer, mentioned } from '../data/unread.ts'
import { isHuge, isRail } from '../data/use/media-queries.ts'
import { useAnswer } from '../data/use/use-answer.ts'
import { useCalm } from '../data/use/use-calm.ts'
import { useList } from '../data/use/use-list.ts'
import { useLive } from '../data/use/use-live.ts'
import { t } from '../language/words.ts'
import { PAGES, type PageEntry } from '../pages.ts'
import { ButtonLink } from '../parts/form/form.tsx'
import { Empty } from '../parts/list/empty.tsx'
import { goToPage, makePageHref, matchPath, place } from '../router.ts'
import { EndedAccount, Visit } from './account-switch.tsx'
import { Keys } from './keys.tsx'
import { isPageShown, Late } from './late.tsx'
import { BottomBar, SideBar } from './navigation.tsx'
import { chooseStartPath, findPage, listOwnPages } from './own-pages.ts'
import { refuseFiles } from './refuse-files.ts'
import { scrollToPlace } from './scroll-place.ts'

/** The wait before each page that is not shown yet is loaded. It leaves the connection to the shown page. */
const PRELOAD_MS = 3_000

/** The console after sign-in: the navigation and the page that the URL names. */
export function Shell({ session }: { session: Session }) {
  const { path, query } = place.value
  const mine = listOwnPages(session)
  // the form of a campaign belongs to the campaigns
  const marked =
    hasTeamRole('admin') && (query.has('new') || query.has('campaign')) ? '/campaigns' : path
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
      title={page ? t('Your role does not have this page') : t('There is no such page')}
      action={<ButtonLink href={makePageHref('/')}>{t('Go to the start')}</ButtonLink>}
    >
      {page
        ? session.isVisit
          ? t('You see this account as a superuser: only its team has this page.')
          : t('An owner or admin of the team can give you another role.')
        : t('The link may be old, or the page is not for this account.')}
    </Empty>
  )
}

/** Renews the push subscription if notifications are on. Without push, hidden tabs notify instead. */
function Notifier({ session }: { session: Session }) {
  const user = session.person.id
  useEffect(() => void renewNotifications(user).catch(() => {}), [user])
  const { user: chosen, endpoint } = notifications.value
  return chosen === user && endpoint === '' ? <TabNotifier session={session} /> : null
}

function TabNotifier({ session }: { session: Session }) {
  const choices = usePersonalChoices(session)
  const notify = choices?.notify || 'all'
  /** The time of the newest known text; undefined until the first read. */
  const latest = useRef<string | undefined>(undefined)
  const readLatest = async () => {
    const { items } = await pb
      .collection<Conversation>('conversations')
      .getList(1, 1, { sort: '-last_at', fields: 'last_at', skipTotal: true })
    latest.current = items[0]?.last_at ?? ''
  }
  useLive<Conversation>(
    'conversations',
    '*',
    ({ record }) => {
      if (latest.current === undefined || record.last_at <= latest.current) return
      latest.current = record.last_at
      const isNew = record.last_type === 'incoming' && record.unread > 0
      const isWanted = isNotifiedAbout(record, notify, session) && isNotifiedNow(choices)
      if (document.hidden && isNew && isWanted) void showNews(record, choices?.notify_silent)
    },
    () => void readLatest().catch(() => {}), // the next reconnection reads again
  )
  return null
}

type News = typeof import('./team-news.tsx')

/** News of the team. Their code is in the file of the inbox, which is loaded in any case (vite.config.ts). */
function LateTeamNews({ session }: { session: Session }) {
  const [loaded, setLoaded] = useState<News>()
  useEffect(() => {
    import('./team-news.tsx').then(setLoaded, () => {}) // as without a connection
  }, [])
  return loaded ? <loaded.TeamNews session={session} /> : null
}

const MAX_TEXT = 120

async function showNews(
  { id, number, name, last_text, unread }: Conversation,
  silent = false,
): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration('./')
  const text = cutToCharacters(last_text, MAX_TEXT)
  registration?.active?.postMessage({ conversation: id, number, name, text, unread, silent })
}

/** Changes within this time cause one request for the counts. */
const CALM_MS = 600

/** Reads counts, labels and views of the inbox, and shows how many texts are unread on the app's icon. */
function Counts({ session }: { session: Session }) {
  const notify = useNotify(session)
  const { value, reload } = useAnswer<InboxAnswer>('/api/account/inbox')
  const soon = useCalm(reload, () => CALM_MS)
  useLive<Conversation>('conversations', '*', soon, soon)
  const mine = useUnread(session.sender, notify === 'mine')
  const count = notify === 'all' ? (value?.unread ?? 0) : mine
  useEffect(() => {
    inboxAnswer.value = value
    announced.value = count
    void setBadge(count + mentioned.value)
  }, [value, count, mentioned.value])
  useEffect(
    () => () => {
      inboxAnswer.value = undefined
      announced.value = 0
      void setBadge(0)
    },
    [],
  )
  return null
}

/** Sets the number on the app's icon. Some browsers cannot do this, others only for installed apps. */
async function setBadge(count: number): Promise<void> {
  await (count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.())?.catch(() => {})
}

/** How many unread conversations are assigned to the sender or to nobody. */
function useUnread(sender: string, ready: boolean): number {
  const { total } = useList('conversations', {
    filter: pb.filter('archived = false && unread > 0 && (assignee = "" || assignee = {:sender})', {
      sender,
    }),
    sort: '-last_at',
    fields: 'id',
    perPage: 1,
    ready,
  })
  return ready ? total : 0
}
