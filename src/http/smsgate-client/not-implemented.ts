import { GatewayError } from '../../errors.ts'

/** 501 for a route that has no counterpart here. `message` says what to do instead. */
export const notImplemented = (message: string) => new GatewayError(501, { message })
