import { effect } from '@preact/signals'
import { isProviderWindow } from './client.ts'
import { session } from './session.ts'

/** Marks the browser for pages that end texts: they refuse a person who is signed in and may read links. */
export const markBrowser = () =>
  effect(() => {
    if (isProviderWindow) return
    // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is missing in Firefox before 140
    document.cookie = `signed_in=1; path=/leave; samesite=lax${session.value ? '' : '; max-age=0'}`
  })
