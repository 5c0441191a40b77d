import { z } from 'zod'
import type { REFRESH_SCOPE, TokenScope } from '../../engine/request/scopes.ts'
import type { Permission } from '../../http/allow-callers.ts'
import type { AttemptFlags } from '../../http/attempt.ts'
import { asCaller } from '../../http/attempt.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import type { RouteBound } from '../../http/bounds.ts'
import type { Ctx } from '../../http/request-context.ts'
import { type Description, describeRoute } from '../describe-route.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { BY_CLIENT_LOGIN, type ClientCaller, requireClient } from './credentials.ts'

export const TAG = 'smsgate clients'

export interface Call extends ClientCaller {
  readonly c: Ctx
  readonly services: GatewayServices
  /** The `:id` in the path; '' if there is none. */
  readonly id: string
  /** The body, if the route describes one. */
  readonly json: unknown
  readonly attempt: AttemptFlags
}

/** Ten times the bytes of a long text to 100 numbers. */
const MAX_BODY_BYTES = 1 << 20

/** The scope that a caller's key or token must grant; '' for none. */
type AskedScope = TokenScope | typeof REFRESH_SCOPE | ''

const allowScope = (scope: AskedScope, hasBody: boolean): Permission<Call, GatewayServices> => ({
  scopes: scope === '' ? [] : [scope],
  security: 'smsgate',
  credentials: BY_CLIENT_LOGIN,
  withCaller: (c, services, work) =>
    // the SQL of a send compares the version
    asCaller(c, services, scope === 'messages:send' ? 'write' : 'checked', async (attempt) => {
      const caller = requireClient(attempt, scope)
      const json = hasBody ? await readJsonBody(c, JSON.parse) : undefined
      return work({ ...caller, c, services, id: c.req.param('id') ?? '', json, attempt })
    }),
})

export const ERROR = z.object({ message: z.string() }).meta({ id: 'SmsgateError' })

/** A row of SMSGate's API for client programs. */
export const defineRoute = (
  scope: AskedScope,
  summary: string,
  bound: RouteBound,
  run: (call: Call) => Promise<unknown>,
  more: Omit<Description, 'summary'> = {},
  maxBytes = MAX_BODY_BYTES,
) => ({
  permission: allowScope(scope, more.body !== undefined),
  bound,
  ...(more.body && { maxBytes }),
  ...describeRoute({
    error: ERROR,
    summary,
    ...more,
    description: `${summary}. Asks for ${scope ? `the scope \`${scope}\`` : 'no scope'}.`,
  }),
  run,
})
