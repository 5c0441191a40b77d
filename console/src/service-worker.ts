// Shows notifications of incoming texts, even if no tab of the console is open, and an offline page while
// the server cannot be reached. Keeps the files that other apps share with the console. Caches nothing else.

import german from './language/de/service-worker.json' with { type: 'json' }
import spanish from './language/es/service-worker.json' with { type: 'json' }
import french from './language/fr/service-worker.json' with { type: 'json' }
import portuguese from './language/pt/service-worker.json' with { type: 'json' }
import offline from './offline.html?raw'

/**
 * A push message (src/gateway/notifications/push-jobs.ts), or what a tab posts if there is no push service.
 */
type Notice = (
  | {
      readonly conversation: string
      readonly number: string
      readonly name: string
      readonly text: string
      readonly unread: number
      /** The fault of the person's own text, if that is the news: `Not sent: No signal`. */
      readonly failure?: string
    }
  | { readonly conversations: number }
) & {
  /** The person has switched the sound off. */
  readonly silent?: boolean
}

interface Shown {
  readonly title: string
  readonly body: string
  readonly tag: string
  readonly hash: string
}

/** The texts of each language. The English ones are in the code. */
const CATALOGUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: {},
  de: german,
  es: spanish,
  fr: french,
  pt: portuguese,
}

/** The first of the browser's languages that the console has. */
const language =
  navigator.languages
    .map((tag) => tag.toLowerCase().split('-')[0]!)
    .find((each) => Object.hasOwn(CATALOGUES, each)) ?? 'en'
const texts = CATALOGUES[language]!
const t = (english: string) => texts[english] ?? english

/** How notifications of failed texts begin, by the beginning of `failure`. */
const FAILED: Readonly<Record<string, string>> = {
  'Not sent': t('Not sent: {text}'),
  'Not delivered': t('Not delivered: {text}'),
  'Outcome unknown': t('Outcome unknown: {text}'),
}

declare const self: ServiceWorkerGlobalScope

/** A tab that does not answer within this time counts as not in front. */
const ANSWER_MS = 1_000

self.addEventListener('install', () => void self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
self.addEventListener('push', (event) => event.waitUntil(showNotice(event.data?.json())))
self.addEventListener('message', (event) => event.waitUntil(showNotice(event.data)))
self.addEventListener('fetch', (event) => {
  const { pathname } = new URL(self.registration.scope)
  const { method, mode, url } = event.request
  if (method === 'POST' && new URL(url).pathname === `${pathname}share`)
    event.respondWith(keepShared(event.request))
  else if (mode === 'navigate' && new URL(url).pathname === pathname)
    event.respondWith(fetch(event.request).catch(makeOfflinePage))
})
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openTab(event.notification.data))
})

/** The cache of files that were shared with the app: see data/files/shared-files.ts. */
const SHARED = 'pocketsms.shared'
/** Files of a text, at most. */
const MAX_SHARED = 10

/** Keeps the files that another app has shared instead of earlier ones, and opens the page Send with them. */
async function keepShared(request: Request): Promise<Response> {
  const form = await request.formData()
  const files = form.getAll('files').filter((each) => each instanceof File)
  await caches.delete(SHARED)
  const shared = await caches.open(SHARED)
  for (const [place, file] of files.slice(0, MAX_SHARED).entries())
    await shared.put(
      `./shared/${place}/${encodeURIComponent(file.name)}`,
      new Response(file, { headers: { 'content-type': file.type } }),
    )
  // apps put the same words into several of these
  const words = new Set(['title', 'text', 'url'].map((name) => String(form.get(name) ?? '')))
  const text = [...words].filter((each) => each !== '').join('\n')
  const query = new URLSearchParams({ shared: String(Date.now()), ...(text && { text }) })
  return Response.redirect(`${self.registration.scope}#/send?${query}`, 303)
}

/** The page shown while the server is unreachable. It reloads by itself. */
function makeOfflinePage(): Response {
  const html = offline
    .replace('lang="en"', () => `lang="${language}"`)
    .replace('{title}', () => t('The server cannot be reached'))
    .replace('{text}', () => t('Check your connection. This page tries again by itself.'))
  return new Response(html, { status: 503, headers: { 'content-type': 'text/html' } })
}

async function showNotice(notice: Notice): Promise<void> {
  const { title, body, tag, hash } = describeNotice(notice)
  if (await isInFront(hash)) return
  const [before] = await self.registration.getNotifications({ tag })
  // several tabs may report the same text, but it notifies only once
  if (before?.title === title && before.body === body) return
  void navigator.setAppBadge?.() // setAppBadge without a number shows a dot
  const options = { body, tag, data: hash, renotify: true, silent: notice.silent === true }
  await self.registration.showNotification(title, options as NotificationOptions)
}

function describeNotice(notice: Notice): Shown {
  if ('conversations' in notice) {
    const title = t('News in {count} conversations').replace('{count}', () =>
      String(notice.conversations),
    )
    return { title, body: '', tag: 'conversations', hash: '#/conversations' }
  }
  const { conversation, number, name, text, unread, failure } = notice
  const failed = failure && FAILED[failure.split(':')[0]!]
  return {
    title: unread > 1 && !failed ? `${name || number} (${unread})` : name || number,
    body: failed ? failed.replace('{text}', () => text) : text || t('New text'),
    tag: conversation,
    hash: `#/conversations/${encodeURIComponent(number)}`,
  }
}

/** The console's tabs, without other pages of the server. */
async function listTabs(): Promise<WindowClient[]> {
  const { pathname } = new URL(self.registration.scope)
  const all = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  return all.filter(({ url }) => new URL(url).pathname === pathname)
}

async function isInFront(hash: string): Promise<boolean> {
  const front = (await listTabs()).filter(
    ({ visibilityState, focused }) => visibilityState === 'visible' && focused,
  )
  const places = await Promise.all(front.map(findPlace))
  // without the view beside an open conversation
  return places.some((place) => place.split('?')[0] === hash)
}

/** Asks a tab for the present part of its URL after `#`. The service worker cannot read it. */
function findPlace(tab: WindowClient): Promise<string> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((done) => {
    setTimeout(() => done(''), ANSWER_MS)
    port1.onmessage = ({ data }) => done(String(data))
    tab.postMessage({ ask: 'place' }, [port2])
  })
}

/** Opens a page of the console in an open tab, or else in a new one. */
async function openTab(hash: string): Promise<void> {
  const [tab] = await listTabs()
  if (!tab) {
    await self.clients.openWindow(self.registration.scope + hash)
    return
  }
  tab.postMessage({ go: hash })
  await tab.focus()
}
