import { z } from 'zod'
import { readBasic } from '../../engine/auth/basic-credentials.ts'
import { readHeaderToken } from '../../engine/auth/tokens.ts'
import {
  allowEverybody,
  allowRole,
  type HasServices,
  type Permission,
} from '../../http/allow-callers.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import type { Bound } from '../../http/bounds.ts'
import { BY_NOTHING } from '../../http/identify-caller.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import type { Operation } from '../../http/openapi/describe-operations.ts'
import { listFailureAnswers } from '../../http/openapi/failures.ts'
import type { Security } from '../../http/openapi/security.ts'
import type { Ctx, Services } from '../../http/request-context.ts'
import { ApiError, notFound, tryLater } from '../../platform/api-errors.ts'
import type { Logger } from '../../platform/log.ts'
import { sendOutgoing } from '../../platform/outgoing/send-request.ts'
import { isObject } from '../../platform/tools/json.ts'
import { toLoggableKey, toLoggableMessage } from '../../platform/tools/loggable-texts.ts'
import { checkShape } from '../base/body-schemas.ts'
import { findChallenge } from './answer-challenge.ts'
import type { PostedBody } from './check-signature.ts'
import { findHookAccount } from './find-hook.ts'
import { HOOK_CALLED, handleHookCall } from './handle-hook-call.ts'
import { HOOK_SETTINGS } from './hook-settings.ts'
import { HOOK_PREVIEW, previewHook } from './preview-hook.ts'
import { readHookBody } from './read-hook-body.ts'
import { MAX_HOOK_BYTES, readPostedBody } from './read-posted-body.ts'

const MAX_PREVIEW = 256 << 10

const PREVIEW = z
  .object({
    hook: HOOK_SETTINGS.describe('Fields of a hook, saved or not.'),
    body: z.string().max(MAX_PREVIEW).describe('As it would come: JSON, or plain text.'),
  })
  .meta({ id: 'HookPreviewBody' })

/** Returns the challenge of a service that checks the address. Throws 405 for other requests. */
async function answerChallenge(c: Ctx, { store }: Services, secret: string): Promise<Response> {
  const challenge = findChallenge(c.req.query())
  if (challenge && (await findHookAccount(store.signIn, secret, c.env.incoming.ip)) !== undefined)
    return c.text(challenge)
  c.header('allow', 'POST')
  throw new ApiError(405, 'A hook accepts POST only: choose POST in the tool that calls it.')
}

/** A caller with the secret of a hook. An unknown secret costs one SQL statement. Throws 404. */
const allowHookSecret = (
  security: Security,
  readSecret: (c: Ctx) => string,
): Permission<HookCaller> => ({
  security,
  credentials: BY_NOTHING,
  async withCaller(c, services, work) {
    const secret = readSecret(c)
    const user = await findHookAccount(services.store.signIn, secret, c.env.incoming.ip)
    if (user === undefined) throw notFound()
    return work({ user, secret, services })
  },
})

interface HookCaller extends HasServices {
  readonly user: string
  readonly secret: string
}

const readSecretInPath = (c: Ctx) => c.req.param('secret') ?? ''
/** The secret as the token, or as the password of Basic credentials with any user name. */
function readSecretInHeader(c: Ctx): string {
  const authorization = c.req.header('authorization')
  return readBasic(authorization)?.password ?? readHeaderToken(authorization)
}

/** Answers a call of a hook. An account's calls run one by one. */
async function receiveHookCall({ user, secret, services }: HookCaller, c: Ctx): Promise<Response> {
  const { store, config, log } = services
  const challenge = findChallenge(c.req.query())
  const posted = await readPostedBody(c)
  if (challenge && posted.raw === '') return c.text(challenge)
  const called = handleHookCall(store.forUser(user), config, user, secret, posted)
  const { handshake, ...answer } = await called.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 400) logUnread(log, user, posted, error)
    throw error
  })
  if (handshake?.confirm) await confirmSubscription(handshake.confirm)
  if (typeof handshake?.answer === 'string') return c.text(handshake.answer)
  return c.json(handshake?.answer ?? answer)
}

/** Logs an event that the hook's template cannot read: the names of its values, never the values. */
function logUnread(
  log: Logger,
  user: string,
  { raw, form }: PostedBody,
  { message }: ApiError,
): void {
  const body = readHookBody(raw, form)
  const keys = isObject(body) ? Object.keys(body).slice(0, 20) : []
  log.warn(
    { user, keys: keys.map(toLoggableKey), reason: toLoggableMessage(message) },
    'a hook refused a body',
  )
}

/** Requests an address of AWS, after the call was stored. Throws 503, after which AWS asks again. */
async function confirmSubscription(url: string): Promise<void> {
  const request = { url, method: 'GET', headers: {}, body: undefined }
  const status = await sendOutgoing(request, { allowPrivate: false }).then(
    (answer) => answer.status,
    () => 0,
  )
  if (status !== 200) throw tryLater(60, 'AWS did not confirm the subscription.')
}

/** Hooks answer 503 instead of 429: see `sendHookError`. */
const { '429': _, ...PREVIEW_FAILS } = listFailureAnswers(400, 401, 413)

const CHALLENGE = z.object({ challenge: z.string() })
const VALIDATION = z.object({ validationResponse: z.string() })

const CALL: Omit<Operation, 'id'> = {
  requestBody: {
    required: true,
    description:
      'JSON, the fields of a form, or plain text, in the charset that its type declares, else UTF-8. Above 2 MiB the recipients of an alarm get a text that it was too large to read.',
    content: { 'application/json': {}, 'application/x-www-form-urlencoded': {} },
  },
  responses: {
    200: {
      description: 'What became of it; or the answer to a service that checks the address.',
      content: {
        'application/json': { schema: z.union([HOOK_CALLED, CHALLENGE, VALIDATION]) },
        'text/plain': { schema: z.string() },
      },
    },
  },
  fails: [400, 401, 404, 413],
}

const OF_CALL: Bound = {
  cost: 'the rows and files of a send',
  by: 'the bounds of a send; three files; places of heavy work. A wrong secret costs one lookup',
}

/** `/api/hooks`: sends texts made from the bodies that other tools post. */
export const HOOK_ROUTES = makeRoutes('hooks', {
  'POST /api/hooks/preview': {
    permission: allowRole('admin'),
    maxBytes: 4 * MAX_PREVIEW,
    bound: { cost: 'the rows of a send', by: 'the bounds of a send' },
    heavy: true,
    describe: {
      id: 'previewHook',
      summary: 'Preview the texts of a hook',
      description: 'Nothing is sent or stored.',
      body: [
        PREVIEW,
        { hook: { preset: 'text', recipients: ['+4915112345678'] }, body: 'The backup failed.' },
      ],
      answer: ['The texts, or why there are none.', HOOK_PREVIEW],
      fails: PREVIEW_FAILS,
    },
    run: async ({ user, store, services }, c) => {
      const { hook, body } = checkShape(PREVIEW, await readJsonBody(c))
      return previewHook(store, services.config, user, hook, body)
    },
  },
  'POST /api/hooks/:secret': {
    permission: allowHookSecret('none', readSecretInPath),
    maxBytes: MAX_HOOK_BYTES,
    bound: OF_CALL,
    describe: {
      id: 'callHook',
      summary: 'Send texts from a body',
      description:
        'The record of `hooks` with this secret defines texts and recipients. A value that the body lacks is a 400 that names it. 429: a hook of kind `codes` has reached its rate. 503: the server is busy, or no phone can send a code now.',
      ...CALL,
    },
    run: receiveHookCall,
  },
  'POST /api/hooks': {
    permission: allowHookSecret('hook', readSecretInHeader),
    maxBytes: MAX_HOOK_BYTES,
    bound: OF_CALL,
    describe: {
      id: 'callHookByHeader',
      summary: 'Send texts from a body, with the secret in a header',
      ...CALL,
    },
    run: receiveHookCall,
  },
  'GET /api/hooks/:secret': {
    permission: allowEverybody(),
    bound: 'keys',
    describe: null,
    run: ({ services }, c) => answerChallenge(c, services, readSecretInPath(c)),
  },
  'GET /api/hooks': {
    permission: allowEverybody(),
    bound: 'keys',
    describe: null,
    run: ({ services }, c) => answerChallenge(c, services, readSecretInHeader(c)),
  },
})
