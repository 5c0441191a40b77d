import type { Ctx, ErrorForm } from '../../http/request-context.ts'
import { sendRaw } from '../../http/send-answer.ts'
import { ApiError, GatewayError } from '../../platform/api-errors.ts'

const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** `scimType` of RFC 7644, section 3.12. */
type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness'

/** An error whose sentence the directory's administrators read in its log. */
export const scimRefusal = (status: number, message: string, scimType?: ScimType) =>
  new GatewayError(status, { error: scimType ?? 'refused', message, ...(scimType && { scimType }) })

export const invalidValue = (message: string) => scimRefusal(400, message, 'invalidValue')

export const unknownResource = (kind: string, id: string) =>
  scimRefusal(404, `There is no ${kind} ${id}`)

export const SCIM_TYPE = 'application/scim+json'

export function sendScim(c: Ctx, json: string, status: number): Response {
  const response = sendRaw(c, json, status as Parameters<typeof sendRaw>[2])
  response.headers.set('content-type', SCIM_TYPE)
  return response
}

/** Answers with the error of RFC 7644, section 3.12. Names the first wrong field of a record. */
export const sendScimError: ErrorForm = (c, error) => {
  const scimType = error instanceof GatewayError ? error.body.scimType : undefined
  const body = {
    schemas: [ERROR_SCHEMA],
    status: String(error.status),
    ...(scimType !== undefined && { scimType }),
    detail: error.message + describeField(error),
  }
  return sendScim(c, JSON.stringify(body), error.status)
}

function describeField(error: ApiError | GatewayError): string {
  const [name, fault] = error instanceof ApiError ? (Object.entries(error.data)[0] ?? []) : []
  return name && fault ? ` ${name}: ${String(fault.message)}` : ''
}
