import { accountHolder } from '../../admission/ticket.ts'
import type { Catalog } from '../../collections/catalog.ts'
import { type Collection, DEVICES_ID, USERS_ID } from '../../collections/collection.ts'
import { type RecordRow, toValues } from '../../records/columns.ts'
import type { AuthRecord } from '../../request/request.ts'

/** One viewer per account, shared by its connections; one for all guests. */
export interface Viewer {
  /** The holder that the account is; '' for guests. */
  readonly account: string
  /** The record as it is now; null for guests and after a sign-out. */
  auth: AuthRecord | null
}

/** The viewers of open connections. Their records are kept as they are in the database. */
export class Viewers {
  readonly guest: Viewer = Object.freeze({ account: '', auth: null })
  readonly #known = new Map<string, { viewer: Viewer; holders: number }>()

  /** The viewer with this record, which is kept up to date until `release`. */
  hold(auth: AuthRecord | null): Viewer {
    if (!auth) return this.guest
    const account = accountHolder(auth.collection.id, auth.id)
    const entry = this.#known.get(account) ?? { viewer: { account, auth }, holders: 0 }
    entry.holders++
    this.#known.set(account, entry)
    return entry.viewer
  }

  release(viewer: Viewer): void {
    const entry = this.#known.get(viewer.account)
    if (entry?.viewer === viewer && --entry.holders === 0) this.#known.delete(viewer.account)
  }

  has(collection: string, record: string): boolean {
    return this.#known.has(accountHolder(collection, record))
  }

  /** The record of the viewer of an account. */
  find(account: string): AuthRecord | undefined {
    return this.#known.get(account)?.viewer.auth ?? undefined
  }

  /** Takes over a changed record. Returns the viewer, signed out, if the token key has changed. */
  refresh(collection: Collection, record: string, row: RecordRow): Viewer | undefined {
    const viewer = this.#known.get(accountHolder(collection.id, record))?.viewer
    if (!viewer?.auth) return undefined
    const values = toValues(collection, row)
    if (values.tokenKey !== viewer.auth.values.tokenKey) return this.signOut(collection.id, record)
    viewer.auth = { ...viewer.auth, collection, values }
    return undefined
  }

  all(): AuthRecord[] {
    return [...this.#known.values()].flatMap(({ viewer: { auth } }) => auth ?? [])
  }

  /** The records of a user and of that user's devices. */
  withDevices(user: string): AuthRecord[] {
    const isOf = ({ collection, id, values }: AuthRecord) =>
      collection.id === USERS_ID ? id === user : collection.id === DEVICES_ID && values.user === user
    return this.all().filter(isOf)
  }

  /** Signs a viewer out, and returns it if there is one. Its connections stay. */
  signOut(collection: string, record: string): Viewer | undefined {
    const key = accountHolder(collection, record)
    const viewer = this.#known.get(key)?.viewer
    if (!viewer) return undefined
    this.#known.delete(key)
    viewer.auth = null
    return viewer
  }

  /** Signs out and returns the viewers whose collection was deleted or has another token secret. */
  follow(catalog: Catalog): Viewer[] {
    const gone: Viewer[] = []
    for (const { viewer } of [...this.#known.values()]) {
      const { collection: before, id } = viewer.auth!
      const now = catalog.find(before.id)
      if (now === before) continue
      if (now?.type === 'auth' && before.type === 'auth' && now.authToken.secret === before.authToken.secret)
        viewer.auth = { ...viewer.auth!, collection: now }
      else gone.push(this.signOut(before.id, id)!)
    }
    return gone
  }
}
