import { sql } from 'kysely'
import { z } from 'zod'
import { hasFactor } from '../../engine/auth/second-factor.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import { INSTANT_OR_EMPTY } from '../../engine/fields/date-schema.ts'
import type { Value } from '../../engine/fields/field.ts'
import type { RequestInfo } from '../../engine/request/request.ts'
import { badRequest, forbidden } from '../../platform/api-errors.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { type JobKind, planJob } from '../../platform/jobs/job-queue.ts'
import { SENDER_NAME } from './load-own-account.ts'
import { ROLES } from './members.ts'

// `second_factor_from` of user_settings: from then on, nobody acts for the account without a second factor.

/** The job ends the access of people without a second factor at the date. The key is the account's id. */
const JOB = 'second_factor'

type Settings = Readonly<Record<string, Value>>

/** Plans the end of access for a changed date. Throws 403 for members, 400 for an owner without a factor. */
export async function applyFactorDate(
  db: Db,
  values: Settings,
  old: Settings | undefined,
  { auth }: RequestInfo,
): Promise<void> {
  const from = String(values.second_factor_from ?? '')
  if (from === String(old?.second_factor_from ?? '')) return
  if (auth?.actor) throw forbidden('Only the owner of the account may change the second factor.')
  if (from !== '' && auth && !auth.isSuperuser && !(await hasFactor(db, auth)))
    throw badRequest('Set up a second factor of your own first, on the page Account.')
  await planFactorJobs(db, [String(values.user)], from)
}

/** Adds a job for each account, or moves the one that it has. `at`: when, in PocketBase's format; '': now. */
export async function planFactorJobs(
  db: Db,
  accounts: readonly string[],
  at: string,
): Promise<void> {
  const due_at = sql<Date>`coalesce(nullif(${at}::text, '')::timestamptz, now())`
  for (const account of accounts)
    await planJob(db, { kind: JOB, holder: account, key: account, due_at })
}

type OpenStore = (account: string) => Store

/** Jobs that end what people do in an account, the holder, who may not act for it any more. */
export const makeEndOfAccessJobs = (name: string, openStore: OpenStore): JobKind => ({
  name,
  places: 2,
  placesOfHolder: 1,
  timeoutSeconds: 60,
  maxAttempts: 40,
  run: async ({ holder }) => {
    await callFunction(openStore(holder).db, 'end_unprotected', [holder])
    return undefined
  },
})

export const makeFactorJobs = (openStore: OpenStore): JobKind => makeEndOfAccessJobs(JOB, openStore)

const MAX_LISTED = 1_000

/** The accounts of a person, and of the person's teams, that require a second factor, and from when. */
export const listRequiring = (db: Db, person: string): Promise<{ name: string; from: string }[]> =>
  queries(db)
    .selectFrom('user_settings as s')
    .innerJoin('senders as o', 'o.id', 's.user')
    .select('s.second_factor_from as from')
    .select(sql<string>`coalesce(nullif(account_name(s."user"), ''), o.name)`.as('name'))
    .where('s.second_factor_from', '<>', '')
    .where(({ or, eb, selectFrom }) =>
      or([
        eb('s.user', '=', person),
        eb('s.user', 'in', selectFrom('members').select('account').where('member', '=', person)),
      ]),
    )
    .orderBy('from')
    .limit(sql.lit(MAX_LISTED))
    .execute()

const MAX_PEOPLE = 1_000
const MAX_KEYS = 1_000

const PERSON = z.object({
  sender: z.string().describe('Id of the record of `senders`.'),
  name: SENDER_NAME,
  role: z.enum([...ROLES, 'owner']),
  protected: z.boolean().describe('Whether the person has a second factor.'),
  api_keys: z
    .array(z.object({ id: z.string(), name: z.string(), last_used_at: INSTANT_OR_EMPTY }))
    .describe(
      'Keys whose secret the member has seen, as far back as the log of changes goes. They stay valid.',
    ),
})

export const TEAM_FACTORS = z
  .object({
    from: INSTANT_OR_EMPTY.describe('From when everybody must have one; empty: never.'),
    people: z.array(PERSON).describe('The owner, then the members.'),
  })
  .meta({ id: 'TeamFactors' })

/** Who of an account has a second factor, and which API keys its members have made. */
export async function loadTeamFactors(
  db: Db,
  account: string,
): Promise<z.output<typeof TEAM_FACTORS>> {
  const settings = await queries(db)
    .selectFrom('user_settings')
    .select('second_factor_from as from')
    .where('user', '=', account)
    .executeTakeFirst()
  const people = await selectPeople(db, account)
  const keysOf = Map.groupBy(await selectKeysOfMembers(db, account), ({ sender }) => sender)
  return {
    from: settings?.from ?? '',
    people: people.map((person) => ({
      ...person,
      api_keys: (keysOf.get(person.sender) ?? []).map(({ sender: _, ...key }) => key),
    })),
  }
}

const selectPeople = (db: Db, account: string) =>
  queries(db)
    .selectFrom('senders as s')
    .leftJoin('members as m', 'm.id', 's.id')
    .select(['s.id as sender', 's.name'])
    .select(sql<z.output<typeof PERSON>['role']>`coalesce(m.role, 'owner')`.as('role'))
    .select(sql<boolean>`has_factor(coalesce(m.member, s.id))`.as('protected'))
    .where('s.user', '=', account)
    .where(({ or, eb }) => or([eb('s.id', '=', account), eb('m.account', '=', account)]))
    .orderBy(sql`m.id is not null`)
    .orderBy('s.name')
    .orderBy('s.id')
    .limit(sql.lit(MAX_PEOPLE))
    .execute()

/** Whether a member saw the secret of a key: at its creation, or at a rotation, which changes `prefix`. */
const SHOWS_SECRET = sql<boolean>`(a.action = 'create' or a.action = 'update' and a.fields::jsonb ? 'prefix')`

const selectKeysOfMembers = (db: Db, account: string) =>
  queries(db)
    .selectFrom('account_audit as a')
    .innerJoin('api_keys as k', 'k.id', 'a.record')
    .select(['a.sender', 'k.id', 'k.name', 'k.last_used_at'])
    .distinct()
    .where('a.user', '=', account)
    .where('a.sender', '<>', account)
    .where('a.collection', '=', 'api_keys')
    .where('k.user', '=', account)
    .where(SHOWS_SECRET)
    .orderBy('k.name')
    .orderBy('k.id')
    .limit(sql.lit(MAX_KEYS))
    .execute()
