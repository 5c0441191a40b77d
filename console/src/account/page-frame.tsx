import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Fault } from '../data/fault.ts'
import { hasKeyboard } from '../data/use/media-queries.ts'
import { t } from '../language/words.ts'
import { TextField } from '../parts/form/field.tsx'
import { makePageHref } from '../router.ts'
import { HelpLinks } from '../shell/help-links.tsx'
import { LanguageSwitch } from '../shell/language-switch.tsx'
import { Logo } from '../shell/logo.tsx'
import { ThemeSwitch } from '../shell/theme-switch.tsx'

const FIRST_FIELD = '.sheet .field input'

/** A page of its own, such as the sign-in. With a keyboard, its first field has the focus. */
export function PageFrame({
  title,
  text,
  children,
}: {
  title: string
  text?: ComponentChildren
  children?: ComponentChildren
}) {
  useEffect(() => {
    document.title = `${title} · pocketsms`
  }, [title])
  useEffect(() => {
    if (hasKeyboard.value && document.activeElement === document.body)
      document.querySelector<HTMLElement>(FIRST_FIELD)?.focus()
  }, [])
  return (
    <main class="sheet">
      <div class="sheet-brand">
        <Logo size={36} /> pocketsms
      </div>
      <div class="sheet-body">
        <h1 tabIndex={-1}>{title}</h1>
        {text && <p>{text}</p>}
        {children}
      </div>
      <div class="sheet-foot">
        <div class="row">
          <ThemeSwitch />
          <LanguageSwitch />
        </div>
        <HelpLinks />
      </div>
    </main>
  )
}

/** A page for people who are not signed in: without navigation, with a link to the sign-in. */
export const PublicPage = ({ children }: { children: ComponentChildren }) => (
  <div class="public-page">
    <header>
      <a class="brand" href={makePageHref('/')}>
        <Logo /> pocketsms
      </a>
      <ThemeSwitch />
      <LanguageSwitch />
      <a href={makePageHref('/')}>{t('Sign in')}</a>
    </header>
    <main id="page">{children}</main>
  </div>
)

/** The email field of a sign-in, which password managers fill in. */
export const EmailField = (props: {
  value: string
  onValue: (email: string) => void
  fault?: Fault
}) => <TextField label={t('Email')} name="email" type="email" autocomplete="username" {...props} />
