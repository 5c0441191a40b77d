import type { Catalog } from '../../collections/catalog.ts'
import { type Collection, DEVICES_ID, USERS_ID } from '../../collections/collection.ts'
import { type RecordRow, toValues } from '../../records/columns.ts'
import type { AuthRecord } from '../../request/request.ts'

/** Who looks on, for all connections that he has. */
export interface Viewer {
  /** Collection and id of his record; '' for all guests. */
  readonly key: string
  /** His record as it is now; null for guests, and for who is signed out. */
  auth: AuthRecord | null
}

/** The key of the viewer with this record. */
export const keyOf = (collection: string, record: string) => `${collection}/${record}`

/**
 * All who have an open connection and signed in for it. Their records are kept as they are in the database.
 */
export class Viewers {
  readonly guest: Viewer = Object.freeze({ key: '', auth: null })
  readonly #known = new Map<string, { viewer: Viewer; holders: number }>()

  /** The viewer with this record, until `release`: he is refreshed and signed out from now on. */
  hold(auth: AuthRecord | null): Viewer {
    if (!auth) return this.guest
    const key = keyOf(auth.collection.id, auth.id)
    const entry = this.#known.get(key) ?? { viewer: { key, auth }, holders: 0 }
    entry.holders++
    this.#known.set(key, entry)
    return entry.viewer
  }

  /** On how many connections he is. */
  count(viewer: Viewer): number {
    return this.#known.get(viewer.key)?.holders ?? 0
  }

  release(viewer: Viewer): void {
    const entry = this.#known.get(viewer.key)
    if (entry?.viewer === viewer && --entry.holders === 0) this.#known.delete(viewer.key)
  }

  has(collection: string, record: string): boolean {
    return this.#known.has(keyOf(collection, record))
  }

  /** The record of the viewer with this key. */
  find(key: string): AuthRecord | undefined {
    return this.#known.get(key)?.viewer.auth ?? undefined
  }

  /** A viewer's record has changed. Signs him out, and returns him, if its token key has. */
  refresh(collection: Collection, record: string, row: RecordRow): Viewer | undefined {
    const viewer = this.#known.get(keyOf(collection.id, record))?.viewer
    if (!viewer?.auth) return undefined
    const values = toValues(collection, row)
    if (values.tokenKey !== viewer.auth.values.tokenKey) return this.signOut(collection.id, record)
    viewer.auth = { ...viewer.auth, collection, values }
    return undefined
  }

  /** All who are signed in. */
  all(): AuthRecord[] {
    return [...this.#known.values()].flatMap(({ viewer: { auth } }) => auth ?? [])
  }

  /** The viewers who are a user or a device of that user. */
  withDevices(user: string): AuthRecord[] {
    const isOf = ({ collection, id, values }: AuthRecord) =>
      collection.id === USERS_ID ? id === user : collection.id === DEVICES_ID && values.user === user
    return this.all().filter(isOf)
  }

  /** A viewer is a guest from now on; his connections stay. Returns him if there is one. */
  signOut(collection: string, record: string): Viewer | undefined {
    const key = keyOf(collection, record)
    const viewer = this.#known.get(key)?.viewer
    if (!viewer) return undefined
    this.#known.delete(key)
    viewer.auth = null
    return viewer
  }

  /**
   * Collections have changed: signs out, and returns, those whose collection is gone or signs with another
   * secret.
   */
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
