import type { MiddlewareHandler } from 'hono'
import { ApiError } from '../../platform/api-errors.ts'
import type { Env } from '../request-context.ts'

/**
 * Refuses HEAD. Use it for routes whose GET changes something: Hono would run that GET, and a program that
 * only looks (a link scanner, a monitor) would send a text.
 */
export const refuseHead: MiddlewareHandler<Env> = async (c, next) => {
  if (c.req.method !== 'HEAD') return next()
  c.header('allow', 'GET')
  throw new ApiError(405, 'HEAD is not allowed here: use GET.')
}
