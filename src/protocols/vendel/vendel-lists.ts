import { z } from 'zod'
import { toText } from '../../engine/fields/convert-values.ts'
import { formatDate } from '../../engine/fields/parse-date.ts'
import { checkShape, makeInstantSchema } from '../../gateway/base/body-schemas.ts'
import { listOpenedRecords } from '../../gateway/base/list-opened-records.ts'
import type { Act } from '../../gateway/base/permissions.ts'
import { asSender, type SendingCaller } from '../../gateway/messages/require-sender.ts'
import type { DoorCall } from '../send-only-protocol.ts'

export interface List {
  readonly collection: string
  readonly sort: string
  readonly fields: readonly string[]
  readonly filters: readonly string[]
}

/** Our field names by Vendel's, where they differ. */
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

export const MESSAGE_LIST: List = {
  collection: 'sms_messages',
  sort: '-created',
  fields: ['id', 'batch_id', 'recipient', 'from_number', 'body', ...STATE, ...DATES],
  filters: ['status', 'device_id', 'batch_id', 'recipient', 'from', 'to'],
}
export const CONTACT_LIST: List = {
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
export const DEVICE_LIST: List = {
  collection: 'devices',
  sort: '-created',
  fields: ['id', 'name', 'device_type', 'phone_number', ...DATES],
  filters: ['device_type'],
}

/** PocketBase filters for parameters that do not mean "the field has this value". */
const FILTERS: Readonly<Record<string, (text: string) => string>> = {
  from: (text) => `created >= ${text}`,
  to: (text) => `created <= ${text}`,
  search: (text) => `(name ~ ${text} || phone ~ ${text})`,
  group_id: (text) => `groups.id ?= ${text}`,
}

/** The PocketBase filter for a query parameter. A text in a filter is quoted as in JSON. */
const writeVendelFilter = ([name, value]: readonly [name: string, value: string]) =>
  FILTERS[name]?.(JSON.stringify(value)) ?? `${OURS[name] ?? name} = ${JSON.stringify(value)}`

export const makeItemSchema = ({ fields }: List) =>
  z.strictObject(
    Object.fromEntries(
      fields.map((name) => [name, name === 'groups' ? z.array(z.string()) : z.string()]),
    ),
  )

type Row = Readonly<Record<string, unknown>>

/** A field's value in Vendel's form. `notes` is a key in a contact's JSON field `data`. */
function toVendelValue(record: Row, name: string): unknown {
  const value = record[OURS[name] ?? name] ?? ''
  return name === 'notes' ? toText((value as Row).notes) : value
}

/** A page of what the caller may see. */
export async function findListPage(
  { c, services: { extensions } }: DoorCall,
  caller: SendingCaller,
  { collection, sort, fields }: List,
  given: Readonly<Record<string, string>>,
  [page, perPage]: readonly [page: number, perPage: number],
) {
  const { auth } = caller
  const filter = Object.entries(given).map(writeVendelFilter).join(' && ')
  const query = { filter, sort, page: `${page}`, perPage: `${perPage}` }
  const meter = c.env.incoming.makeMeter(auth)
  const request = { auth, meter, query }
  const found = await listOpenedRecords(caller.store, extensions, caller, collection, request)
  const { items, totalItems: total_items, totalPages: total_pages } = JSON.parse(found)
  const itemFrom = (record: Row) =>
    Object.fromEntries(fields.map((name) => [name, toVendelValue(record, name)]))
  return {
    items: (items as Row[]).map(itemFrom),
    page,
    per_page: perPage,
    total_items,
    total_pages,
  }
}

export const makeVendelPageSchema = (list: List) =>
  z.strictObject({
    items: z.array(makeItemSchema(list)),
    page: z.int(),
    per_page: z.int(),
    total_items: z.int(),
    total_pages: z.int(),
  })

const DATE = makeInstantSchema()
  .transform((ms) => formatDate(new Date(ms)))
  .optional()
const PERIOD = z.looseObject({ from: DATE, to: DATE })

const MAX_PER_PAGE = 200

/** `text` as a whole number from 1 on, else `otherwise`: Vendel's server ignores other texts, too. */
const readWholeOr = (text: string | undefined, otherwise: number) =>
  /^[1-9]\d{0,8}$/.test(text ?? '') ? Number(text) : otherwise

/** Answers a list. An empty parameter counts as left out. */
export const makeListHandler = (list: List, act: Act) => (call: DoorCall) => {
  const { page, per_page, ...query } = call.c.env.incoming.query
  const known = Object.entries(query).filter(
    ([name, value]) => list.filters.includes(name) && value !== '',
  )
  const given = checkShape(PERIOD, Object.fromEntries(known)) as Record<string, string>
  const part = [readWholeOr(page, 1), Math.min(readWholeOr(per_page, 50), MAX_PER_PAGE)] as const
  return asSender(call.c, call.services, act, 'checkedRead', (caller) =>
    findListPage(call, caller, list, given, part),
  )
}
