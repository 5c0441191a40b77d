import { type ApiError, forbidden, GatewayError } from '../../platform/api-errors.ts'
import { isSqlError } from '../../platform/db/database-errors.ts'
import { memoize } from '../../platform/tools/lru.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import { Catalog } from '../collections/catalog.ts'
import { type Collection, type Rule, type RuleName, USERS_ID } from '../collections/collection.ts'
import type { RawCollection, Right } from '../collections/definition/built-in-collections.ts'
import type { Value } from '../fields/field.ts'
import { compileFilter } from '../filter/compile-filter.ts'
import { FilterError } from '../filter/parse-filter.ts'
import { type AuthRecord, type Limits, NO_REQUEST, type RequestInfo } from '../request/request.ts'

/** The API rule; '' for superusers. Throws 403 if it is null, 401 for a guest if `isAuthRequired`. */
export function requireRule(
  collection: Collection,
  name: RuleName,
  auth: AuthRecord | null,
  isAuthRequired = false,
): string {
  if (auth?.isSuperuser) return ''
  if (!auth && isAuthRequired)
    throw new GatewayError(401, {
      error: 'unauthorized',
      message: 'Authentication required',
      status: 401,
      data: {},
    })
  const rule = collection[name]
  if (rule === null && auth?.limits) throw makeNotAllowed(auth.limits)
  if (rule === null) throw forbidden('Only superusers can perform this action.')
  return rule
}

/** PocketBase's error message for an invalid rule of this collection; undefined if it is valid. */
export function checkRule(
  catalog: Catalog,
  collection: Collection,
  rule: string,
): string | undefined {
  try {
    compileFilter(catalog, { collection, rule, filter: '', sort: '', request: NO_REQUEST })
    return undefined
  } catch (error) {
    if (error instanceof FilterError) return error.message
    throw error
  }
}

/** A rule for a record that is not stored yet, compiled to SQL. `condition` is '' if it always holds. */
export interface CandidateRule {
  readonly condition: string
  readonly params: readonly unknown[]
}

export const NO_CONDITION: CandidateRule = { condition: '', params: [] }

/** Compiles a rule for a record to be created; undefined if the rule is invalid or can never hold. */
export function compileCandidateRule(
  catalog: Catalog,
  collection: Collection,
  rule: string,
  values: Readonly<Record<string, Value>>,
  request: RequestInfo,
): CandidateRule | undefined {
  if (rule === '') return NO_CONDITION
  const candidate = { ...values }
  if (candidate.id === '') candidate.id = `__temp_id____pb_create__${makeRandomText(6)}`
  if (collection.type === 'auth') candidate.verified = false
  try {
    const selection = { collection, rule, filter: '', sort: '', request, candidate }
    const { from, where, never, params } = compileFilter(catalog, selection)
    return never
      ? undefined
      : { condition: where && `exists (select 1 from ${from} where ${where})`, params }
  } catch (error) {
    if (error instanceof FilterError) return undefined
    throw error
  }
}

type Rights = RawCollection['rights']

const RANKS: Readonly<Record<Right | Limits, number>> = {
  none: 0,
  unprotected: 0,
  viewer: 1,
  agent: 2,
  admin: 3,
  owner: 4,
}

export const isRoleEnough = (role: Limits, needed: Right): boolean => RANKS[role] >= RANKS[needed]

/** The least roles in collections that superusers made, and in system collections. */
const OTHERS: Rights = { read: 'viewer', write: 'agent', remove: 'agent' }
const NOTHING: Rights = { read: 'owner', write: 'owner', remove: 'owner' }

/** Built-in collections that a team member who acts for no account may use, by their own API rules. */
const PERSONAL_COLLECTIONS: ReadonlySet<string> = new Set([USERS_ID, 'members'])

export const FACTOR_REQUIRED =
  'This account requires a second factor, and you have none. Set one up on the page Account of the console.'

const NOT_ALLOWED: Partial<Readonly<Record<Limits, string>>> = {
  none: 'You have no account of your own. Act for your team by POST /api/account/act-for.',
  unprotected: FACTOR_REQUIRED,
}

export const makeNotAllowed = (limits: Limits): ApiError =>
  forbidden(NOT_ALLOWED[limits] ?? 'Your role does not allow this.')

const known = memoize((_: Catalog) => new Map<Limits, Catalog>())

/** The catalog as a role may use it: each API rule is null if the role forbids the action. */
export function limitCatalog(catalog: Catalog, limits: Limits | undefined): Catalog {
  if (limits === undefined) return catalog
  const made = known(catalog)
  const restricted =
    made.get(limits) ??
    new Catalog(
      catalog.all.map((one) => restrictCollection(catalog, one, limits)),
      catalog.builtIn,
    )
  made.set(limits, restricted)
  return restricted
}

function restrictCollection(catalog: Catalog, collection: Collection, limits: Limits): Collection {
  if (
    limits === 'none' &&
    (!catalog.isBuiltIn(collection) || PERSONAL_COLLECTIONS.has(collection.id))
  )
    return collection
  const { read, write, remove } = findRights(catalog, collection)
  const rule = (needed: Right, own: Rule) =>
    isRoleEnough(limits, needed) ? narrowRule(collection, own) : null
  const rules = {
    listRule: rule(read, collection.listRule),
    viewRule: rule(read, collection.viewRule),
    createRule: rule(write, collection.createRule),
    updateRule: rule(write, collection.updateRule),
    deleteRule: rule(remove, collection.deleteRule),
  }
  return collection.type === 'auth'
    ? { ...collection, ...rules, manageRule: null }
    : { ...collection, ...rules }
}

const findRights = ({ builtIn }: Catalog, { id, system }: Collection): Rights =>
  builtIn.raw.get(id)?.rights ?? (system ? NOTHING : OTHERS)

/** For `members`: shows the members of the account, not its memberships in other accounts. */
function narrowRule({ id }: Collection, rule: Rule): Rule {
  if (id !== 'members' || rule === null) return rule
  return rule === '' ? 'account = @request.auth.id' : `account = @request.auth.id && (${rule})`
}

/** Whether the cause of an error is an invalid rule, or SQL that fails on the data. */
export const isRuleFault = (error: unknown) => error instanceof FilterError || isSqlError(error)

/** Resolves as `work` does, but to `otherwise` after an invalid rule or an SQL error. */
export const catchRuleFault = <T, U>(work: Promise<T>, otherwise: U): Promise<T | U> =>
  work.catch((error: unknown) => {
    if (isRuleFault(error)) return otherwise
    throw error
  })
