import { Catalog, type Store } from '../collections/catalog.ts'
import { type Collection, DEVICES_ID, type Rule, USERS_ID } from '../collections/collection.ts'
import { isBuiltIn } from '../collections/definition/built-in.ts'
import { type ApiError, forbidden } from '../errors.ts'
import type { AuthRecord, Role } from '../request/request.ts'
import { memoize } from '../tools/memoize.ts'

// What a member may do for an account. Whatever is not named here is for the account itself alone.

/** The smallest role that suffices, or nobody but the account. */
type Needed = Role | 'owner'
const RANKS: Readonly<Record<Needed, number>> = { viewer: 1, agent: 2, admin: 3, owner: 4 }

const isEnough = (role: Role, needed: Needed): boolean => RANKS[role] >= RANKS[needed]

/** To read records, to create and update them, to delete them. */
type CollectionNeeds = readonly [read: Needed, write: Needed, remove: Needed]

/** Built-in collections by id. */
const COLLECTIONS: Readonly<Record<string, CollectionNeeds>> = {
  [USERS_ID]: ['viewer', 'owner', 'owner'],
  user_settings: ['viewer', 'admin', 'owner'],
  senders: ['viewer', 'owner', 'owner'],
  sms_messages: ['viewer', 'owner', 'admin'],
  sms_events: ['viewer', 'owner', 'owner'],
  sms_usage: ['viewer', 'owner', 'owner'],
  conversations: ['viewer', 'agent', 'admin'],
  conversation_notes: ['viewer', 'agent', 'agent'],
  contacts: ['viewer', 'agent', 'agent'],
  contact_groups: ['viewer', 'agent', 'agent'],
  sms_templates: ['viewer', 'agent', 'agent'],
  [DEVICES_ID]: ['viewer', 'admin', 'admin'],
  lines: ['viewer', 'admin', 'admin'],
  campaigns: ['viewer', 'admin', 'admin'],
  auto_answers: ['viewer', 'admin', 'admin'],
  members: ['viewer', 'admin', 'admin'],
  member_invitations: ['admin', 'owner', 'admin'],
  account_audit: ['admin', 'owner', 'owner'],
  api_keys: ['admin', 'admin', 'admin'],
  webhooks: ['admin', 'admin', 'admin'],
  webhook_deliveries: ['admin', 'owner', 'owner'],
  hooks: ['admin', 'admin', 'admin'],
  hook_calls: ['admin', 'owner', 'owner'],
}
/** Collections that superusers made. */
const OTHERS: CollectionNeeds = ['viewer', 'agent', 'agent']
const NOTHING: CollectionNeeds = ['owner', 'owner', 'owner']

/** Routes by method and path. Those of records also need the role of their collection. */
const ROUTES: Readonly<Record<string, Role>> = {
  'GET /api/health': 'viewer',
  'GET /api/account/me': 'viewer',
  'GET /api/account/inbox': 'viewer',
  'POST /api/account/presence': 'viewer',
  // the browsers of the person who acts
  'GET /api/account/push-key': 'viewer',
  'GET /api/account/push': 'viewer',
  'PUT /api/account/push': 'viewer',
  'DELETE /api/account/push': 'viewer',
  'POST /api/account/invitations': 'admin',
  'POST /api/realtime': 'viewer',
  'GET /api/collections/:collection/records': 'viewer',
  'GET /api/collections/:collection/records/:id': 'viewer',
  'GET /api/collections/:collection/export': 'viewer',
  'POST /api/collections/:collection/records': 'agent',
  'PATCH /api/collections/:collection/records/:id': 'agent',
  'DELETE /api/collections/:collection/records/:id': 'agent',
  'POST /api/batch': 'agent',
  // whoever has the password may sign in, whatever token is sent along
  'POST /api/collections/:collection/auth-with-password': 'viewer',
  'POST /api/collections/:collection/auth-with-otp': 'viewer',
  // answers the same token
  'POST /api/collections/:collection/auth-refresh': 'viewer',
  'POST /api/sms/send': 'agent',
  'POST /api/sms/send-template': 'agent',
  'POST /api/sms/preview': 'agent',
  'GET /api/sms/usage': 'viewer',
  'GET /api/sms/usage/days': 'viewer',
  'GET /api/sms/batches/:batch_id': 'viewer',
  'POST /api/sms/batches/:batch_id/cancel': 'agent',
  'POST /api/sms/batches/:batch_id/reschedule': 'agent',
  'POST /api/sms/batches/:batch_id/retry': 'agent',
  'PATCH /api/sms/messages/:id': 'agent',
  'POST /api/sms/messages/:id/retry': 'agent',
  'POST /api/sms/messages/:id/cancel': 'agent',
  'GET /api/campaigns/:id/progress': 'viewer',
  'POST /api/campaigns': 'admin',
  'POST /api/campaigns/preview': 'admin',
  'PATCH /api/campaigns/:id': 'admin',
  'POST /api/campaigns/:id/pause': 'admin',
  'POST /api/campaigns/:id/resume': 'admin',
  'POST /api/campaigns/:id/cancel': 'admin',
  'POST /api/campaigns/:id/retry': 'admin',
  'GET /api/devices/states': 'viewer',
  'POST /api/devices/pairing': 'admin',
  'POST /api/hooks/preview': 'admin',
  'POST /api/webhooks/:id/test': 'admin',
  'POST /api/webhooks/:id/rotate': 'admin',
  'POST /api/webhooks/:id/resend-failed': 'admin',
  'GET /api/webhooks/deliveries/:id/request': 'admin',
  'POST /api/webhooks/deliveries/:id/resend': 'admin',
}

export const roleTooSmall = (): ApiError => forbidden('Your role does not allow this.')

/** Throws 403 for a member whose role is too small for a route (method and path). */
export function requireRole({ actor }: AuthRecord, route: string): void {
  if (actor && !isEnough(actor.role, ROUTES[route] ?? 'owner')) throw roleTooSmall()
}

/** A store as a member's role allows it: the rules of forbidden collections are null. */
export class RoleStore implements Store {
  readonly #store: Store
  readonly #role: Role

  constructor(store: Store, role: Role) {
    this.#store = store
    this.#role = role
  }

  get db() {
    return this.#store.db
  }

  get catalog() {
    return catalogFor(this.#store.catalog, this.#role)
  }
}

const known = memoize((_: Catalog) => new Map<Role, Catalog>())

/** The collections as a role allows them, so that it holds in each rule, filter and expand. */
export function catalogFor(catalog: Catalog, role: Role): Catalog {
  const made = known(catalog)
  const restricted = made.get(role) ?? new Catalog(catalog.all.map((one) => restrict(one, role)))
  made.set(role, restricted)
  return restricted
}

function restrict(collection: Collection, role: Role): Collection {
  const [read, write, remove] = needsOf(collection)
  const rule = (needed: Needed, own: Rule) => (isEnough(role, needed) ? narrowed(collection, own) : null)
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

/** Those for whom the account acts itself are not its members' business. */
function narrowed({ id }: Collection, rule: Rule): Rule {
  if (id !== 'members' || rule === null) return rule
  return rule === '' ? 'account = @request.auth.id' : `account = @request.auth.id && (${rule})`
}
