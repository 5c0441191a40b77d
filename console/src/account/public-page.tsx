import type { ComponentChildren } from 'preact'
import { t } from '../language/words.ts'
import { to } from '../router.ts'
import { ThemeSwitch } from '../shell/account-menu.tsx'
import { Logo } from '../shell/logo.tsx'

/** A page for visitors: a link to the sign-in above it, and no navigation. */
export const PublicPage = ({ children }: { children: ComponentChildren }) => (
  <div class="public-page">
    <header>
      <a class="brand" href={to('/')}>
        <Logo /> pocketsms
      </a>
      <ThemeSwitch />
      <a href={to('/')}>{t('Sign in')}</a>
    </header>
    <main id="page">{children}</main>
  </div>
)
