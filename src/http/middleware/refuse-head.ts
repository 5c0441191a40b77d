import type { MiddlewareHandler } from 'hono'
import { ApiError } from '../../platform/api-errors.ts'
import type { Env } from '../request-context.ts'

/** Hono would run a GET that changes something for a HEAD: a link scanner or monitor would send a text. */
export const refuseHead: MiddlewareHandler<Env> = async (c, next) => {
  if (c.req.method !== 'HEAD') return next()
  c.header('allow', 'GET')
  throw new ApiError(405, 'HEAD is not allowed here: use GET.')
}
