import { z } from 'zod'
import { hasScope, type Scope } from '../../auth/tokens/scopes.ts'
import { formatDate } from '../../fields/types/date.ts'
import { type SendingCaller, withReader } from '../../http/middleware/sender.ts'
import { queryOf } from '../../http/query.ts'
import { meterFor } from '../../http/request-info.ts'
import { listRecords } from '../../records/read/list.ts'
import { NO_REQUEST } from '../../request/request.ts'
import { checkShape, instant } from '../../sms/send/shape.ts'
import type { DoorCall } from '../door.ts'

/** A collection, with the fields and the filters that Vendel's clients know of it. */
export interface List {
  readonly collection: string
  readonly sort: string
  readonly fields: readonly string[]
  readonly filters: readonly string[]
}

/** Our names of fields, where they are not Vendel's. */
const OURS: Readonly<Record<string, string>> = {
  recipient: 'to',
  from_number: 'from',
  device_id: 'device',
  device_type: 'platform',
  phone_number: 'phone',
  notes: 'data',
}

const DATES = ['created', 'updated']
const STATE = ['status', 'message_type', 'error_message', 'device_id', 'sent_at', 'delivered_at']

export const MESSAGES: List = {
  collection: 'sms_messages',
  sort: '-created',
  fields: ['id', 'batch_id', 'recipient', 'from_number', 'body', ...STATE, ...DATES],
  filters: ['status', 'device_id', 'batch_id', 'recipient', 'from', 'to'],
}
export const CONTACTS: List = {
  collection: 'contacts',
  sort: '-created',
  fields: ['id', 'name', 'phone_number', 'groups', 'notes', ...DATES],
  filters: ['search', 'group_id'],
}
export const GROUPS: List = {
  collection: 'contact_groups',
  sort: 'name',
  fields: ['id', 'name', ...DATES],
  filters: [],
}
export const DEVICES: List = {
  collection: 'devices',
  sort: '-created',
  fields: ['id', 'name', 'device_type', 'phone_number', ...DATES],
  filters: ['device_type'],
}

/** Filters other than "the field has this value". */
const FILTERS: Readonly<Record<string, (text: string) => string>> = {
  from: (text) => `created >= ${text}`,
  to: (text) => `created <= ${text}`,
  search: (text) => `(name ~ ${text} || phone ~ ${text})`,
  group_id: (text) => `groups.id ?= ${text}`,
}

/** A filter by a parameter. A text in a filter is written as in JSON. */
const filterOf = ([name, value]: readonly [name: string, value: string]) =>
  FILTERS[name]?.(JSON.stringify(value)) ?? `${OURS[name] ?? name} = ${JSON.stringify(value)}`

export const itemOf = ({ fields }: List) =>
  z.strictObject(Object.fromEntries(fields.map((name) => [name, name === 'groups' ? z.array(TEXT) : TEXT])))
const TEXT = z.string()

type Row = Readonly<Record<string, unknown>>

/** A field's value in Vendel's form. A contact's notes are those in its `data`. */
function shownIn(record: Row, name: string): unknown {
  const value = record[OURS[name] ?? name] ?? ''
  return name === 'notes' ? String((value as Row).notes ?? '') : value
}

/** A page of what the caller may see. Incoming texts need a scope of their own. */
export async function find(
  { c, services: { extensions } }: DoorCall,
  { store, auth, scopes }: SendingCaller,
  { collection, sort, fields }: List,
  given: Readonly<Record<string, string>>,
  [page, perPage]: readonly [page: number, perPage: number],
) {
  const isOutgoing = collection === MESSAGES.collection && scopes && !hasScope(scopes, 'inbox:list')
  const conditions = [
    ...Object.entries(given).map(filterOf),
    ...(isOutgoing ? ['message_type = "outgoing"'] : []),
  ]
  const query = { filter: conditions.join(' && '), sort, page: `${page}`, perPage: `${perPage}` }
  const request = { ...NO_REQUEST, auth, meter: meterFor(c, auth), query }
  const found = await listRecords(store, extensions, store.catalog.find(collection)!, request)
  const { items, totalItems: total_items, totalPages: total_pages } = JSON.parse(found)
  const itemFrom = (record: Row) => Object.fromEntries(fields.map((name) => [name, shownIn(record, name)]))
  return { items: (items as Row[]).map(itemFrom), page, per_page: perPage, total_items, total_pages }
}

export const pageOf = (list: List) =>
  z.strictObject({
    items: z.array(itemOf(list)),
    page: z.int(),
    per_page: z.int(),
    total_items: z.int(),
    total_pages: z.int(),
  })

const DATE = instant()
  .transform((ms) => formatDate(new Date(ms)))
  .optional()
const PERIOD = z.looseObject({ from: DATE, to: DATE })

const MAX_PER_PAGE = 200

/** A whole number from 1 on. Vendel ignores anything else. */
const wholeOr = (text: string | undefined, otherwise: number) =>
  /^[1-9]\d{0,8}$/.test(text ?? '') ? Number(text) : otherwise

/** Answers a list. An empty parameter counts as left out. */
export const listing = (list: List, scope: Scope) => (call: DoorCall) => {
  const { page, per_page, ...query } = queryOf(call.c)
  const known = Object.entries(query).filter(([name, value]) => list.filters.includes(name) && value !== '')
  const given = checkShape(PERIOD, Object.fromEntries(known)) as Record<string, string>
  const part = [wholeOr(page, 1), Math.min(wholeOr(per_page, 50), MAX_PER_PAGE)] as const
  return withReader(call.c, call.services, [scope], (caller) => find(call, caller, list, given, part))
}
