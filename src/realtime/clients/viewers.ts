import { accountHolder } from '../../admission/holder.ts'
import { type Catalog, type Collection, DEVICES_ID, USERS_ID } from '../../collections/catalog.ts'
import { type RecordRow, toValues } from '../../records/columns.ts'
import { type AuthRecord, authRecord } from '../../request/request.ts'

/** Who has connections: an account, or a member who acts for an account. All guests are one viewer. */
export interface Viewer {
  /** The record, as `accountHolder` names it; '' for guests. */
  readonly account: string
  /** Id of the membership; '' for the account itself. */
  readonly actor: string
  /** The record as it is now; null for guests and after a sign-out. */
  auth: AuthRecord | null
}

export class Viewers {
  readonly guest: Viewer = Object.freeze({ account: '', actor: '', auth: null })
  readonly #known = new Map<string, Map<string, { viewer: Viewer; holders: number }>>()

  hold(auth: AuthRecord | null): Viewer {
    if (!auth) return this.guest
    const account = accountHolder(auth.collection.id, auth.id)
    const actor = auth.actor?.id ?? ''
    const ofAccount = this.#known.get(account) ?? new Map()
    const entry = ofAccount.get(actor) ?? { viewer: { account, actor, auth }, holders: 0 }
    entry.holders++
    this.#known.set(account, ofAccount.set(actor, entry))
    return entry.viewer
  }

  release(viewer: Viewer): void {
    const ofAccount = this.#known.get(viewer.account)
    const entry = ofAccount?.get(viewer.actor)
    if (entry?.viewer !== viewer || --entry.holders > 0) return
    ofAccount!.delete(viewer.actor)
    if (ofAccount!.size === 0) this.#known.delete(viewer.account)
  }

  has(collection: string, record: string): boolean {
    return this.#known.has(accountHolder(collection, record))
  }

  of(account: string): Viewer[] {
    return [...(this.#known.get(account)?.values() ?? [])].map(({ viewer }) => viewer)
  }

  /** Gives viewers their changed record. If the token key has changed, signs them out and returns them. */
  refresh(collection: Collection, record: string, row: RecordRow): Viewer[] {
    const viewers = this.of(accountHolder(collection.id, record))
    if (viewers.length === 0) return []
    const values = toValues(collection, row)
    if (viewers.some(({ auth }) => auth && auth.values.tokenKey !== values.tokenKey))
      return this.signOut(collection.id, record)
    for (const viewer of viewers)
      if (viewer.auth) viewer.auth = authRecord(collection, values, viewer.auth.version, viewer.auth)
    return []
  }

  all(): AuthRecord[] {
    return this.#viewers().flatMap(({ auth }) => auth ?? [])
  }

  #viewers(): Viewer[] {
    return [...this.#known.keys()].flatMap((account) => this.of(account))
  }

  withDevices(user: string): AuthRecord[] {
    const isOf = ({ collection, id, values }: AuthRecord) =>
      collection.id === USERS_ID ? id === user : collection.id === DEVICES_ID && values.user === user
    return this.all().filter(isOf)
  }

  /** Signs the viewers of a record out and returns them. Their connections stay. */
  signOut(collection: string, record: string): Viewer[] {
    const account = accountHolder(collection, record)
    const viewers = this.of(account)
    this.#known.delete(account)
    for (const viewer of viewers) viewer.auth = null
    return viewers
  }

  /** Signs out and returns the viewers whose collection was deleted or has another token secret. */
  follow(catalog: Catalog): Viewer[] {
    const gone: Viewer[] = []
    for (const viewer of this.#viewers()) {
      if (!viewer.auth) continue // already signed out together with another viewer of its account
      const { collection: before, id } = viewer.auth
      const now = catalog.find(before.id)
      if (now === before) continue
      if (now?.type === 'auth' && before.type === 'auth' && now.authToken.secret === before.authToken.secret)
        viewer.auth = { ...viewer.auth, collection: now }
      else gone.push(...this.signOut(before.id, id))
    }
    return gone
  }
}
