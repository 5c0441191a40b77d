import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { ThemeSwitch } from '../shell/account-menu.tsx'
import { HelpLinks } from '../shell/help-links.tsx'
import { Logo } from '../shell/logo.tsx'

/** A page with one form, for visitors who are not signed in. */
export function Sheet({
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
        <ThemeSwitch />
        <HelpLinks />
      </div>
    </main>
  )
}
