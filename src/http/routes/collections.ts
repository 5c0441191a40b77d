import type { Store } from '../../engine/collections/catalog.ts'
import {
  renderCollection,
  renderScaffolds,
} from '../../engine/collections/definition/collection-json.ts'
import { OAUTH2_PROVIDERS } from '../../engine/collections/definition/oauth2-providers.ts'
import { dryRunView } from '../../engine/collections/dry-run-view.ts'
import {
  createCollection,
  removeCollection,
  updateCollection,
} from '../../engine/collections/edit.ts'
import { explainSqliteError } from '../../engine/collections/from-sqlite/sqlite-fault.ts'
import { importAllOrNone } from '../../engine/collections/import-all-or-none.ts'
import { isQueryFault } from '../../engine/collections/views/view-query.ts'
import {
  anything,
  flag,
  makeObjectShape,
  ShapeError,
  text,
} from '../../engine/fields/json-shapes.ts'
import { checkFields, checkMaxLength, checkRequired } from '../../engine/fields/value-checks.ts'
import { checkRule } from '../../engine/records/check-rules.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import { listRecords } from '../../engine/records/list.ts'
import { truncateCollection } from '../../engine/records/truncate.ts'
import type { RequestInfo } from '../../engine/request/request.ts'
import { renameRateLimits } from '../../engine/settings/settings-store.ts'
import { badRequest, notFound } from '../../platform/api-errors.ts'
import { allowSuperuser } from '../allow-callers.ts'
import { readForm } from '../body/form.ts'
import { readBodyOr } from '../body/read-body.ts'
import { listPlainRows, makePlainList } from '../list-logs.ts'
import { makeRoutes, makeUndescribedRow } from '../make-routes.ts'
import { auditRequest, makeAuditedCollections } from '../middleware/audit-requests.ts'
import type { Ctx } from '../request-context.ts'
import { MAX_BODY_BYTES } from '../route-limits.ts'
import { sendJson, sendRaw } from '../send-answer.ts'

const MAX_QUERY_BYTES = 5_000
const SAMPLE_SIZE = 10

const LOAD = {
  create: 'Failed to load the collection type data due to invalid formatting.',
  update: 'Failed to load the submitted data due to invalid formatting.',
}

const TYPE_FORM = makeObjectShape({ name: text, type: text })
const IMPORT_FORM = makeObjectShape({ collections: anything, deleteMissing: flag })
const QUERY_FORM = makeObjectShape({ query: text })

/** Reads a new collection. As in PocketBase, only the keys `name` and `type` match without regard to case. */
async function readNewCollection(c: Ctx): Promise<Record<string, unknown>> {
  const { values, isJson } = await readBodyOr(c, LOAD.create)
  try {
    return { ...values, ...TYPE_FORM.over(values, TYPE_FORM.zero(), isJson) }
  } catch (error) {
    throw error instanceof ShapeError ? badRequest(LOAD.create) : error
  }
}

/** The collection with this name or id. Throws 404. */
function requireCollectionNamed({ catalog }: Pick<Store, 'catalog'>, name: string) {
  const collection = catalog.find(name)
  if (!collection) throw notFound()
  return collection
}

/** Collections, for superusers. PocketBase: apis/collection.go, contract 7.5 */
export const COLLECTION_ROUTES = makeRoutes(
  '',
  {
    'GET /api/collections': makeUndescribedRow(
      allowSuperuser,
      'superusers',
      ({ auth, store, services }, c) =>
        listCollections(store, services.extensions, c.env.incoming.describe(auth, {})),
      sendRaw,
    ),
    'POST /api/collections': {
      maxBytes: MAX_BODY_BYTES,
      ...makeUndescribedRow(allowSuperuser, 'superusers', async ({ auth, services }, c) => {
        const submitted = await readNewCollection(c)
        return renderCollection(
          await createCollection(makeAuditedCollections(c, services, auth), submitted, checkRule),
        )
      }),
    },
    'PUT /api/collections/import': {
      maxBytes: MAX_BODY_BYTES,
      ...makeUndescribedRow(allowSuperuser, 'superusers', async ({ auth, services }, c) => {
        const form = await readForm(c, IMPORT_FORM)
        await importAllOrNone(makeAuditedCollections(c, services, auth), form, checkRule)
      }),
    },
    'GET /api/collections/meta/scaffolds': makeUndescribedRow(
      allowSuperuser,
      'no rows',
      renderScaffolds,
    ),
    'GET /api/collections/meta/oauth2-providers': makeUndescribedRow(
      allowSuperuser,
      'no rows',
      () => [...OAUTH2_PROVIDERS].map(([name, shown]) => ({ name, ...shown })),
    ),
    'POST /api/collections/meta/dry-run-view': {
      maxBytes: MAX_BODY_BYTES,
      ...makeUndescribedRow(allowSuperuser, 'superusers', async ({ auth, store, services }, c) => {
        const { query } = await readForm(c, QUERY_FORM)
        checkFields({ query }, { query: [checkRequired, checkMaxLength(MAX_QUERY_BYTES)] })
        return sampleView(store, services.extensions, query, c.env.incoming.describe(auth, {}))
      }),
    },
    'GET /api/collections/:collection': makeUndescribedRow(
      allowSuperuser,
      'superusers',
      ({ services }, _, name) => renderCollection(requireCollectionNamed(services.store, name)),
    ),
    'PATCH /api/collections/:collection': {
      maxBytes: MAX_BODY_BYTES,
      ...makeUndescribedRow(allowSuperuser, 'superusers', async ({ auth, services }, c, named) => {
        const { id, name } = requireCollectionNamed(services.store, named)
        const { values } = await readBodyOr(c, LOAD.update)
        const collection = await updateCollection(
          makeAuditedCollections(c, services, auth),
          id,
          values,
          checkRule,
        )
        await renameRateLimits(services.settings, name, collection.name)
        return renderCollection(collection)
      }),
    },
    'DELETE /api/collections/:collection': makeUndescribedRow(
      allowSuperuser,
      'superusers',
      ({ auth, services }, c, name) =>
        removeCollection(makeAuditedCollections(c, services, auth), name),
    ),
    'DELETE /api/collections/:collection/truncate': makeUndescribedRow(
      allowSuperuser,
      'superusers',
      async ({ auth, store: { db, catalog }, services }, c, named) => {
        const collection = requireCollectionNamed(services.store, named)
        await db.transaction(async (inside) => {
          await truncateCollection({ db: inside, catalog }, services.extensions, collection)
          await auditRequest(c, auth, { action: 'truncate', collection: collection.name }, inside)
        })
      },
    ),
  },
  sendJson,
)

async function sampleView(
  store: Store,
  extensions: Extensions,
  viewQuery: string,
  request: RequestInfo,
) {
  const query = { perPage: `${SAMPLE_SIZE}`, skipTotal: '1' }
  try {
    return await dryRunView(store, viewQuery, async (inside, view) => {
      const list = JSON.parse(await listRecords(inside, extensions, view, { ...request, query }))
      const hidden = new Set(view.fields.filter((field) => field.hidden).map(({ name }) => name))
      const shown = (item: object) => Object.entries(item).filter(([name]) => !hidden.has(name))
      const sample = list.items.map((item: object) => Object.fromEntries(shown(item)))
      return JSON.stringify({ fields: view.fields, sample })
    })
  } catch (error) {
    if (!isQueryFault(error)) throw error
    throw badRequest(`Invalid view query. Raw error: \n${explainSqliteError(error)}`)
  }
}

/** The fields by which lists of collections can be filtered and sorted. */
const LISTED = makePlainList('_collections_listed', [
  ['id', 'text'],
  ['name', 'text'],
  ['type', 'text'],
  ['created', 'date'],
  ['updated', 'date'],
  ['system', 'bool'],
])

const listCollections = (store: Store, extensions: Extensions, request: RequestInfo) =>
  listPlainRows(LISTED, store, extensions, request, ({ id }) =>
    renderCollection(store.catalog.find(String(id))!),
  )
