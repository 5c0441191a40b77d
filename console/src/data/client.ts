import PocketBase from 'pocketbase'

/**
 * The console stands at `/` and at `/_/`, perhaps below a folder of a reverse proxy; the API is beside it.
 */
const SERVER = new URL(location.pathname.replace(/(_\/)?[^/]*$/, ''), location.origin).href.replace(/\/$/, '')

/** The one client. What the console does, any client can do: it has no other way to the server. */
export const pb = new PocketBase(SERVER)
pb.autoCancellation(false)

/** Where the server is, without a closing slash: for examples that users copy. */
export const serverUrl = SERVER
