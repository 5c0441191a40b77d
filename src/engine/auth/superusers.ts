import { ApiError, type FieldError, UserError } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import { type Language, readLanguage } from '../../portable/languages.ts'
import type { Store } from '../collections/catalog.ts'
import { type AuthCollection, SUPERUSERS, USERS_ID } from '../collections/collection.ts'
import { deleteRecords } from '../records/cascade.ts'
import type { Extension } from '../records/collection-extension.ts'
import { createRecord, updateRecord } from '../records/create-or-update.ts'
import { logChanges } from '../records/log-changes.ts'
import { deleteFactors } from '../records/revoke-sign-ins.ts'
import type { WriteOptions } from '../records/write-in-progress.ts'
import { makeServerRequest } from '../request/request.ts'
import { SettingsStore } from '../settings/settings-store.ts'
import { findByEmail } from './find-auth-record.ts'
import { signToken } from './tokens.ts'
import { recordTerminalAudit } from './write-audit-log.ts'

export const SUPERUSERS_ID = 'pbc_3142635823'

export const INSTALLER_EMAIL = '__pbinstaller@example.com'

const findSuperuserCollection = ({ catalog }: Store) => catalog.find(SUPERUSERS) as AuthCollection

/** Deletes the installer's account when a superuser is created. PocketBase: record_model_superusers.go */
export const superusersExtension: Extension = {
  async beforeCreate(store, values) {
    if (values.email === INSTALLER_EMAIL) return
    await queries(store.db)
      .with('written', (query) =>
        query.deleteFrom('_superusers').where('email', '=', INSTALLER_EMAIL).returningAll(),
      )
      .with('noted', logChanges('delete', SUPERUSERS_ID))
      .selectFrom('written')
      .select('id')
      .execute()
  },
}

const EXTENSIONS = new Map([[SUPERUSERS_ID, superusersExtension]])

/** Creates a superuser, or sets its password and ends its sessions. Throws a UserError for invalid values. */
export async function upsertSuperuser(
  store: Store,
  email: string,
  password: string,
): Promise<void> {
  const collection = findSuperuserCollection(store)
  const request = makeServerRequest(store, { email, password, passwordConfirm: password })
  const known = await findByEmail(store, collection, email)
  const change: WriteOptions = { ...auditInTransaction('update', email), locksRecord: true }
  try {
    if (known) await updateRecord(store, EXTENSIONS, collection, known.id, request, change)
    else
      await createRecord(
        store,
        EXTENSIONS,
        collection,
        request,
        auditInTransaction('create', email),
      )
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const faults = Object.entries(error.data).map(([field, { message }]) => `${field}: ${message}`)
    throw new UserError([error.message, ...faults].join('\n  '))
  }
}

const auditInTransaction = (action: string, email: string): WriteOptions => ({
  inSameTransaction: async ({ db }, record) => {
    if (email === INSTALLER_EMAIL) return
    await recordTerminalAudit(db, {
      action,
      collection: SUPERUSERS,
      record,
      fields: ['email', 'password'],
    })
  },
})

export async function listSuperusers(store: Store): Promise<string[]> {
  const superusers = await queries(store.db)
    .selectFrom('_superusers')
    .select('email')
    .where('email', '<>', INSTALLER_EMAIL)
    .orderBy('email')
    .execute()
  return superusers.map(({ email }) => email)
}

/** The addresses of all superusers, each with the language of the user who has the same address. */
export async function listSuperuserMails(
  store: Store,
): Promise<readonly { readonly email: string; readonly language: Language }[]> {
  const users = store.catalog.find(USERS_ID) as AuthCollection
  return Promise.all(
    (await listSuperusers(store)).map(async (email) => {
      const { language } = (await findByEmail(store, users, email))?.values ?? {}
      return { email, language: readLanguage(language) }
    }),
  )
}

/** Deletes a superuser. Throws a UserError for an unknown address and for the last superuser. */
export async function deleteSuperuser(store: Store, email: string): Promise<void> {
  const collection = findSuperuserCollection(store)
  await store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    const known = await findByEmail(inside, collection, email)
    if (!known) throw new UserError(`There is no superuser ${email}.`)
    await deleteRecords(inside, EXTENSIONS, collection, [known.id]).catch((error: unknown) => {
      throw error instanceof ApiError
        ? new UserError('The last superuser cannot be deleted.')
        : error
    })
    await recordTerminalAudit(db, { action: 'delete', collection: SUPERUSERS, record: known.id })
  })
}

/** Removes the second factor of a superuser who has lost it. Throws a UserError if there is none. */
export async function removeSuperuserFactor(store: Store, email: string): Promise<void> {
  const collection = findSuperuserCollection(store)
  await store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    const known = await findByEmail(inside, collection, email)
    if (!known) throw new UserError(`There is no superuser ${email}.`)
    if ((await deleteFactors(inside, collection, [known.id])) === 0)
      throw new UserError(`Superuser ${email} has no second factor.`)
    const entry = { action: 'remove second factor', collection: SUPERUSERS, record: known.id }
    await recordTerminalAudit(db, entry)
  })
}

const LINK_SECONDS = 30 * 60
const PASSWORD_LENGTH = 30

/** A link to create the first superuser; null if one exists. PocketBase: apis/installer.go */
export async function makeInstallerLink(store: Store, publicUrl: string): Promise<string | null> {
  if ((await listSuperusers(store)).length > 0) return null
  const collection = findSuperuserCollection(store)
  if (!(await findByEmail(store, collection, INSTALLER_EMAIL)))
    await upsertSuperuser(store, INSTALLER_EMAIL, makeRandomText(PASSWORD_LENGTH))
  const standIn = await findByEmail(store, collection, INSTALLER_EMAIL)
  if (!standIn) return null // another node has made a superuser meanwhile
  const token = await signToken(standIn, 'auth', { refreshable: false, duration: LINK_SECONDS })
  return `${publicUrl}/_/#/pbinstall/${token}`
}

const ADDRESSES = 'superuserIPs'

/**
 * Sets the IP addresses and subnets that superusers may use ([]: any), and audits that. Returns the
 * former ones. Throws a UserError for an invalid address. PocketBase: cmd/superuser.go
 */
export async function setSuperuserAddresses(
  db: Db,
  places: readonly string[],
): Promise<readonly string[]> {
  const settings = await SettingsStore.open(db)
  let before: readonly string[] = []
  try {
    await settings.save({ [ADDRESSES]: places }, async (tx, { superuserIPs }) => {
      before = superuserIPs
      await recordTerminalAudit(tx, { action: 'update settings', fields: [ADDRESSES] })
    })
    return before
  } catch (error) {
    if (!(error instanceof ApiError && error.data[ADDRESSES])) throw error
    const faults = Object.entries(error.data[ADDRESSES] as Readonly<Record<string, FieldError>>)
    throw new UserError(
      faults.map(([i, { message }]) => `${places[Number(i)]}: ${message}`).join('\n'),
    )
  } finally {
    await settings.close()
  }
}
