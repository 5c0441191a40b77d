import { Hono } from 'hono'
import { z } from 'zod'
import type { Collection, Rule } from '../../collections/catalog.ts'
import {
  ANYONE,
  type Answers,
  chapter,
  GUEST_ERROR,
  json,
  type Operation,
  SIGNED_IN,
  textAnswer,
} from '../../openapi/operations.ts'
import {
  BY_ID,
  createBody,
  describeRule,
  EXPORT,
  listQuery,
  ONE,
  pageOf,
  typeName,
  updateBody,
} from '../../openapi/record-schema.ts'
import { exportRecords, PAGE_BYTES } from '../../records/export.ts'
import type { Extensions } from '../../records/extension.ts'
import { listRecords, viewRecord } from '../../records/list.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { streamOf } from '../files/send-file.ts'
import {
  asCaller,
  authOf,
  bodyOf,
  buildRequest,
  collectionOf,
  meterFor,
  sendJson,
  sendRaw,
} from '../request-info.ts'
import { memoryOf, storeOf } from '../server/store-of.ts'

/** `/api/collections/…/records`: lists and single records; `/export`: records as CSV. */
export const recordRoutes = (services: Services) =>
  new Hono<Env>()
    .get('/:collection/records', async (c) => sendRaw(c, await read(c, services, listRecords)))
    .get('/:collection/records/:id', async (c) => sendJson(c, await read(c, services, viewRecord)))
    .get('/:collection/export', (c) => sendExport(c, services, c.req.param('collection')))

/** Reads for the cached caller; again with the caller from the database if the caller has changed. */
async function read(c: Ctx, services: Services, run: typeof viewRecord): Promise<string> {
  const { store, extensions } = services
  const collection = c.req.param('collection') ?? ''
  const id = c.req.param('id') ?? ''
  collectionOf(store.catalog, collection) // throws 404 before the body is read
  const work = async (request: RequestInfo) => {
    const { db, catalog } = storeOf(c, services, request.auth)
    // a replica if it has all earlier commits; the catalog is always the primary's
    const inside = { db: db.replica ? await db.forReading() : db, catalog }
    return run(inside, extensions, collectionOf(catalog, collection), request, id)
  }
  // as PocketBase: a GET with a broken body is a 400
  return asCaller(c, services, work, { isRead: true })
}

/** List, view, create, update and delete of one collection, as far as its type has them. */
export function recordPaths(collection: Collection, record: z.ZodObject, extensions: Extensions) {
  const { id, name } = collection
  const path = `/api/collections/${name}/records`
  const extension = extensions.get(id)
  const guests: Answers = extension?.authRequired
    ? { 401: { description: 'Nobody is signed in.', content: json(GUEST_ERROR) } }
    : {}
  const about = (verb: string, what: string, rule: Rule) => ({
    id: `${verb}${typeName(collection)}`,
    summary: what,
    description: `${what}. ${describeRule(rule)}`,
    security: rule === '' ? ANYONE : SIGNED_IN,
  })
  const page = pageOf(record, `${typeName(collection)}Page`)
  const reads: Record<string, Operation> = {
    [`GET ${path}`]: {
      ...about('list', `List ${name}`, collection.listRule),
      params: listQuery(extension?.maxPerPage),
      answer: ['A page of records: those that the rule lets see.', page],
      fails: [400, 404],
      responses: guests,
    },
    [`GET ${path}/{id}`]: {
      ...about('view', `View one of ${name}`, collection.viewRule),
      params: BY_ID,
      answer: ['The record.', record],
      fails: [400, 404],
      responses: guests,
    },
  }
  if (collection.type === 'view') return chapter(name, SIGNED_IN, reads)
  const once = extension?.shownOnce
  const made = once
    ? record.extend(once).meta({ id: `New${typeName(collection)}`, 'x-collection': name })
    : record
  const changed = once
    ? record.extend(z.object(once).partial().shape).meta({ id: `Changed${typeName(collection)}` })
    : record
  return chapter(name, SIGNED_IN, {
    ...reads,
    [`POST ${path}`]: {
      ...about('create', `Create one of ${name}`, collection.createRule),
      params: ONE,
      requestBody: jsonOrForm(createBody(collection, extension)),
      answer: ['The new record.', made],
      fails: [400, 404, 413],
    },
    [`GET /api/collections/${name}/export`]: {
      ...about('export', `Export ${name} as CSV`, collection.listRule),
      params: EXPORT,
      fails: [400, 404],
      responses: {
        ...textAnswer('text/csv', 'A head, then a line for each record, newest first. RFC 4180'),
        ...guests,
      },
    },
    [`PATCH ${path}/{id}`]: {
      ...about('update', `Update one of ${name}`, collection.updateRule),
      params: BY_ID,
      requestBody: jsonOrForm(updateBody(collection, extension)),
      answer: ['The record as it is now.', changed],
      fails: [400, 404, 413],
    },
    [`DELETE ${path}/{id}`]: {
      ...about('delete', `Delete one of ${name}`, collection.deleteRule),
      params: { path: BY_ID.path },
      answer: ['It is gone.'],
      fails: [400, 404],
    },
  })
}

const jsonOrForm = (schema: z.ZodType) => ({
  required: true,
  content: { ...json(schema), 'multipart/form-data': { schema } },
})

async function sendExport(c: Ctx, services: Services, name: string): Promise<Response> {
  collectionOf(services.store.catalog, name)
  const { values } = await bodyOf(c)
  const auth = await authOf(c, services)
  const store = storeOf(c, services, auth)
  const collection = collectionOf(store.catalog, name)
  const request = async () => {
    const caller = await authOf(c, services)
    return buildRequest(c, caller, values, 'default', meterFor(c, caller))
  }
  c.set('asker', auth)
  memoryOf(c).hold(PAGE_BYTES)
  const pieces = exportRecords(store, services.extensions, collection, request)
  // errors of the request are thrown before the first piece
  const first = await pieces.next()
  async function* encoded() {
    yield Buffer.from(first.value ?? '')
    for await (const piece of pieces) yield Buffer.from(piece)
  }
  return c.body(streamOf(encoded()), 200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${collection.name.replace(/\W/g, '_')}.csv"`,
    'cache-control': 'no-store',
  })
}
