import { z } from 'zod'
import { readUsage } from '../../gateway/base/quota.ts'
import { isRefusal } from '../../gateway/base/refusals.ts'
import { checkShape } from '../../gateway/base/schemas.ts'
import { sendFrom } from '../../gateway/messages/routes.ts'
import { SEND, TEMPLATE_SEND } from '../../gateway/messages/send/body-schema.ts'
import { requireSender } from '../../gateway/messages/sender.ts'
import type { DoorCall } from '../door.ts'
import { quotaExceeded } from './errors.ts'

const { recipients, group_ids, device_id, body } = SEND.shape
const { template_id, variables } = TEMPLATE_SEND.shape
const WHOM = { recipients, group_ids, device_id }
export const TEXT = z.object({ ...WHOM, body }).meta({ id: 'VendelSend' })
export const TEMPLATE = z.object({ ...WHOM, template_id, variables }).meta({ id: 'VendelTemplateSend' })

/** Handles a send. Ignores fields that Vendel's API lacks. */
export const sending =
  (schema: typeof SEND | typeof TEMPLATE_SEND, known: z.ZodType) =>
  ({ c, services }: DoorCall): Promise<Response> =>
    sendFrom(services, schema, (json) => checkShape(known, json))(c).catch(async (error: unknown) => {
      if (!isRefusal(error, 'quota_exceeded')) throw error
      const { user, store } = await requireSender(c, services, 'send')
      throw quotaExceeded(await readUsage(store, user, services.config, new Date()))
    })
