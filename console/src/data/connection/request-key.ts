/** A new `Idempotency-Key`. The server carries out only one of several requests with the same key. */
export const makeRequestKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')

interface RequestKeys {
  /** The key of a request. A request that equals the last one, as after a lost answer, gets the same key. */
  of(request: unknown): string
  /** When the last request got its key, in ms since 1970: a repeat must have the same body. */
  since(): number
  /** Forgets the last request. The next one gets a new key, even if its content is equal. */
  renew(): void
}

interface Last {
  readonly question: string
  readonly key: string
  readonly at: number
}

const NONE: Last = { question: '', key: '', at: 0 }
/** A sign-out forgets these items of sessionStorage with the drafts of the tab. */
const PREFIX = 'pocketsms.draft.request-key.'

/**
 * The keys of a form's requests. With `name`, the tab keeps the last request: after a reload, a request whose
 * answer was lost still has its key.
 */
export function requestKeys(name = ''): RequestKeys {
  let last = (name && readStoredKey(name)) || NONE
  const keep = (now: Last) => {
    last = now
    if (name) storeKey(name, now)
  }
  return {
    of(request) {
      const question = JSON.stringify(request)
      if (last.question !== question) keep({ question, key: makeRequestKey(), at: Date.now() })
      return last.key
    },
    since: () => last.at,
    renew: () => keep(NONE),
  }
}

function readStoredKey(name: string): Last | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + name) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

function storeKey(name: string, last: Last): void {
  try {
    if (last === NONE) sessionStorage.removeItem(PREFIX + name)
    else sessionStorage.setItem(PREFIX + name, JSON.stringify(last))
  } catch {} // without storage, or for a list that is too long, the open form still has the key
}
