import { z } from 'zod'
import { MAX_SIMS } from '../../portable/max-sims.ts'
import { makeRequiredIdSchema, makeWholeNumber } from '../base/body-schemas.ts'
import { makeOptionalField } from '../lines/device-schemas.ts'
import { cut, takeFirstItems } from './lenient-schemas.ts'

/** A list with the SIM in the stored form; empty for a SIM without a slot (Android says -1). */
const simCard = z
  .object({
    simNumber: z.unknown(),
    phoneNumber: makeOptionalField(cut(50)),
    carrierName: makeOptionalField(cut(100)),
  })
  .transform(({ simNumber, phoneNumber, carrierName }) => {
    const slot = simSlot.safeParse(simNumber).data
    return slot
      ? [
          {
            slot,
            ...(phoneNumber && { number: phoneNumber }),
            ...(carrierName && { carrier: carrierName }),
          },
        ]
      : []
  })
const simSlot = makeWholeNumber(1, MAX_SIMS)

/** The SIMs of a phone; the app masks numbers and names. SIMs without a slot are left out, not refused. */
export const simCards = takeFirstItems(simCard).transform((list) => list.flat().slice(0, MAX_SIMS))

export const REGISTER_BODY = z.object({
  name: makeOptionalField(cut(255)),
  simCards: makeOptionalField(simCards),
})

export const UPDATE_BODY = z.object({
  id: makeRequiredIdSchema(100),
  simCards: makeOptionalField(simCards),
})
export const STARTED_PAYLOAD = z.object({ simCards: makeOptionalField(simCards) })
