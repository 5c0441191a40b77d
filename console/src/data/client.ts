import PocketBase, { LocalAuthStore } from 'pocketbase'

/**
 * The console stands at `/` and at `/_/`, perhaps below a folder of a reverse proxy; the API is beside it.
 */
const SERVER = new URL(location.pathname.replace(/(_\/)?[^/]*$/, ''), location.origin).href.replace(/\/$/, '')

/** The one client. What the console does, any client can do: it has no other way to the server. */
export const pb = new PocketBase(SERVER)
pb.autoCancellation(false)

/** The person's own sign-in while `pb` acts for another account; empty otherwise. */
export const own = new PocketBase(SERVER, new LocalAuthStore('pocketsms.own'))
own.autoCancellation(false)

/** The client that is signed in as the person, whatever account `pb` acts for. */
export const personal = (): PocketBase => (own.authStore.isValid ? own : pb)

/** Where the server is, without a closing slash: for examples that users copy. */
export const serverUrl = SERVER
