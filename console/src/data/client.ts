import { BaseAuthStore, type SendOptions } from 'pocketbase'
import { SdkClient } from './sdk-client.ts'
import { keepSignIns } from './window-session.ts'

/** The server's base URL: that of the console without `_/`. Includes a path that a reverse proxy adds. */
const SERVER = new URL(location.pathname.replace(/(_\/)?[^/]*$/, ''), location.origin).href.replace(
  /\/$/,
  '',
)

/** The client for nearly all requests, signed in as the account whose records the pages show. */
export const pb = new SdkClient(SERVER, new BaseAuthStore())
pb.autoCancellation(false)

/** Keeps the person's own sign-in while `pb` acts for a team's account. Has no sign-in at other times. */
export const own = new SdkClient(SERVER, new BaseAuthStore())
own.autoCancellation(false)
keepSignIns(pb, own)

/** The client that is signed in as the person, even while `pb` acts for a team's account. */
export const findPersonalClient = (): SdkClient => (own.authStore.isValid ? own : pb)

export const serverUrl = SERVER

/** A filter for records whose field has one of the values. */
export const matchAny = (field: string, values: readonly string[]): string =>
  values.map((value) => pb.filter(`${field} = {:value}`, { value })).join(' || ')

/** Counts the records that a filter finds. */
export const countRecords = async (collection: string, filter = ''): Promise<number> =>
  (await pb.collection(collection).getList(1, 1, { filter, fields: 'id' })).totalItems

/** Posts to an endpoint beside the records. */
export const postRequest = <T = unknown>(
  path: string,
  body?: unknown,
  options?: SendOptions,
): Promise<T> => pb.send<T>(path, { method: 'POST', body, ...options })
