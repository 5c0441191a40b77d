import { computed, signal } from '@preact/signals'

/** The page and query that the console shows: the part of the URL after `#`. */
interface Place {
  /** For example `/messages/k3v9x0c2m5n8b1a`. */
  readonly path: string
  readonly query: URLSearchParams
}

/** The parts of its URL that a page gets. */
export interface PageProps {
  /** The values of the path's parameters: `id` for `/messages/:id`. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

const hash = signal(location.hash)
addEventListener('hashchange', () => void followHash())

interface Guard {
  isNeeded(): boolean
  ask(): Promise<boolean>
}
let guard: Guard = { isNeeded: () => false, ask: () => Promise.resolve(true) }

/** Guards the current page: if `isNeeded`, `ask` decides whether the user may leave it. */
export function guardLeaving(isNeeded: () => boolean, ask: () => Promise<boolean>): void {
  guard = { isNeeded, ask }
}

/** Whether the user may leave the current page. Asks the user if the guard requires that. */
export const mayLeave = async (): Promise<boolean> => !guard.isNeeded() || (await guard.ask())

const readPath = (address: string) => address.split('?', 1)[0]

/** Shows the page of a new URL. If the guard has to ask first, restores the old URL until the answer. */
async function followHash(): Promise<void> {
  const target = location.hash
  if (guard.isNeeded() && readPath(target) !== readPath(hash.value)) {
    history.replaceState(null, '', hash.value)
    if (await guard.ask()) location.hash = target
  } else hash.value = target
}

/** The place that the console shows. A component that reads it is rendered again when it changes. */
export const place = computed((): Place => {
  const [path = '', query = ''] = hash.value.slice(1).split(/\?(.*)/s)
  return { path: path || '/', query: new URLSearchParams(query) }
})

/** The URL of a place: `href={to('/messages', { filter: 'status = "failed"' })}`. Omits empty values. */
export function makePageHref(path: string, query: Readonly<Record<string, string>> = {}): string {
  const filled = Object.entries(query).filter(([, value]) => value !== '')
  return `#${path}${filled.length > 0 ? `?${new URLSearchParams(filled)}` : ''}`
}

/** The path of the conversation with a number. */
export const makeConversationPath = (number: string): string =>
  `/conversations/${encodeURIComponent(number)}`

/** Opens a place. `replace` adds nothing to the browser's history, as for each letter typed in a filter. */
export function goToPage(
  path: string,
  query: Readonly<Record<string, string>> = {},
  replace = false,
): void {
  const target = makePageHref(path, query)
  if (!replace) {
    location.hash = target
    return
  }
  history.replaceState(null, '', target)
  hash.value = target
}

/** The parts of `path` that `pattern` names with a colon (`/messages/:id`); null if `path` does not match. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const [names, parts] = [pattern.split('/'), path.split('/')]
  if (names.length !== parts.length) return null
  const found: Record<string, string> = {}
  for (const [i, name] of names.entries()) {
    const part = parts[i] ?? ''
    if (name.startsWith(':') && part !== '') found[name.slice(1)] = decodePart(part)
    else if (name !== part) return null
  }
  return found
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
