import type PocketBase from 'pocketbase'
import { type AuthRecord, type BaseAuthStore, getTokenPayload, isTokenExpired } from 'pocketbase'

interface SignIn {
  readonly token: string
  readonly record: NonNullable<AuthRecord>
}

type Place = 'sessionStorage' | 'localStorage'

/** Where the sign-in with which a window shows an account is kept, and the person's own beside it. */
const KEYS = ['pocketbase_auth', 'pocketsms.own'] as const
/** Where the server sends the window after a sign-in by a provider. Mailed links have a token behind. */
const PROVIDER_PAGE = /^#\/auth\/[^/]+$/

/** Whether this is the window of a sign-in by a provider, which closes itself. */
export const isProviderWindow = (): boolean => PROVIDER_PAGE.test(globalThis.location?.hash ?? '')

/**
 * Keeps the sign-ins of two clients: for this window, and for the next one that is opened. What another
 * window does changes nothing here, unless it signs out, signs another person in, or renews a token that
 * this window has, too. So a request never has the token of an account that its window does not show.
 * The window of a sign-in by a provider keeps none: it closes, and its last requests would end the sign-in.
 */
export function keepSignIns(shown: PocketBase, own: PocketBase): void {
  if (isProviderWindow()) return
  const stores = [shown.authStore, own.authStore] as const
  let places: readonly Place[] = ['sessionStorage']
  const keep = () => {
    for (const place of places)
      for (const [i, store] of stores.entries()) writeStoredSession(place, KEYS[i]!, store)
  }
  /** The person's own sign-in is put first: the session is read when that of `shown` changes. */
  const adopt = ([account, person]: readonly (SignIn | undefined)[]) => {
    for (const [store, found] of [
      [own.authStore, person] as const,
      [shown.authStore, account] as const,
    ])
      if (found) store.save(found.token, found.record)
      else if (store.token !== '') store.clear()
  }
  const follow = () => {
    places = ['sessionStorage']
    const [account, person] = readStoredSessions('localStorage')
    const [self, theirs] = [own.authStore.token === '' ? shown : own, person ?? account]
    if (theirs?.record.id !== self.authStore.record?.id) adopt([account, person])
    else {
      takeNewerToken(self.authStore, theirs)
      if (account?.record.id === shown.authStore.record?.id)
        takeNewerToken(shown.authStore, account)
    }
    places = ['sessionStorage', 'localStorage']
  }
  for (const store of stores) store.onChange(keep)
  const kept = readStoredSessions('sessionStorage')
  if (kept[0] && !isTokenExpired(kept[0].token)) adopt(kept)
  follow()
  // a page that the browser restores from its cache has missed the events
  for (const event of ['storage', 'pageshow']) globalThis.addEventListener?.(event, follow)
}

const makeExpiry = (token: string): number => Number(getTokenPayload(token).exp)

/** Takes over a newer token for the same record. */
function takeNewerToken(store: BaseAuthStore, found: SignIn | undefined): void {
  if (found && found.token !== store.token && makeExpiry(found.token) >= makeExpiry(store.token))
    store.save(found.token, found.record)
}

// without storage, as in Node's tests, the window is signed in until it closes
const readStoredSessions = (place: Place): readonly (SignIn | undefined)[] =>
  KEYS.map((key) => {
    try {
      const found = JSON.parse(globalThis[place].getItem(key) ?? 'null')
      return found?.token && found.record ? found : undefined
    } catch {
      return undefined
    }
  })

function writeStoredSession(place: Place, key: string, { token, record }: BaseAuthStore): void {
  try {
    if (token === '') globalThis[place].removeItem(key)
    else globalThis[place].setItem(key, JSON.stringify({ token, record }))
  } catch {}
}
