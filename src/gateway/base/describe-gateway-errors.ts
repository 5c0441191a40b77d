import { z } from 'zod'
import { HINT } from '../../http/openapi/failures.ts'
import { makeErrorDescriber } from '../../http/openapi/gateway-error-answers.ts'
import { REFUSALS } from './gateway-errors.ts'

export const describeRefusals = makeErrorDescriber(REFUSALS, {
  examples: {
    invalid_template: 'Missing variable: code.',
    too_many_recipients: 'At most 1000 recipients per request',
  },
  extras: {
    invalid_phone_number: { hint: HINT },
    no_devices: { hint: HINT },
    owned_by_campaign: {
      campaign: z.string().optional().describe('With `owned_by_campaign`: the id of the campaign.'),
    },
  },
})
