import { describeBy } from '../../http/openapi/refusals.ts'
import { REFUSALS } from './refusals.ts'

/** Describes refusals of the gateway's own routes for OpenAPI. */
export const describeRefusals = describeBy(REFUSALS)
