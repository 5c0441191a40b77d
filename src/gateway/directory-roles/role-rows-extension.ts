import { sql } from 'kysely'
import { completeProvider } from '../../engine/auth/oauth2/complete-provider-profile.ts'
import { isShared } from '../../engine/auth/oauth2/read-provider-claims.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import { type AuthCollection, USERS_ID } from '../../engine/collections/collection.ts'
import type { Value } from '../../engine/fields/field.ts'
import type { Extension } from '../../engine/records/collection-extension.ts'
import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import { acquireLock, queries } from '../../platform/db/queries.ts'

type Row = Readonly<Record<string, Value>>

const MAX_OF_ACCOUNT = 100
/** Each sign-in by the provider reads all of its rows. */
export const MAX_OF_PROVIDER = 1_000

/** Claims that people edit in their own profile. OpenID Connect Core, 5.1, without `sub` */
const OWN_CLAIMS = new Set(
  `name given_name family_name middle_name nickname preferred_username profile picture website email
  email_verified gender birthdate zoneinfo locale phone_number phone_number_verified address updated_at`.split(
    /\s+/,
  ),
)

const OWN_CLAIM = makeFieldError(
  'validation_own_claim',
  'People edit this claim themselves: with it, they could choose their role.',
)
const SHARED = makeFieldError(
  'validation_shared_provider',
  'This provider signs in people of every organization. Enter the addresses of your own tenant first.',
)

function checkClaim({ claim }: Row): void {
  if (OWN_CLAIMS.has(String(claim).split('.')[0]!)) throw invalidFields({ claim: OWN_CLAIM })
}

function checkProvider({ catalog }: Store, { provider }: Row): void {
  const { oauth2 } = catalog.find(USERS_ID) as AuthCollection
  const options = oauth2.providers.find(({ name }) => name === provider)
  const complete = options && completeProvider(options)
  if (complete && isShared(complete)) throw invalidFields({ provider: SHARED })
}

/** Throws 400 if the account or the provider has too many rows. Other creations wait for the transaction. */
async function requireRoom({ db }: Store, { user, provider }: Row): Promise<void> {
  await acquireLock(db, LOCKS.directoryRoles)
  const { own, all } = await queries(db)
    .selectFrom('directory_roles')
    .select(sql<number>`count(*) filter (where "user" = ${user})`.as('own'))
    .select(sql<number>`count(*) filter (where provider = ${provider})`.as('all'))
    .executeTakeFirstOrThrow()
  const refuse = (field: string, message: string) =>
    invalidFields({ [field]: makeFieldError('validation_too_many_roles', message) })
  if (own >= MAX_OF_ACCOUNT) throw refuse('user', `An account has at most ${MAX_OF_ACCOUNT} rows.`)
  if (all >= MAX_OF_PROVIDER)
    throw refuse('provider', `A provider has at most ${MAX_OF_PROVIDER} rows.`)
}

/** Rows of `directory_roles`. Only superusers write them: a row gives rights in an account. */
export const roleRowsExtension: Extension = {
  check: checkClaim,
  async beforeCreate(store, values) {
    checkClaim(values)
    checkProvider(store, values)
    await requireRoom(store, values)
    return undefined
  },
  async beforeUpdate(store, values) {
    checkClaim(values)
    checkProvider(store, values)
  },
}
