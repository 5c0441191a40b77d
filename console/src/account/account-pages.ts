import type { PageEntry } from '../pages.ts'

/**
 * Pages of links that the server prints, mails or shows as a QR code, and the form that requests such a
 * mail. They need no sign-in.
 */
export const ACCOUNT_PAGES: readonly Pick<PageEntry, 'path' | 'load'>[] = [
  { path: '/pbinstall/:token', load: () => import('./first-superuser.tsx') },
  { path: '/auth/:link/:token', load: () => import('./mailed-link.tsx') },
  { path: '/join/:secret', load: () => import('./join.tsx') },
  { path: '/auth/:outcome', load: () => import('./provider.tsx') },
  // the QR code of a pairing opens `#482915`
  { path: ':code', load: () => import('./this-phone.tsx') },
  { path: '/first-superuser', load: () => import('./make-superuser.tsx') },
  { path: '/forgotten', load: () => import('./forgotten.tsx') },
]
