import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import type { Collection, Rule } from '../../collections/collection.ts'
import type { Extensions } from '../../records/extension.ts'
import { type Answers, done, failures, json, success } from '../schemas/answers.ts'
import { GUEST_ERROR } from '../schemas/errors.ts'
import { chapter, type Operation } from '../schemas/operations.ts'
import { createBody, updateBody } from '../schemas/record-body.ts'
import { BY_ID, EXPORT, listQuery, ONE, pageOf } from '../schemas/record-query.ts'
import { typeName } from '../schemas/record-schema.ts'
import { ANYONE, SIGNED_IN } from '../schemas/security.ts'
import { describeCollection, describeRule } from '../schemas/texts.ts'

/** List, view, create, update and delete of one collection, as far as its type has them. */
export function recordPaths(
  collection: Collection,
  record: z.ZodObject,
  extensions: Extensions,
): ZodOpenApiPathsObject {
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
      responses: [
        success('A page of records: those that the rule lets see.', page),
        guests,
        failures(400, 404),
      ],
    },
    [`GET ${path}/{id}`]: {
      ...about('view', `View one of ${name}`, collection.viewRule),
      params: BY_ID,
      responses: [success('The record.', record), guests, failures(400, 404)],
    },
  }
  if (collection.type === 'view') return chapter(name, SIGNED_IN, reads)
  const once = extension?.shownOnce
  const made = once
    ? record.extend(once).meta({ id: `New${typeName(collection)}`, 'x-collection': name })
    : record
  return chapter(name, SIGNED_IN, {
    ...reads,
    [`POST ${path}`]: {
      ...about('create', `Create one of ${name}`, collection.createRule),
      params: ONE,
      requestBody: bodyOf(createBody(collection, extension)),
      responses: [success('The new record.', made), failures(400, 404, 413)],
    },
    [`GET /api/collections/${name}/export`]: {
      ...about('export', `Export ${name} as CSV`, collection.listRule),
      params: EXPORT,
      responses: [
        {
          200: {
            description: 'A head, then a line for each record, newest first. RFC 4180',
            content: { 'text/csv': { schema: z.string() } },
          },
        },
        guests,
        failures(400, 404),
      ],
    },
    [`PATCH ${path}/{id}`]: {
      ...about('update', `Update one of ${name}`, collection.updateRule),
      params: BY_ID,
      requestBody: bodyOf(updateBody(collection, extension)),
      responses: [success('The record as it is now.', record), failures(400, 404, 413)],
    },
    [`DELETE ${path}/{id}`]: {
      ...about('delete', `Delete one of ${name}`, collection.deleteRule),
      params: { path: BY_ID.path },
      responses: [done('It is gone.'), failures(400, 404)],
    },
  })
}

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
