import type { PageEntry } from '../pages.ts'

/** Pages that need no sign-in. The server prints or mails links to most of them. A QR code opens one. */
export const ACCOUNT_PAGES: readonly Pick<PageEntry, 'path' | 'load'>[] = [
  { path: '/pbinstall/:token', load: () => import('./first-superuser.tsx') },
  { path: '/auth/:link/:token', load: () => import('./mailed-link.tsx') },
  { path: '/join/:secret', load: () => import('./join.tsx') },
  { path: '/auth/:outcome', load: () => import('./provider.tsx') },
  // the QR code for pairing a phone opens this path. `:code` has six digits, as in `#482915`
  { path: ':code', load: () => import('./this-phone.tsx') },
  { path: '/first-superuser', load: () => import('./paste-install-link.tsx') },
  { path: '/forgotten', load: () => import('./forgotten.tsx') },
]
