import { z } from 'zod'
import type { REFRESH_SCOPE, Scope } from '../../auth/tokens/scopes.ts'
import type { Ctx, Services } from '../../http/context.ts'
import type { Attempt } from '../../http/retry.ts'
import { json, NOBODY, type Operation, SMSGATE_CLIENT } from '../../openapi/schemas/operations.ts'
import { describeRoutes, failuresOf, type TableRoute } from '../route-table.ts'
import type { ClientCaller } from './credentials.ts'
import { CLIENT_PATH } from './path.ts'

export interface Call extends ClientCaller {
  readonly c: Ctx
  readonly services: Services
  readonly user: string
  readonly json: unknown
  readonly attempt: Attempt
}

export interface Route extends TableRoute<Call> {
  readonly scope: Scope | typeof REFRESH_SCOPE
  /** The caller may be taken from the cache at first. */
  readonly startsCached?: boolean
}

const TAG = 'smsgate clients'
export const SMSGATE_CLIENT_TAGS = [
  {
    name: TAG,
    description:
      'For programs written for SMSGate\'s server. The same routes are at `/3rdparty/v1`; `message` and `device` stand for `messages` and `devices`, `inbox/export` for `messages/inbox/export`. Errors are `{"message"}`.',
  },
]

const ERROR = z.object({ message: z.string() }).meta({ id: 'SmsgateError' })

const FAILURES = failuresOf(ERROR)

const health = (id: string): Operation => ({
  id,
  summary: 'Whether the server works',
  description: 'Whether the server works. Needs no credentials.',
  security: NOBODY,
  answer: ['It works.', z.unknown()],
  fails: FAILURES,
  responses: { 503: { description: 'It does not.', content: json(z.unknown()) } },
})

/** SMSGate's client API. Its routes have a second prefix, `/3rdparty/v1`, and `message` for `messages`. */
export const describeClientRoutes = (routes: readonly Route[]) =>
  describeRoutes(
    [TAG, SMSGATE_CLIENT],
    CLIENT_PATH,
    routes,
    FAILURES,
    ({ summary, scope }) => `${summary}. Asks for the scope \`${scope}\`.`,
    {
      [`GET ${CLIENT_PATH}/health`]: health('smsgateHealth'),
      [`GET ${CLIENT_PATH}/health/{probe}`]: health('smsgateProbe'),
    },
  )
