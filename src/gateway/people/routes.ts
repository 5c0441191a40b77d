import { z } from 'zod'
import { allowRole, type Permission, type UserCaller } from '../../http/allow-callers.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { auditRequest } from '../../http/middleware/audit-requests.ts'
import type { Ctx, Services } from '../../http/request-context.ts'
import { notFound } from '../../platform/api-errors.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import { acquireLock } from '../../platform/db/queries.ts'
import { checkShape } from '../base/body-schemas.ts'
import type { Person } from '../base/personal-data.ts'
import { readNumber } from '../base/read-numbers.ts'
import { CONTACT_FIELD_USES, listFieldUses } from './contact-field-uses.ts'
import { countData, FOUND_DATA } from './count-stored-data.ts'
import { findContactNumber, findConversationNumber, findPerson, makeEveryPerson } from './person.ts'
import type { HasPersonalData } from './personal-tables.ts'
import { addRequest, findRecentExport, PERSON_REQUEST, type RequestKind } from './requests.ts'

const MAX_BODY_BYTES = 10_000

const number = z
  .string('must be a text')
  .describe(
    'A phone number. Without a calling code, it is one of the account’s `country`; without a country, the number of a conversation.',
  )
const NAMED = z.strictObject({ number }).meta({ id: 'NamedPerson' })
const ERASURE = {
  reason: z
    .string('must be a text')
    .trim()
    .max(1_000, 'must have at most 1000 characters')
    .optional()
    .describe('Why the data is erased. It is kept. Required, unless `preview` is true.'),
  preview: z
    .boolean()
    .optional()
    .describe('True: counts the data and the waiting texts, and changes nothing.'),
}
const ERASE = z.strictObject(ERASURE).meta({ id: 'Erasure' })
const ERASE_NUMBER = z.strictObject({ number, ...ERASURE }).meta({ id: 'ErasureByNumber' })

export type PersonServices = Services & HasPersonalData
type PersonCaller = UserCaller<PersonServices>

/** An account or an admin. No answer is cached. */
const byAdmin: Permission<PersonCaller, PersonServices> = {
  ...allowRole<PersonServices>('admin'),
  withCaller(c, services, work) {
    c.header('cache-control', 'no-store')
    return allowRole<PersonServices>('admin').withCaller!(c, services, work)
  },
}

/** Adds a request, and for a member an entry of the audit log, in one transaction. */
const addPersonRequest = (
  { auth, store }: UserCaller,
  c: Ctx,
  kind: RequestKind,
  person: Person,
  reason = '',
) =>
  store.db.transaction(async (db) => {
    await acquireLock(db, LOCKS.personRequests, person.user)
    const known = kind === 'export' && (await findRecentExport(db, person))
    if (known) return known
    const request = await addRequest(db, kind, person, { sender: auth.sender, reason })
    const whose = person.number === '' ? 'the account' : 'a person'
    const entry = {
      action: `${kind} of ${whose}`,
      collection: 'person_requests',
      record: request.id,
    }
    await auditRequest(c, auth, entry, db)
    return request
  })

async function eraseOrPreview(
  caller: PersonCaller,
  c: Ctx,
  person: Person,
  given: z.output<typeof ERASE>,
) {
  if (given.preview) return countData(caller.store.db, person, caller.services.personalData.places)
  if (!given.reason) throw invalidRequest('reason is required')
  return addPersonRequest(caller, c, 'erasure', person, given.reason)
}

async function findPersonByContact({ user, store }: UserCaller, contact: string): Promise<Person> {
  const phone = await findContactNumber(store.db, user, contact)
  if (phone === undefined) throw notFound()
  return findPerson(store, user, phone)
}

async function findPersonByNumber({ user, store }: UserCaller, given: string): Promise<Person> {
  const phone =
    (await readNumber(store, user, given)) ?? (await findConversationNumber(store.db, user, given))
  if (phone === undefined) throw invalidRequest('number must be a phone number')
  return findPerson(store, user, phone)
}

const EXPORT = {
  summary: 'Export the data of a person',
  description:
    'Starts a background job and answers its request, a record of `person_requests`. Once its `state` is `done`, its `files` are a JSON file, a page that people can read, and copies of the files of texts; they are deleted after a day. An export that is under way, or not older than ten minutes, is answered again.',
  answer: ['The request.', PERSON_REQUEST],
} as const
const ERASED = {
  summary: 'Erase the data of a person',
  description:
    'Starts a background job and answers its request, a record of `person_requests`. The job cancels waiting texts and erases all data of the person. Hashes stay: those of entries of `consents`, and that of the number, so that the account sends the person no more texts. With `preview`, the answer counts the data, and nothing changes.',
  answer: ['The request; with `preview`, the counts.', z.union([PERSON_REQUEST, FOUND_DATA])],
} as const
const WHY = 'The person asked for it by mail.'

const OF_EXPORT: Bound = { cost: 'constant cost', by: 'keys; 20 open requests of an account' }
const OF_ERASURE: Bound = {
  cost: "with `preview`: the person's newest 10,000 texts each way, calls of hooks, campaigns, keys; else constant cost",
  by: 'turns; 10,000 rows of a place; 20 open requests of an account',
}

/**
 * `/api/contacts/{id}/data`, `/erase`, `/api/person`: data of one person. `/api/account/data`: data of the
 * whole account.
 */
export const PERSON_ROUTES = makeRoutes('person_requests', {
  'POST /api/account/data': {
    permission: byAdmin,
    bound: OF_EXPORT,
    describe: {
      id: 'exportAccount',
      ...EXPORT,
      summary: 'Export the data of the account',
      description:
        'As the export of a person, with the records of the account in each built-in collection, without hidden fields, the email address of the account and files of texts. An erasure of a person deletes the files.',
      fails: [401, 403, 429],
    },
    run: (caller, c) => addPersonRequest(caller, c, 'export', makeEveryPerson(caller.user)),
  },
  'GET /api/contacts/fields/:id/uses': {
    permission: allowRole<PersonServices>('viewer'),
    bound: {
      cost: 'contacts of the account; its templates and waiting campaigns',
      by: 'turns; 10,000 contacts with a value; 1,000 texts of each kind',
    },
    describe: {
      id: 'listContactFieldUses',
      summary: 'See where a field of contacts is used',
      description:
        'Count the contacts with a value of a record of `contact_fields`, and list the texts that have it as a variable: what a deletion of the field loses.',
      answer: ['The uses.', CONTACT_FIELD_USES],
      fails: [401, 403, 404],
    },
    run: ({ user, store }, _, id) => listFieldUses(store.db, user, id),
  },
  'GET /api/contacts/:id/data': {
    permission: byAdmin,
    bound: OF_EXPORT,
    describe: { id: 'exportContact', ...EXPORT, fails: [401, 403, 404, 429] },
    changes: true,
    run: async (caller, c, id) =>
      addPersonRequest(caller, c, 'export', await findPersonByContact(caller, id)),
  },
  'POST /api/contacts/:id/erase': {
    permission: byAdmin,
    maxBytes: MAX_BODY_BYTES,
    bound: OF_ERASURE,
    describe: {
      id: 'eraseContact',
      ...ERASED,
      fails: [400, 401, 403, 404, 413, 429],
      body: [ERASE, { reason: WHY }],
    },
    run: async (caller, c, id) => {
      const given = checkShape(ERASE, await readJsonBody(c))
      return eraseOrPreview(caller, c, await findPersonByContact(caller, id), given)
    },
  },
  'POST /api/person/data': {
    permission: byAdmin,
    maxBytes: MAX_BODY_BYTES,
    bound: OF_EXPORT,
    describe: {
      id: 'exportPerson',
      ...EXPORT,
      fails: [400, 401, 403, 413, 429],
      body: [NAMED, { number: '+4915112345678' }],
    },
    run: async (caller, c) => {
      const given = checkShape(NAMED, await readJsonBody(c))
      return addPersonRequest(caller, c, 'export', await findPersonByNumber(caller, given.number))
    },
  },
  'POST /api/person/erase': {
    permission: byAdmin,
    maxBytes: MAX_BODY_BYTES,
    bound: OF_ERASURE,
    describe: {
      id: 'erasePerson',
      ...ERASED,
      fails: [400, 401, 403, 413, 429],
      body: [ERASE_NUMBER, { number: '+4915112345678', reason: WHY }],
    },
    run: async (caller, c) => {
      const { number, ...given } = checkShape(ERASE_NUMBER, await readJsonBody(c))
      return eraseOrPreview(caller, c, await findPersonByNumber(caller, number), given)
    },
  },
})
