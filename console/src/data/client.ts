import PocketBase, { LocalAuthStore } from 'pocketbase'

/** The server's URL. The console is served at `/` and `/_/`, perhaps below a path of a reverse proxy. */
const SERVER = new URL(location.pathname.replace(/(_\/)?[^/]*$/, ''), location.origin).href.replace(/\/$/, '')

/** The only client. The console uses nothing but the public API. */
export const pb = new PocketBase(SERVER)
pb.autoCancellation(false)

/** The person's own sign-in while `pb` acts for another account; empty otherwise. */
export const own = new PocketBase(SERVER, new LocalAuthStore('pocketsms.own'))
own.autoCancellation(false)

/** The client that is signed in as the person, whatever account `pb` acts for. */
export const personal = (): PocketBase => (own.authStore.isValid ? own : pb)

/** The server's URL without a trailing slash, for examples that users copy. */
export const serverUrl = SERVER
