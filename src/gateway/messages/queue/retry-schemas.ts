import { z } from 'zod'
import { COMMON } from '../send/send-body-schema.ts'

/** Kinds of failed messages that are resent only if the request names them. */
export const CHOICES = ['unknown', 'canceled'] as const
const LEFT_OUT = [...CHOICES, 'opted_out', 'no_consent', 'retried', 'no_text', 'refused'] as const
export type LeftOut = (typeof LEFT_OUT)[number]

/** The body of a request to send failed messages again. Every field is optional. */
export const RETRY_BATCH = z
  .strictObject({
    include: z
      .array(z.enum(CHOICES))
      .max(CHOICES.length)
      .optional()
      .describe(
        '`unknown`: the device went silent, so the text may have been sent, and some recipients may get it twice. `canceled`: canceled messages.',
      ),
  })
  .meta({ id: 'RetryBatch' })

/** The body of a request to send one failed message again. Every field is optional. */
export const RETRY_MESSAGE = z
  .strictObject({
    device_id: COMMON.device_id.describe('The only device that may send. Default: any.'),
  })
  .meta({ id: 'RetryMessage' })

export const RETRIED_BATCH = z
  .object({
    batch_id: z.string().describe('The batch_id of the new messages; empty if there are none.'),
    message_ids: z
      .array(z.string())
      .describe(
        'The new messages, in the order of the old ones. A repeated request returns the same messages, and those added since.',
      ),
    recipients_count: z.int().min(0),
    left_out: z
      .record(z.enum(LEFT_OUT), z.int().min(0))
      .describe(
        'Failed messages that were not sent again: of unknown outcome, canceled, opted out, without proof of consent, sent again one by one before, without a text or its files any more, or refused now (quota, devices, destinations).',
      ),
  })
  .meta({ id: 'RetriedBatch' })

export const makeNoneLeftOut = () =>
  Object.fromEntries(LEFT_OUT.map((why) => [why, 0])) as Record<LeftOut, number>
