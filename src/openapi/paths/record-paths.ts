import { z } from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import { NEW_KEY } from '../../auth/tokens/api-keys.ts'
import type { Collection, Rule } from '../../collections/collection.ts'
import type { Extensions } from '../../records/extension.ts'
import { NEW_TWILIO_KEY } from '../../twilio/keys-extension.ts'
import { NEW_SECRET } from '../../webhooks/secrets.ts'
import { type Answers, answers, done, failures, json, success } from '../schemas/answers.ts'
import { GUEST_ERROR } from '../schemas/errors.ts'
import { createBody, updateBody } from '../schemas/record-body.ts'
import { BY_ID, EXPORT, listQuery, ONE, pageOf } from '../schemas/record-query.ts'
import { typeName } from '../schemas/record-schema.ts'
import { ANYONE, SIGNED_IN } from '../schemas/security.ts'
import { describeCollection, describeRule } from '../schemas/texts.ts'

/** What only the answer to a create holds, by collection id. */
const SHOWN_ONCE: Readonly<Record<string, z.ZodRawShape>> = {
  api_keys: { ...NEW_KEY.shape, ...NEW_TWILIO_KEY.shape },
  webhooks: NEW_SECRET.shape,
}

/** List, view, create, update and delete of one collection, as far as its type has them. */
export function recordPaths(
  collection: Collection,
  record: z.ZodObject,
  extensions: Extensions,
): ZodOpenApiPathsObject {
  const path = `/api/collections/${collection.name}/records`
  const isView = collection.type === 'view'
  return {
    [path]: {
      get: listOperation(collection, record, extensions),
      ...(!isView && { post: createOperation(collection, record) }),
    },
    ...(!isView && {
      [`/api/collections/${collection.name}/export`]: { get: exportOperation(collection, extensions) },
    }),
    [`${path}/{id}`]: {
      get: viewOperation(collection, record, extensions),
      ...(!isView && { patch: updateOperation(collection, record), delete: deleteOperation(collection) }),
    },
  }
}

const about = (collection: Collection, verb: string, what: string, rule: Rule) => ({
  operationId: `${verb}${typeName(collection)}`,
  tags: [collection.name],
  summary: what,
  description: `${what}. ${describeRule(rule)}`,
  security: rule === '' ? ANYONE : SIGNED_IN,
})

/** Where guests may not even ask. */
const guests = ({ id }: Collection, extensions: Extensions): Answers =>
  extensions.get(id)?.authRequired
    ? { 401: { description: 'Nobody is signed in.', content: json(GUEST_ERROR) } }
    : {}

const listOperation = (
  collection: Collection,
  record: z.ZodObject,
  extensions: Extensions,
): ZodOpenApiOperationObject => ({
  ...about(collection, 'list', `List ${collection.name}`, collection.listRule),
  requestParams: listQuery(extensions.get(collection.id)?.maxPerPage),
  responses: answers(
    success(
      'A page of records: those that the rule lets see.',
      pageOf(record, `${typeName(collection)}Page`),
    ),
    guests(collection, extensions),
    failures(400, 404),
  ),
})

const exportOperation = (collection: Collection, extensions: Extensions): ZodOpenApiOperationObject => ({
  ...about(collection, 'export', `Export ${collection.name} as CSV`, collection.listRule),
  requestParams: EXPORT,
  responses: answers(
    {
      200: {
        description: 'A head, then a line for each record, newest first. RFC 4180',
        content: { 'text/csv': { schema: z.string() } },
      },
    },
    guests(collection, extensions),
    failures(400, 404),
  ),
})

const viewOperation = (
  collection: Collection,
  record: z.ZodObject,
  extensions: Extensions,
): ZodOpenApiOperationObject => ({
  ...about(collection, 'view', `View one of ${collection.name}`, collection.viewRule),
  requestParams: BY_ID,
  responses: answers(success('The record.', record), guests(collection, extensions), failures(400, 404)),
})

function createOperation(collection: Collection, record: z.ZodObject): ZodOpenApiOperationObject {
  const once = SHOWN_ONCE[collection.id]
  const made = once
    ? record.extend(once).meta({ id: `New${typeName(collection)}`, 'x-collection': collection.name })
    : record
  return {
    ...about(collection, 'create', `Create one of ${collection.name}`, collection.createRule),
    requestParams: ONE,
    requestBody: bodyOf(createBody(collection)),
    responses: answers(success('The new record.', made), failures(400, 404, 413)),
  }
}

const updateOperation = (collection: Collection, record: z.ZodObject): ZodOpenApiOperationObject => ({
  ...about(collection, 'update', `Update one of ${collection.name}`, collection.updateRule),
  requestParams: BY_ID,
  requestBody: bodyOf(updateBody(collection)),
  responses: answers(success('The record as it is now.', record), failures(400, 404, 413)),
})

const deleteOperation = (collection: Collection): ZodOpenApiOperationObject => ({
  ...about(collection, 'delete', `Delete one of ${collection.name}`, collection.deleteRule),
  requestParams: { path: BY_ID.path },
  responses: answers(done('It is gone.'), failures(400, 404)),
})

/** Records are sent as JSON, or as a form. */
const bodyOf = (schema: z.ZodType) => ({
  required: true,
  content: { ...json(schema), 'multipart/form-data': { schema } },
})

/** The tag of a collection's operations. */
export const recordTag = (collection: Collection) => ({
  name: collection.name,
  description: describeCollection(collection) ?? `Records of the collection \`${collection.name}\`.`,
})
