import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { ENABLE_USER, USER_ACCESS } from '../../sms/user-access.ts'
import { answers, failures, json, success } from '../schemas/answers.ts'
import { SIGNED_IN } from '../schemas/security.ts'

const ID = z.object({ id: z.string().meta({ description: 'Of the user.' }) })

/** `/api/users`: what acts for a user without a sign-in. */
export const userPaths = (): ZodOpenApiPathsObject => ({
  '/api/users/{id}/access': {
    get: {
      operationId: 'readUserAccess',
      tags: ['users'],
      summary: 'List what acts for a user',
      description:
        'For superusers: API keys, devices, enabled webhooks and automatic answers, campaigns that are not over, and how many messages wait.',
      security: SIGNED_IN,
      requestParams: { path: ID },
      responses: answers(success('The lists.', USER_ACCESS), failures(401, 404)),
    },
  },
  '/api/users/{id}/enable': {
    post: {
      operationId: 'enableUser',
      tags: ['users'],
      summary: 'Enable a disabled user',
      description: 'For superusers: ends what acts for the user, or keeps all of it, in one transaction.',
      security: SIGNED_IN,
      requestParams: { path: ID },
      requestBody: { required: true, content: json(ENABLE_USER) },
      responses: answers(
        success('What there was: it has ended, or goes on.', USER_ACCESS),
        failures(400, 401, 404, 413),
      ),
    },
  },
})
