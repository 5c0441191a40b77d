import { sql } from 'kysely'
import type { Extension, ProviderPerson } from '../../engine/records/collection-extension.ts'
import { isUserDisabled } from '../../engine/records/disabled-user.ts'
import type { Role } from '../../engine/request/request.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { setDirectoryRole } from '../accounts/directory-role.ts'
import { type Claims, findRoles, type RoleRow } from './match-claims.ts'
import { MAX_OF_PROVIDER } from './role-rows-extension.ts'

/** How long a member may act after a sign-in by the provider. */
const PROVEN_SECONDS = 24 * 3600

const selectRows = (db: Db, provider: string): Promise<RoleRow[]> =>
  queries(db)
    .selectFrom('directory_roles')
    .select(['user', 'claim', 'value', 'role'])
    .where(sql.ref<string>('provider'), '=', provider)
    .limit(sql.lit(MAX_OF_PROVIDER))
    .execute()

const selectGiven = (db: Db, provider: string, member: string) =>
  queries(db)
    .selectFrom('members')
    .select('account')
    .where('member', '=', member)
    .where('directory', '=', provider)
    .execute()

/** The claims; undefined if they cannot be trusted, so that nothing may follow from them. */
async function readTrusted({
  provider,
  readClaims,
  log,
}: ProviderPerson): Promise<Claims | undefined> {
  try {
    return await readClaims()
  } catch (err) {
    log.warn({ err, provider }, 'could not read roles from the directory')
    return undefined
  }
}

export const followProviders: Pick<
  Extension,
  'admitNewcomer' | 'findProviderClaims' | 'readmits' | 'onProviderSignIn'
> = {
  /** Somebody whom a row makes a member becomes a user without an account, even if users may not sign up. */
  async admitNewcomer({ db }, person) {
    const rows = await selectRows(db, person.provider)
    const claims = rows.length > 0 ? await readTrusted(person) : undefined
    const roles = claims ? [...findRoles(rows, claims).values()] : []
    return roles.some(Boolean) ? { member_only: true } : undefined
  },

  async findProviderClaims({ db }, person) {
    const { provider, auth } = person
    const rows = await selectRows(db, provider)
    if (rows.length === 0 && (await selectGiven(db, provider, auth.id)).length === 0)
      return undefined
    const claims = await readTrusted(person)
    return claims && { provider, claims }
  },

  async readmits({ db }, auth, { provider, claims }) {
    const roles = [...findRoles(await selectRows(db, provider), claims).values()]
    return roles.some(Boolean) && !(await isUserDisabled(db, auth.id))
  },

  async onProviderSignIn(store, extensions, { provider, claims, auth, log }) {
    const rows = await selectRows(store.db, provider)
    const given = await selectGiven(store.db, provider, auth.id)
    const found = findRoles(rows, claims)
    const set = (account: string, role: Role | null) =>
      setDirectoryRole(store, extensions, {
        account,
        member: auth.id,
        directory: provider,
        role,
        provenForSeconds: PROVEN_SECONDS,
      })
    for (const [account, role] of found) {
      if (role) await set(account, role)
      else if (role === undefined)
        log.warn({ provider, account }, 'the directory left out a claim that gives roles')
    }
    for (const { account } of given)
      if (!found.has(account) || found.get(account) === null) await set(account, null)
  },
}
