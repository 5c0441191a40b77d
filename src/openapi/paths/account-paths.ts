import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { SESSION } from '../../auth/sessions/sessions.ts'
import { answers, failures, success } from '../schemas/answers.ts'
import { NOBODY, SIGNED_IN } from '../schemas/security.ts'

/** The chapter of the description. */
export const ACCOUNT = 'account'

const SETUP = z
  .object({
    has_superuser: z.boolean().meta({ description: 'False until the first superuser is made.' }),
    sends_mail: z
      .boolean()
      .meta({ description: 'False while no mail server is set: then mails go to the log.' }),
  })
  .meta({ id: 'Setup' })

/** `/api/account` and `/api/setup`: what an account asks about itself, and a page before the sign-in. */
export const accountPaths = (): ZodOpenApiPathsObject => ({
  '/api/account/sessions': {
    get: {
      operationId: 'listSessions',
      tags: [ACCOUNT],
      summary: 'List where the account is signed in',
      description:
        'List where the account that asks is signed in: its 50 latest sign-ins, the last used first. Tokens name no session, so that none can be ended alone.',
      security: SIGNED_IN,
      responses: answers(
        success('The sessions.', z.object({ items: z.array(SESSION) }).meta({ id: 'Sessions' })),
        failures(401),
      ),
    },
  },
  '/api/account/end-other-sessions': {
    post: {
      operationId: 'endOtherSessions',
      tags: [ACCOUNT],
      summary: 'Sign out everywhere else',
      description:
        'End all tokens of the account that asks, impersonations and links of mails included. The answer has a token to go on with.',
      security: SIGNED_IN,
      responses: answers(
        success(
          'The account and its new token.',
          z.object({ record: z.record(z.string(), z.unknown()), token: z.string() }).meta({ id: 'Renewed' }),
        ),
        failures(400, 401, 403),
      ),
    },
  },
  '/api/setup': {
    get: {
      operationId: 'readSetup',
      tags: [ACCOUNT],
      summary: 'Read what a sign-in page has to know',
      security: NOBODY,
      responses: answers(success('How far the server is set up.', SETUP), failures()),
    },
  },
})
