import { Catalog, type Collection, DEVICES_ID, type Rule, USERS_ID } from '../collections/catalog.ts'
import { isBuiltIn } from '../collections/definition/built-in.ts'
import { type ApiError, forbidden } from '../errors.ts'
import type { Limits, Role } from '../request/request.ts'
import { memoize } from '../tools/lru.ts'

// Which collections a member may use for an account. Built-in ones not listed are for the account itself
// only. For routes see auth/members/route-roles.ts.

type Needed = Role | 'owner'
const RANKS: Readonly<Record<Needed | Limits, number>> = { none: 0, viewer: 1, agent: 2, admin: 3, owner: 4 }

/** Whether a role is `needed` or a higher one. */
export const isEnough = (role: Limits, needed: Needed): boolean => RANKS[role] >= RANKS[needed]

/** The roles needed to read records, to create and update them, and to delete them. */
type CollectionNeeds = readonly [read: Needed, write: Needed, remove: Needed]

const COLLECTIONS: Readonly<Record<string, CollectionNeeds>> = {
  [USERS_ID]: ['viewer', 'owner', 'owner'],
  user_settings: ['viewer', 'admin', 'owner'],
  senders: ['viewer', 'owner', 'owner'],
  sms_messages: ['viewer', 'owner', 'admin'],
  sms_events: ['viewer', 'owner', 'owner'],
  sms_usage: ['viewer', 'owner', 'owner'],
  conversations: ['viewer', 'agent', 'admin'],
  conversation_notes: ['viewer', 'agent', 'agent'],
  conversation_drafts: ['viewer', 'agent', 'agent'],
  contacts: ['viewer', 'agent', 'agent'],
  contact_groups: ['viewer', 'agent', 'agent'],
  sms_templates: ['viewer', 'agent', 'agent'],
  [DEVICES_ID]: ['viewer', 'admin', 'admin'],
  lines: ['viewer', 'admin', 'admin'],
  campaigns: ['viewer', 'admin', 'admin'],
  auto_answers: ['viewer', 'admin', 'admin'],
  verify_services: ['viewer', 'admin', 'admin'],
  verifications: ['viewer', 'owner', 'owner'],
  members: ['viewer', 'admin', 'admin'],
  member_invitations: ['admin', 'owner', 'admin'],
  account_audit: ['admin', 'owner', 'owner'],
  api_keys: ['admin', 'admin', 'admin'],
  webhooks: ['admin', 'admin', 'admin'],
  webhook_deliveries: ['admin', 'owner', 'owner'],
  hooks: ['admin', 'admin', 'admin'],
  hook_calls: ['admin', 'owner', 'owner'],
}
const OTHERS: CollectionNeeds = ['viewer', 'agent', 'agent']
const NOTHING: CollectionNeeds = ['owner', 'owner', 'owner']

/** Built-in collections whose own records a member without an account may read. */
const PERSONAL_COLLECTIONS: ReadonlySet<string> = new Set([USERS_ID, 'members'])

/** The 403 for a caller whose role does not allow a request. */
export const notAllowed = (limits: Limits): ApiError =>
  forbidden(
    limits === 'none'
      ? 'You have no account of your own. Act for your team by POST /api/account/act-for.'
      : 'Your role does not allow this.',
  )

const known = memoize((_: Catalog) => new Map<Limits, Catalog>())

/** The catalog for a role: rules of what it forbids are null, so that all code that reads rules obeys. */
export function catalogFor(catalog: Catalog, limits: Limits | undefined): Catalog {
  if (limits === undefined) return catalog
  const made = known(catalog)
  const restricted = made.get(limits) ?? new Catalog(catalog.all.map((one) => restrict(one, limits)))
  made.set(limits, restricted)
  return restricted
}

function restrict(collection: Collection, limits: Limits): Collection {
  if (limits === 'none' && (!isBuiltIn(collection) || PERSONAL_COLLECTIONS.has(collection.id)))
    return collection
  const [read, write, remove] = needsOf(collection)
  const rule = (needed: Needed, own: Rule) => (isEnough(limits, needed) ? narrowed(collection, own) : null)
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

const needsOf = (collection: Collection): CollectionNeeds =>
  collection.system || isBuiltIn(collection) ? (COLLECTIONS[collection.id] ?? NOTHING) : OTHERS

/** Hides from members the memberships that their account has in other accounts. */
function narrowed({ id }: Collection, rule: Rule): Rule {
  if (id !== 'members' || rule === null) return rule
  return rule === '' ? 'account = @request.auth.id' : `account = @request.auth.id && (${rule})`
}
