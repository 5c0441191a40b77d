import { z } from 'zod'

const FIELD_ERROR = z
  .object({
    code: z.string().describe('For programs, such as `validation_required`.'),
    message: z.string(),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'FieldError' })

/** Errors by field; those of a list or of an object inside are nested, by index or key. */
const FIELD_ERRORS: z.ZodType = z
  .lazy(() => z.record(z.string(), z.union([FIELD_ERROR, FIELD_ERRORS])))
  .meta({ id: 'FieldErrors', description: 'What is wrong, by field. Empty when no field is to blame.' })

/** Every failure of the record API. */
export const API_ERROR = z
  .object({ data: FIELD_ERRORS, message: z.string(), status: z.int() })
  .meta({ id: 'Error', description: "PocketBase's form of an error." })

export const BATCH_ERROR = z
  .object({
    data: z.object({
      requests: z.record(
        z.string(),
        z.object({ code: z.string(), message: z.string(), response: API_ERROR }),
      ),
    }),
    message: z.string(),
    status: z.literal(400),
  })
  .meta({ id: 'BatchError' })

/** The error for a guest where sign-in is required. */
export const GUEST_ERROR = z
  .object({
    error: z.literal('unauthorized'),
    message: z.literal('Authentication required'),
    status: z.literal(401),
    data: z.object({}),
  })
  .meta({ id: 'GuestError' })

/** The first of two sign-in methods succeeded; the second is needed. */
export const MFA_NEEDED = z
  .object({ mfaId: z.string().describe('Send it with the second method, as `mfaId`.') })
  .meta({ id: 'MfaNeeded' })
