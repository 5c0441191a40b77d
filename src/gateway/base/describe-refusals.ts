import { describeBy } from '../../openapi/refusals.ts'
import { REFUSALS } from '../../sms/send/refusals.ts'

/** Describes refusals of the gateway's own routes for OpenAPI. */
export const describeRefusals = describeBy(REFUSALS)
