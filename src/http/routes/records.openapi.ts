import { z } from 'zod'
import type { Collection, Rule } from '../../engine/collections/collection.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import { describeChapter, type Operation } from '../openapi/describe-operations.ts'
import { GUEST_ERROR } from '../openapi/failures.ts'
import type { Answers } from '../openapi/invalid-answers.ts'
import { makeCreateBody, makeUpdateBody } from '../openapi/record-body.ts'
import { BY_ID, EXPORT, makeListQuery, ONE } from '../openapi/record-parameters.ts'
import { describeRule, makePageSchema, makeTypeName } from '../openapi/record-schema.ts'
import { describeJson, describeTextAnswer } from '../openapi/success-answers.ts'

/** Describes the routes of a collection's records for OpenAPI. Views have only list and view. */
export function describeRecordPaths(
  collection: Collection,
  record: z.ZodObject,
  extensions: Extensions,
) {
  const { id, name } = collection
  const path = `/api/collections/${name}/records`
  const extension = extensions.get(id)
  const guests: Answers = extension?.authRequired
    ? { 401: { description: 'Nobody is signed in.', content: describeJson(GUEST_ERROR) } }
    : {}
  const about = (verb: string, what: string, rule: Rule): Operation => ({
    id: `${verb}${makeTypeName(collection)}`,
    summary: what,
    description: `${what}. ${describeRule(rule)}`,
    security: rule === '' ? 'anyone' : 'signedIn',
  })
  const page = makePageSchema(record, `${makeTypeName(collection)}Page`)
  const reads: Record<string, Operation> = {
    [`GET ${path}`]: {
      ...about('list', `List ${name}`, collection.listRule),
      params: makeListQuery(extension?.maxPerPage),
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
  if (collection.type === 'view') return describeChapter(name, 'signedIn', reads)
  const once = extension?.shownOnce
  const made = once
    ? record.extend(once).meta({ id: `New${makeTypeName(collection)}`, 'x-collection': name })
    : record
  const changed = once
    ? record
        .extend(z.object(once).partial().shape)
        .meta({ id: `Changed${makeTypeName(collection)}` })
    : record
  return describeChapter(name, 'signedIn', {
    ...reads,
    [`POST ${path}`]: {
      ...about('create', `Create one of ${name}`, collection.createRule),
      params: ONE,
      requestBody: describeJsonOrForm(makeCreateBody(collection, extension)),
      answer: ['The new record.', made],
      fails: [400, 404, 413],
    },
    [`GET /api/collections/${name}/export`]: {
      ...about('export', `Export ${name} as CSV or lines of JSON`, collection.listRule),
      params: EXPORT,
      fails: [400, 404],
      responses: {
        ...describeTextAnswer(
          ['text/csv', 'application/x-ndjson'],
          'A head, then a line for each record, newest first. RFC 4180. With `format=ndjson` lines of JSON.',
        ),
        ...guests,
      },
    },
    [`PATCH ${path}/{id}`]: {
      ...about('update', `Update one of ${name}`, collection.updateRule),
      params: BY_ID,
      requestBody: describeJsonOrForm(makeUpdateBody(collection, extension)),
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

const describeJsonOrForm = (schema: z.ZodType) => ({
  required: true,
  content: { ...describeJson(schema), 'multipart/form-data': { schema } },
})
