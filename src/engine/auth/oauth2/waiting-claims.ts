import { sql } from 'kysely'
import { queries, writeTimeInSeconds } from '../../../platform/db/queries.ts'
import { sealSecret, unsealSecret } from '../../../platform/db/secrets.ts'
import type { Store } from '../../collections/catalog.ts'
import type { AuthCollection } from '../../collections/collection.ts'
import type { ProviderClaims } from '../../records/collection-extension.ts'
import type { AuthRecord } from '../../request/request.ts'

// A provider's claims about a person wait until the sign-in is complete: half a sign-in changes nothing.

const PURPOSE = 'provider claims'

const nameOwner = ({ collection, id }: AuthRecord, mfaId: string) =>
  `${mfaId} ${collection.id} ${id}`

/** Stores claims for the second half of a sign-in, which `mfaId` names. */
export async function storeClaims(
  { db }: Store,
  auth: AuthRecord,
  mfaId: string,
  { provider, claims }: ProviderClaims,
): Promise<void> {
  const sealed = await sealSecret(db, PURPOSE, nameOwner(auth, mfaId), JSON.stringify(claims))
  const ends = writeTimeInSeconds((auth.collection as AuthCollection).mfa.duration)
  await queries(db)
    .insertInto('_provider_claims')
    .values({ mfa: mfaId, provider, sealed, ends })
    .execute()
}

/** The claims that a person's started sign-in has left; undefined if there are none. */
export async function findClaims(
  { db }: Store,
  auth: AuthRecord,
  mfaId: string,
): Promise<ProviderClaims | undefined> {
  const found = await queries(db)
    .selectFrom('_provider_claims')
    .select(['provider', 'sealed'])
    .where('mfa', '=', mfaId)
    .where('ends', '>', sql<Date>`now()`)
    .executeTakeFirst()
  const text = found && (await unsealSecret(db, PURPOSE, nameOwner(auth, mfaId), found.sealed))
  return text === undefined
    ? undefined
    : { provider: found!.provider, claims: JSON.parse(text) as ProviderClaims['claims'] }
}

/** Deletes the claims of a started sign-in that is used up. False if another request did so. */
export async function useClaims({ db }: Store, mfaId: string): Promise<boolean> {
  const { numDeletedRows } = await queries(db)
    .deleteFrom('_provider_claims')
    .where('mfa', '=', mfaId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
