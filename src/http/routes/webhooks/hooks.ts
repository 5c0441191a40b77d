import { Hono } from 'hono'
import { z } from 'zod'
import { admission } from '../../../admission/admission.ts'
import { tokenOf } from '../../../auth/tokens.ts'
import { userHolder } from '../../../collections/catalog.ts'
import { ApiError, notFound } from '../../../errors.ts'
import { callHook, HOOK_CALLED, HOOK_PREVIEW, previewHook } from '../../../hooks/call.ts'
import { JSON_FIELDS } from '../../../hooks/compose.ts'
import { HOOK_FIELDS, hookAccount } from '../../../hooks/hook.ts'
import { chapter, failures, HOOK, NOBODY, type Operation, SIGNED_IN } from '../../../openapi/operations.ts'
import { checkShape } from '../../../sms/send/shape.ts'
import { readMultipart } from '../../body/multipart.ts'
import { readBytes, readJson } from '../../body/raw-body.ts'
import type { Ctx, Env, Services } from '../../context.ts'
import { requireUser } from '../../middleware/audit.ts'
import { memoryOf } from '../../server/store-of.ts'

const MAX_BYTES = 256 << 10
const PREVIEW = z
  .object({
    hook: HOOK_FIELDS.describe('Fields of a hook, saved or not.'),
    body: z.string().max(MAX_BYTES).describe('As it would come: JSON, or plain text.'),
  })
  .meta({ id: 'HookPreviewBody' })

/** `/api/hooks`: texts from bodies that other tools post. */
export const hookRoutes = (services: Services): Hono<Env> =>
  new Hono<Env>()
    .post('/preview', async (c) => {
      const { user, store } = await requireUser(c, services)
      const { hook, body } = checkShape(PREVIEW, await readJson(c, 4 * MAX_BYTES))
      const preview = () => previewHook(store, services.config, user, hook, body)
      return c.json(await admission.heavyWork.run(userHolder(user), preview))
    })
    .post('/:secret', (c) => call(c, services, c.req.param('secret')))
    .post('/', (c) => call(c, services, tokenOf(c.req.header('authorization'))))
    .get('/:secret', refuseGet)
    .get('/', refuseGet)

function refuseGet(c: Ctx): never {
  c.header('allow', 'POST')
  throw new ApiError(405, 'A hook takes POST: choose POST as the method of the tool that calls it.')
}

/** Runs a hook's call. An unknown secret costs one statement. An account's calls run one at a time. */
async function call(c: Ctx, { store, config }: Services, secret: string): Promise<Response> {
  const user = await hookAccount(store.signIn, secret)
  if (user === undefined) throw notFound()
  const type = c.req.header('content-type') ?? ''
  const isMultipart = type.startsWith('multipart/form-data')
  const bytes = () => readBytes(c.env.incoming, MAX_BYTES, () => memoryOf(c))
  const raw = isMultipart ? await readParts(c) : (await bytes()).toString('utf8')
  const isForm = type.startsWith('application/x-www-form-urlencoded')
  const posted = { raw, isForm, headers: c.req.header() }
  const work = () => callHook(store.forUser(user), config, secret, posted)
  return c.json(await admission.heavyWork.run(userHolder(user), work))
}

async function readParts(c: Ctx): Promise<string> {
  const { pairs, release } = await readMultipart(c.env.incoming, MAX_BYTES, memoryOf(c))
  await release()
  const fields = Object.fromEntries(pairs)
  return JSON_FIELDS.map((name) => fields[name]).find((text) => text !== undefined) ?? JSON.stringify(fields)
}

/** Hooks answer 503 instead of 429: see `hookForm`. */
const { '429': _, ...PREVIEW_FAILS } = failures(400, 401, 413)

const CALL: Omit<Operation, 'id'> = {
  requestBody: {
    required: true,
    description: 'JSON, the fields of a form, or plain text, of at most 256 KiB.',
    content: { 'application/json': {}, 'application/x-www-form-urlencoded': {}, 'text/plain': {} },
  },
  answer: ['What became of it.', HOOK_CALLED],
  fails: [400, 401, 404, 413],
}

export const hookPaths = () =>
  chapter('hooks', SIGNED_IN, {
    'POST /api/hooks/preview': {
      id: 'previewHook',
      summary: 'See what a hook would send',
      description: 'Nothing is sent or stored.',
      body: [
        PREVIEW,
        { hook: { preset: 'text', recipients: ['+4915112345678'] }, body: 'The backup failed.' },
      ],
      answer: ['The texts, or why there are none.', HOOK_PREVIEW],
      fails: PREVIEW_FAILS,
    },
    'POST /api/hooks/{secret}': {
      id: 'callHook',
      summary: 'Send texts from a body',
      description:
        'The record of `hooks` with this secret says what is sent to whom. What is missing in the body is a 400 that names it. 429: a hook of kind `codes` has sent as many as it may. 503: the server is busy, or no phone can send a code now.',
      security: NOBODY,
      ...CALL,
    },
    'POST /api/hooks': {
      id: 'callHookByHeader',
      summary: 'Send texts from a body, with the secret in a header',
      security: HOOK,
      ...CALL,
    },
  })
