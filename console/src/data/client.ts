import PocketBase, { LocalAuthStore } from 'pocketbase'

/** The server's URL. The console is served at `/` and `/_/`, perhaps below a path of a reverse proxy. */
const SERVER = new URL(location.pathname.replace(/(_\/)?[^/]*$/, ''), location.origin).href.replace(/\/$/, '')

/** The API client of the console, which uses only the public API. */
export const pb = new PocketBase(SERVER)
pb.autoCancellation(false)

/** The client with the person's own sign-in while `pb` acts for another account; else without a sign-in. */
export const own = new PocketBase(SERVER, new LocalAuthStore('pocketsms.own'))
own.autoCancellation(false)

/** The client that is signed in as the person, whatever account `pb` acts for. */
export const personal = (): PocketBase => (own.authStore.isValid ? own : pb)

export const serverUrl = SERVER
