import { ACCOUNT_PAGES } from './account/account-pages.ts'
import { PublicPage } from './account/public-page.tsx'
import { SignIn } from './account/sign-in.tsx'
import { renewals, session } from './data/session.ts'
import { PAGES } from './pages.ts'
import { Questions } from './parts/dialog/dialog.tsx'
import { Toasts } from './parts/toast.tsx'
import { match, place } from './router.ts'
import { Late } from './shell/late.tsx'
import { Shell } from './shell/shell.tsx'

/** What mailed and printed links lead to, the sign-in, or the shell with a page in it. */
export const App = () => (
  <>
    <Content />
    <Questions />
    <Toasts />
  </>
)

function Content() {
  const { path, query } = place.value
  for (const { path: pattern, load } of ACCOUNT_PAGES) {
    const params = match(pattern, path)
    if (params) return <Late key={path} load={load} params={params} query={query} />
  }
  return session.value ? <Shell key={renewals.value} session={session.value} /> : <SignedOut />
}

/** A page that is for everybody, else the sign-in. */
function SignedOut() {
  const { path, query } = place.value
  for (const { path: pattern, load, isPublic } of PAGES) {
    const params = isPublic && match(pattern, path)
    if (params)
      return (
        <PublicPage>
          <Late key={pattern} load={load} params={params} query={query} />
        </PublicPage>
      )
  }
  return <SignIn />
}
