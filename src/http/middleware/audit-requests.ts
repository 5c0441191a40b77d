import type { InSameTransaction } from '../../engine/auth/change-auth-record.ts'
import {
  type AuditEntry,
  recordAudit,
  recordMemberAudit,
  recordOwnMembership,
  recordRefusedSignIn,
} from '../../engine/auth/write-audit-log.ts'
import type { Collections } from '../../engine/collections/catalog-store.ts'
import { type Collection, SUPERUSERS, USERS_ID } from '../../engine/collections/collection.ts'
import type { WriteOptions } from '../../engine/records/write-in-progress.ts'
import type { AuthRecord, RequestInfo } from '../../engine/request/request.ts'
import type { Settings } from '../../engine/settings/settings-shape.ts'
import { ApiError } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { isObject } from '../../platform/tools/json.ts'
import type { Ctx, Services } from '../request-context.ts'

/** Writes an entry to the log of superusers or of a user's account, by default outside of any transaction. */
export const auditRequest = (
  c: Ctx,
  auth: AuthRecord,
  entry: AuditEntry,
  db: Db = c.env.incoming.openStore(auth).db,
) =>
  auth.collection.id === USERS_ID
    ? recordMemberAudit(db, auth, entry)
    : recordAudit(db, { auth, ip: c.env.incoming.ip }, entry)

/** Returns a function that audits a change confirmed by a mailed link, in the change's transaction. */
export const auditConfirmation =
  (c: Ctx, action: 'reset password' | 'change email'): InSameTransaction =>
  (db, auth) =>
    recordAudit(
      db,
      { auth, ip: c.env.incoming.ip },
      { action, collection: auth.collection.name, record: auth.id },
    )

/** Audits a refused sign-in as superuser, but not one with an invalid form or over a rate limit. */
export async function auditRefusedSignIn(
  c: Ctx,
  services: Services,
  error: unknown,
  identity: () => Promise<string>,
): Promise<void> {
  const { catalog, db } = services.store.signIn
  const isAboutSuperusers = catalog.find(c.req.param('collection') ?? '')?.name === SUPERUSERS
  const isRefusal =
    error instanceof ApiError && REFUSED.has(error.status) && Object.keys(error.data).length === 0
  if (!isAboutSuperusers || !isRefusal) return
  const typed = await identity().catch(() => undefined)
  if (typed !== undefined) await recordRefusedSignIn(db, typed, c.env.incoming.ip, SUPERUSERS)
}

const REFUSED = new Set([400, 403])

const ACTIONS: Readonly<Record<string, string>> = {
  POST: 'create',
  PATCH: 'update',
  DELETE: 'delete',
}

/** Returns a function that audits a superuser's or user's write. `sent`: form keys of uploaded files. */
export function auditWrite(
  c: Ctx,
  services: Services,
  { auth, body, method }: RequestInfo,
  collection: Collection,
  sent: Iterable<string> = [],
): WriteOptions['inSameTransaction'] {
  const action = ACTIONS[method] ?? method
  const isUser = auth?.collection.id === USERS_ID
  if (!auth?.isSuperuser && !(isUser && isAudited(services, collection))) return undefined
  const fields =
    action === 'delete' ? [] : listChangedFields([...Object.keys(body), ...sent], collection)
  return ({ db }, record) => {
    const entry = { action, collection: collection.name, record, fields }
    const isOwnMembership = collection.id === 'members' && isUser && !auth.actor
    return isOwnMembership ? recordOwnMembership(db, auth, entry) : auditRequest(c, auth, entry, db)
  }
}

const isAudited = ({ store: { catalog } }: Services, { id }: Collection) =>
  catalog.builtIn.raw.get(id)?.audited === true

function listChangedFields(body: readonly string[], { fields }: Collection): string[] {
  const keys = new Set(body.map((key) => key.replace(/^\+|[+-]$/g, '')))
  return fields.map(({ name }) => name).filter((name) => keys.has(name))
}

/** The collections, for changes by `auth`. Each change is audited in its own transaction. */
export function makeAuditedCollections(c: Ctx, { store }: Services, auth: AuthRecord): Collections {
  return {
    get catalog() {
      return store.catalog
    },
    change: (work) =>
      store.change(async (draft) => {
        const before = draft.catalog.all
        const result = await work(draft)
        for (const entry of listCollectionEntries(before, draft.catalog.all))
          await auditRequest(c, auth, entry, draft.db)
        return result
      }),
  }
}

function listCollectionEntries(
  before: readonly Collection[],
  after: readonly Collection[],
): AuditEntry[] {
  const old = new Map(before.map((one) => [one.id, one]))
  const written = after
    .filter((one) => old.get(one.id) !== one)
    .map((one) => {
      const action = old.has(one.id) ? 'update collection' : 'create collection'
      return { action, collection: one.name, fields: listChangedNames(old.get(one.id) ?? {}, one) }
    })
  const gone = before.filter(({ id }) => !after.some((one) => one.id === id))
  return [
    ...written,
    ...gone.map(({ name }) => ({ action: 'delete collection', collection: name })),
  ]
}

export const auditSettings =
  (c: Ctx, auth: AuthRecord) =>
  (db: Db, before: Settings, next: Settings): Promise<void> =>
    auditRequest(
      c,
      auth,
      { action: 'update settings', fields: listChangedNames(before, next, '', 2) },
      db,
    )

function listChangedNames(before: object, after: object, prefix = '', depth = 1): string[] {
  const [a, b] = [before, after].map((one) => new Map(Object.entries(one)))
  const keys = [...new Set([...a!.keys(), ...b!.keys()])]
  return keys.flatMap((key) => {
    const [old, now] = [a!.get(key), b!.get(key)]
    if (JSON.stringify(old) === JSON.stringify(now)) return []
    const isNested = depth > 1 && isObject(old) && isObject(now)
    return isNested ? listChangedNames(old, now, `${prefix}${key}.`, depth - 1) : [prefix + key]
  })
}
