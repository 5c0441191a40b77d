import { sql } from 'kysely'
import { z } from 'zod'
import { badRequest, notFound } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { makeRandomId } from '../../platform/tools/random.ts'
import type { Store } from '../collections/catalog.ts'
import { INSTANT, INSTANT_OR_EMPTY } from '../fields/date-schema.ts'
import type { AuthRecord } from '../request/request.ts'
import type { InSameTransaction } from './change-auth-record.ts'
import { type ChallengePurpose, makeChallenge, useChallenge } from './passkey-challenges.ts'
import { readProofState, requireProofState } from './proof-state.ts'
import {
  deleteEmptyFactor,
  endStartedSignIns,
  makeOwnerKey,
  protectPerson,
} from './second-factor.ts'
import {
  type AuthenticationResponseJSON,
  makeCreationOptions,
  makeRequestOptions,
  type Passkey,
  type PasskeySite,
  type RegistrationResponseJSON,
  readChallenge,
  refusePasskey,
  verifyCreation,
  verifySignature,
} from './webauthn.ts'

// The passkeys of a person: a second factor after another method, or a sign-in of its own.

const MAX_PASSKEYS = 20

export const PASSKEY = z
  .object({
    id: z.string(),
    name: z.string(),
    created: INSTANT,
    used_at: INSTANT_OR_EMPTY.describe('When it last signed in; empty: never.'),
    host: z.string().describe('Where it is valid: the host of `PUBLIC_URL` when it was made.'),
  })
  .meta({ id: 'Passkey' })

const selectPasskeys = (db: Db) =>
  queries(db)
    .selectFrom('auth_passkeys')
    .select(['credential', 'public_key', 'counter', 'transports'])

/** The passkeys of a person, the oldest first. */
export const listPasskeys = (db: Db, auth: AuthRecord): Promise<z.output<typeof PASSKEY>[]> =>
  queries(db)
    .selectFrom('auth_passkeys')
    .select(['id', 'name', 'host'])
    .select(sql<string>`pb_text(created)`.as('created'))
    .select(sql<string>`coalesce(pb_text(used_at), '')`.as('used_at'))
    .where(({ and }) => and(makeOwnerKey(auth)))
    .orderBy('auth_passkeys.created')
    .orderBy('id')
    .execute()

const listCredentials = (db: Db, auth: AuthRecord, { host }: PasskeySite): Promise<Passkey[]> =>
  selectPasskeys(db)
    .where(({ and }) => and({ ...makeOwnerKey(auth), host }))
    .execute()

/** Whether anybody has a passkey for this host. */
export async function hasPasskeys(db: Db, { host }: PasskeySite): Promise<boolean> {
  const found = await queries(db)
    .selectFrom('auth_passkeys')
    .select('id')
    .where('host', '=', host)
    .limit(sql.lit(1))
    .executeTakeFirst()
  return found !== undefined
}

/**
 * Makes the options with which a browser makes a passkey. `state`: the person's before the proof. Throws 400
 * if the person has too many, 429.
 */
export async function startPasskey(
  db: Db,
  auth: AuthRecord,
  state: string,
  site: PasskeySite,
  app: string,
) {
  const known = await listCredentials(db, auth, site)
  if (known.length >= MAX_PASSKEYS) throw badRequest(`You may have ${MAX_PASSKEYS} passkeys.`)
  const challenge = await makeChallenge(db, 'add', { person: auth, state })
  const person = String(auth.values.email || auth.id)
  const handle = `${auth.collection.id}/${auth.id}`
  return makeCreationOptions(site, challenge, { app, person, handle }, known)
}

/**
 * Stores the passkey that a browser made. Returns recovery codes if it is the person's first second factor,
 * else []. `also` runs in the transaction. Throws 400.
 */
export async function storePasskey(
  { db, catalog }: Store,
  auth: AuthRecord,
  site: PasskeySite,
  name: string,
  response: RegistrationResponseJSON,
  also: InSameTransaction,
): Promise<readonly string[]> {
  const challenge = readChallenge(response)
  const state = await readProofState(db, auth)
  if (!(await useChallenge(db, challenge, 'add', { person: auth, state }))) refusePasskey()
  const { transports, ...made } = await verifyCreation(site, challenge, response)
  return db.transaction(async (inside) => {
    // locks the row of the person's factors first, so that their number is right
    await requireProofState({ db: inside, catalog }, auth, state)
    const codes = await protectPerson(inside, auth)
    const { numInsertedOrUpdatedRows: stored = 0n } = await queries(inside)
      .insertInto('auth_passkeys')
      .values({
        ...made,
        ...makeOwnerKey(auth),
        id: makeRandomId(),
        name,
        host: site.host,
        transports: [...transports],
      })
      .onConflict((found) => found.doNothing())
      .executeTakeFirst()
    if (stored === 0n) throw badRequest('This passkey is known already.')
    await endStartedSignIns({ db: inside, catalog }, auth)
    await also(inside, auth)
    return codes
  })
}

/** Changes the name of a passkey. Throws 404. */
export async function renamePasskey(
  db: Db,
  auth: AuthRecord,
  id: string,
  name: string,
): Promise<void> {
  const { numUpdatedRows } = await queries(db)
    .updateTable('auth_passkeys')
    .set({ name })
    .where(({ and }) => and({ ...makeOwnerKey(auth), id }))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw notFound()
}

/** Removes a passkey; with the last second factor, recovery codes end. Throws 404. */
export const removePasskey = (
  { db, catalog }: Store,
  auth: AuthRecord,
  id: string,
  also: InSameTransaction,
): Promise<void> =>
  db.transaction(async (inside) => {
    const { numDeletedRows } = await queries(inside)
      .deleteFrom('auth_passkeys')
      .where(({ and }) => and({ ...makeOwnerKey(auth), id }))
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound()
    await deleteEmptyFactor(inside, auth)
    await endStartedSignIns({ db: inside, catalog }, auth)
    await also(inside, auth)
  })

/** Makes the options with which a browser signs by one of a person's passkeys. Throws 429. */
export async function askPerson(
  db: Db,
  auth: AuthRecord,
  site: PasskeySite,
  purpose: Exclude<ChallengePurpose, 'add' | 'alone'>,
) {
  const state = await readProofState(db, auth)
  const known = await listCredentials(db, auth, site)
  const challenge = await makeChallenge(db, purpose, { person: auth, state })
  return makeRequestOptions(site, challenge, known)
}

/** The options with which a browser signs by any passkey of the site. Throws 429. */
export const askAnybody = async (db: Db, site: PasskeySite, network: string) =>
  makeRequestOptions(site, await makeChallenge(db, 'alone', { network }), [])

interface PasskeyOwner {
  readonly collection: string
  readonly record: string
}

/**
 * Checks a signature by a passkey, and uses up its challenge. `person`: whose passkey it must be. Returns the
 * owner of the passkey. Throws 400.
 */
export async function requireSignature(
  db: Db,
  site: PasskeySite,
  response: AuthenticationResponseJSON,
  purpose: Exclude<ChallengePurpose, 'add'>,
  person?: AuthRecord,
): Promise<PasskeyOwner> {
  const challenge = readChallenge(response)
  const of = person && { person, state: await readProofState(db, person) }
  if (!(await useChallenge(db, challenge, purpose, of))) refusePasskey()
  const found = await selectPasskeys(db)
    .select(['id', 'collection', 'record'])
    .where('credential', '=', response.id)
    .where('host', '=', site.host)
    .executeTakeFirst()
  if (!found || (person && !isOwner(person, found))) refusePasskey()
  const { userHandle } = response.response
  const handle = `${found.collection}/${found.record}`
  if (userHandle && Buffer.from(userHandle, 'base64url').toString() !== handle) refusePasskey()
  const counter = await verifySignature(site, challenge, response, found)
  await noteUse(db, found, counter)
  return found
}

const isOwner = (person: AuthRecord, { collection, record }: PasskeyOwner) =>
  person.id === record && person.collection.id === collection

/** Stores the counter of a passkey. Throws 400 if another request has changed it or removed the passkey. */
async function noteUse(
  db: Db,
  { id, counter }: { readonly id: string; readonly counter: number },
  next: number,
): Promise<void> {
  const { numUpdatedRows } = await queries(db)
    .updateTable('auth_passkeys')
    .set({ counter: next, used_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('counter', '=', counter)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) refusePasskey()
}
