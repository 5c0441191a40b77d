import { effect } from '@preact/signals'
import { session } from './session.ts'
import { isProviderWindow } from './window-session.ts'

/** Marks the browser for pages that end texts: they refuse a person who is signed in and may read links. */
export function markBrowser(): void {
  if (isProviderWindow()) return
  effect(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is missing in Firefox before 140
    document.cookie = `signed_in=1; path=/leave; samesite=lax${session.value ? '' : '; max-age=0'}`
  })
}
