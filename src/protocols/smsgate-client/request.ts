import { z } from 'zod'
import { readBool } from '../../fields/cast.ts'
import { dateOf, parseDate } from '../../fields/date.ts'
import type { Ctx, Services } from '../../http/context.ts'
import { queryOf } from '../../http/query.ts'
import type { Attempt } from '../../http/retry.ts'
import { json } from '../../openapi/content.ts'
import { chapter, type Operation } from '../../openapi/operations.ts'
import { NOBODY, SMSGATE_CLIENT } from '../../openapi/security.ts'
import type { REFRESH_SCOPE, Scope } from '../../request/scopes.ts'
import { invalid } from '../../sms/send/refusals.ts'
import { checkShape, id } from '../../sms/send/schemas.ts'
import { describeRoutes, failuresOf, type TableRoute } from '../route-table.ts'
import type { ClientCaller } from './credentials.ts'

export const unknownDevice = () => invalid('deviceId is not one of your devices')

/** SMSGate's ids of devices have 21 characters, ours 15. */
export const MAX_DEVICE_ID = 21

const NO_DATE = 'must be a date, for example 2026-11-20T07:00:00Z'

/** Schema of a date and time in RFC 3339, converted to PocketBase's stored form. */
export const rfc3339 = () =>
  z.iso
    .datetime({ offset: true, error: NO_DATE, abort: true })
    .transform((raw) => parseDate(raw))
    .refine((at) => at !== '', NO_DATE)
    .describe('An instant of RFC 3339, as `2026-11-20T07:00:00Z`.')

/** Reads the query. An empty parameter counts as left out, unknown ones are ignored. Throws 400. */
export const queryIn = <T extends z.ZodType>(c: Ctx, schema: T) =>
  checkShape(schema, Object.fromEntries(Object.entries(queryOf(c)).filter(([, value]) => value !== '')))

/** A date and time in a query; '' if absent. A space is read as an unescaped `+`. */
export const dateIn = z
  .string()
  .transform((raw) => raw.replace(' ', '+'))
  .pipe(rfc3339())
  .default('')

export const deviceIn = id(MAX_DEVICE_ID).default('')

export const numberIn = z
  .string()
  .regex(/^-?\d{1,15}$/, { error: 'must be a whole number', abort: true })
  .transform(Number)

export const flagIn = z
  .string()
  .refine((raw) => readBool(raw) !== undefined, { error: 'must be true or false', abort: true })
  .transform((raw) => readBool(raw)!)
  .default(false)

export interface Call extends ClientCaller {
  readonly c: Ctx
  readonly services: Services
  /** The `{id}` in the path; '' if there is none. */
  readonly id: string
  readonly json: unknown
  readonly attempt: Attempt
}

export interface Route extends TableRoute<Call> {
  readonly scope: Scope | typeof REFRESH_SCOPE
  /** The first attempt may use a cached caller. `work` is repeated if the cache was out of date. */
  readonly startsCached?: boolean
}

const ERROR = z.object({ message: z.string() }).meta({ id: 'SmsgateError' })

export const route = (
  at: string,
  scope: Route['scope'],
  summary: string,
  work: Route['work'],
  more: Omit<Partial<Route>, 'at' | 'scope' | 'summary' | 'work'> = {},
): Route => ({
  ...{ at, scope, summary, work, error: ERROR, ...more },
  description: `${summary}. Asks for the scope \`${scope}\`.`,
})

const TAG = 'smsgate clients'
export const SMSGATE_CLIENT_TAGS = [
  {
    name: TAG,
    description:
      'For programs written for SMSGate\'s server. The same routes are at `/3rdparty/v1`; `message` and `device` stand for `messages` and `devices`, `inbox/export` for `messages/inbox/export`. Errors are `{"message"}`.',
  },
]

const health = (id: string): Operation => ({
  id,
  summary: 'Whether the server works',
  description: 'Whether the server works. Needs no credentials.',
  security: NOBODY,
  answer: ['It works.', z.unknown()],
  fails: failuresOf(ERROR),
  responses: { 503: { description: 'It does not.', content: json(z.unknown()) } },
})

/** OpenAPI with one spelling of each path; `canonicalPath` has the others. */
export const describeClientRoutes = (routes: readonly Route[]) => ({
  ...describeRoutes(TAG, SMSGATE_CLIENT, CLIENT_PATH, routes),
  ...chapter(TAG, SMSGATE_CLIENT, {
    [`GET ${CLIENT_PATH}/health`]: health('smsgateHealth'),
    [`GET ${CLIENT_PATH}/health/{probe}`]: health('smsgateProbe'),
  }),
})

export const CLIENT_PATH = '/api/3rdparty/v1'

const PREFIX = /^(?:\/api)?\/3rdparty\/v1(?=\/|$)/
const SINGULAR = /^\/(message|device)(?=\/|$)/
/** Published clients use this path for the export; SMSGate's server has it below `/messages`. */
const EXPORT = /^\/inbox\/export$/

/** The path of the route for a request. Replaces SMSGate's other prefix and spellings. */
export function canonicalPath(path: string): string {
  const prefix = PREFIX.exec(path)?.[0]
  if (prefix === undefined) return path
  const rest = path.slice(prefix.length).replace(/\/$/, '')
  return CLIENT_PATH + rest.replace(SINGULAR, '/$1s').replace(EXPORT, '/messages/inbox/export')
}

/** The API's prefix as a request's path spells it, for URLs in the answer. */
export const prefixOf = (path: string): string => PREFIX.exec(path)?.[0] ?? CLIENT_PATH

/** A stored date as SMSGate's clients read it: `2026-11-20T07:00:00.000Z`. */
export const isoDate = (stored: string): string => dateOf(stored)?.toISOString() ?? ''
