import { z } from 'zod'
import type { REFRESH_SCOPE, Scope } from '../../engine/request/scopes.ts'
import type { Ctx } from '../../http/context.ts'
import { chapter, type Operation } from '../../http/openapi/operations.ts'
import { NOBODY, SMSGATE_CLIENT } from '../../http/openapi/security.ts'
import { json } from '../../http/openapi/success-answers.ts'
import type { Attempt } from '../../http/retry.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { describeRoutes, failuresOf, type TableRoute } from '../route-table.ts'
import { CLIENT_PATH } from './canonical-path.ts'
import type { ClientCaller } from './credentials.ts'

export interface Call extends ClientCaller {
  readonly c: Ctx
  readonly services: GatewayServices
  /** The `{id}` in the path; '' if there is none. */
  readonly id: string
  readonly json: unknown
  readonly attempt: Attempt
}

export interface Route extends TableRoute<Call> {
  readonly scope: Scope | typeof REFRESH_SCOPE
}

const ERROR = z.object({ message: z.string() }).meta({ id: 'SmsgateError' })

export const route = (
  at: string,
  scope: Route['scope'],
  summary: string,
  work: Route['work'],
  more: Omit<Partial<Route>, 'at' | 'scope' | 'summary' | 'work'> = {},
): Route => ({
  at,
  scope,
  summary,
  work,
  error: ERROR,
  ...more,
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
