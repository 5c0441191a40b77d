import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { ENABLE_USER, USER_ACCESS } from '../../sms/user-access.ts'
import { failures, success } from '../schemas/answers.ts'
import { chapter } from '../schemas/operations.ts'
import { SIGNED_IN } from '../schemas/security.ts'

const ID = z.object({ id: z.string().describe('Of the user.') })

/** `/api/users`: what acts for a user without a sign-in. */
export const userPaths = (): ZodOpenApiPathsObject =>
  chapter('users', SIGNED_IN, {
    'GET /api/users/{id}/access': {
      id: 'readUserAccess',
      summary: 'List what acts for a user',
      description:
        'For superusers: API keys, devices, enabled webhooks and automatic answers, campaigns that are not over, and how many messages wait.',
      params: { path: ID },
      responses: [success('The lists.', USER_ACCESS), failures(401, 404)],
    },
    'POST /api/users/{id}/enable': {
      id: 'enableUser',
      summary: 'Enable a disabled user',
      description: 'For superusers: ends what acts for the user, or keeps all of it, in one transaction.',
      params: { path: ID },
      body: [ENABLE_USER],
      responses: [
        success('What there was: it has ended, or goes on.', USER_ACCESS),
        failures(400, 401, 404, 413),
      ],
    },
  })
