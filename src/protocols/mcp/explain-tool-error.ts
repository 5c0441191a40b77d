import { StaleAuth } from '../../engine/records/check-auth-version.ts'
import { ApiError, GatewayError } from '../../platform/api-errors.ts'
import { toAnswerableError } from '../../platform/db/database-errors.ts'
import type { McpServices } from './caller.ts'

/** The message of an error for the caller; a general one, with a log entry, for an internal error. */
export function explainToolError({ log }: McpServices, name: string, thrown: unknown): string {
  const error = toAnswerableError(thrown, 'list')
  if (error instanceof StaleAuth) return 'The account was changed meanwhile. Call again.'
  if (error instanceof GatewayError) return error.message
  if (error instanceof ApiError)
    return error.status < 500 ? error.message : `${error.message} Try again later.`
  log.error({ tool: name, err: error }, 'an MCP tool failed')
  return 'Something went wrong while processing the request.'
}
