import { Catalog, type Store } from '../../engine/collections/catalog.ts'
import type { Rule } from '../../engine/collections/collection.ts'
import type { RequestInfo } from '../../engine/request/request.ts'
import { grantsScope, type Scopes, type TokenScope } from '../../engine/request/scopes.ts'
import { memoize } from '../../platform/tools/lru.ts'
import type { Sender } from './make-sender.ts'

/**
 * What API keys may read, within the account: collections with the scopes that open them, each with a rule of
 * the records that it opens; '' opens all. All other collections are closed to keys, also with `all:any`:
 * webhooks and hooks hold secrets. Twilio's API alone shows incoming texts to a key without `inbox:list`.
 */
const OPENED: Readonly<Record<string, Partial<Readonly<Record<TokenScope, string>>>>> = {
  sms_messages: {
    'messages:read': 'message_type = "outgoing" && sent_by = @request.body.key',
    'messages:list': 'message_type = "outgoing"',
    'inbox:list': 'message_type = "incoming"',
  },
  sms_usage: { 'messages:read': '', 'messages:send': '' },
  sms_templates: { 'messages:send': '' },
  contacts: { 'messages:list': '' },
  contact_groups: { 'messages:list': '' },
  conversations: { 'inbox:list': '' },
  devices: { 'devices:list': '' },
  lines: { 'devices:list': '' },
}
/** Scopes that open a whole collection together: its list then has the stored total. */
const WHOLE: Readonly<Record<string, readonly TokenScope[]>> = {
  sms_messages: ['messages:list', 'inbox:list'],
}
const SCOPES = [...new Set(Object.values(OPENED).flatMap(Object.keys))]

const known = memoize((_: Catalog) => new Map<string, Catalog>())

/**
 * The store and the request by which a sender reads the records that the scopes of its API key open. People
 * read by the API rules and their role.
 */
export function limitToScopes(
  { db, catalog }: Store,
  { scopes, sentBy }: Sender,
  request: RequestInfo,
): [Store, RequestInfo] {
  if (!scopes) return [{ db, catalog }, request]
  const granted = SCOPES.filter((scope) => grantsScope(scopes, scope))
  const made = known(catalog)
  const limited = made.get(granted.join()) ?? openCollections(catalog, granted)
  made.set(granted.join(), limited)
  return [
    { db, catalog: limited },
    { ...request, body: { key: sentBy } },
  ]
}

function openCollections(catalog: Catalog, granted: Scopes): Catalog {
  const CLOSED = { createRule: null, updateRule: null, deleteRule: null }
  const collections = catalog.all.map((collection) => {
    const opened = Object.entries(OPENED[collection.id] ?? {})
    const all = opened.flatMap(([scope, rule]) => (granted.includes(scope) ? [rule] : []))
    const isWhole = WHOLE[collection.id]?.every((scope) => granted.includes(scope))
    // a rule that only narrows another one opens nothing more
    const narrows = (rule: string) => all.some((other) => rule.startsWith(`${other} && `))
    const rules = isWhole ? [''] : all.filter((rule) => !narrows(rule))
    const limit = (own: Rule) => {
      if (own === null || rules.length === 0) return null
      if (rules.includes('')) return own
      return `(${own}) && (${rules.map((rule) => `(${rule})`).join(' || ')})`
    }
    const { listRule, viewRule } = collection
    return { ...collection, ...CLOSED, listRule: limit(listRule), viewRule: limit(viewRule) }
  })
  return new Catalog(collections, catalog.builtIn)
}
