import { useEffect, useRef } from 'preact/hooks'
import { ACCOUNT_PAGES } from './account/account-pages.ts'
import { PublicPage } from './account/page-frame.tsx'
import { SignIn } from './account/sign-in.tsx'
import { isOnline } from './data/connection/connection.ts'
import { databaseFault } from './data/connection/database-fault.ts'
import { renewals, session } from './data/session.ts'
import { takeAskedPlace } from './data/team/chosen-account.ts'
import { t } from './language/words.ts'
import { PAGES } from './pages.ts'
import { Questions } from './parts/dialog/dialog.tsx'
import { Toasts } from './parts/toast.tsx'
import { goToPage, matchPath, type PageProps, place } from './router.ts'
import { Late } from './shell/late.tsx'
import { hasPage } from './shell/own-pages.ts'
import { Shell } from './shell/shell.tsx'

/** The whole console: the page of the URL or the sign-in, the banner, dialogs and toasts. */
export const App = () => (
  <>
    <Content />
    <p class="line-bar" role="status">
      {isOnline.value
        ? databaseFault.value && DATABASE_WORDS[databaseFault.value]
        : t('No connection. Your texts wait for it.')}
    </p>
    <Questions />
    <Toasts />
  </>
)

const DATABASE_WORDS = {
  away: t('The server cannot reach its database. This page tries again by itself.'),
  full: t(
    'The disk of the server is full, nothing can be stored. This page tries again by itself.',
  ),
} as const

const isAccountPage = (path: string) =>
  ACCOUNT_PAGES.some(({ path: pattern }) => matchPath(pattern, path))

/** All parts on one page; only the server of `npm run console` has it. */
const loadParts = () => import('../dev/parts.tsx')
const Parts = (props: PageProps) => (
  <div class="shell">
    <div />
    <main id="page">
      <Late load={loadParts} {...props} />
    </main>
  </div>
)

function Content() {
  const { path, query } = place.value
  const account = session.value?.record.id
  const before = useRef(account)
  useEffect(() => {
    // after a change of account, the open page may still show a record of the previous account
    const isOther = before.current && account && before.current !== account
    // after a sign-in, the URL may be that of a page which only the person before had; pages that need no
    // sign-in choose the next page themselves
    const isNew =
      !before.current && session.value && !isAccountPage(path) && !hasPage(session.value, path)
    // the account was chosen for the person who has just signed in, and may have the page
    const asked = isOther ? takeAskedPlace() : ''
    if (asked && session.value && hasPage(session.value, asked.replace(/^#|\?.*/g, '')))
      location.replace(asked)
    else if (isOther || isNew) goToPage('/', {}, true)
    before.current = account
  }, [account])
  for (const { path: pattern, load } of ACCOUNT_PAGES) {
    const params = matchPath(pattern, path)
    if (params) return <Late key={path} load={load} params={params} query={query} />
  }
  if (import.meta.env.DEV && path === '/parts') return <Parts params={{}} query={query} />
  if (!session.value) return <SignedOut />
  return (
    <Shell key={`${account} ${session.value.team} ${renewals.value}`} session={session.value} />
  )
}

/** Shows the page at the current path if it is public, and otherwise the sign-in. */
function SignedOut() {
  const { path, query } = place.value
  for (const { path: pattern, load, isPublic } of PAGES) {
    const params = isPublic && matchPath(pattern, path)
    if (params)
      return (
        <PublicPage>
          <Late key={pattern} load={load} params={params} query={query} />
        </PublicPage>
      )
  }
  return <SignIn />
}
