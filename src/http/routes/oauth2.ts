import { storeAppleName } from '../../engine/auth/oauth2/apple-name.ts'
import { makeObjectShape, text, type ValueOf } from '../../engine/fields/json-shapes.ts'
import { ApiError } from '../../platform/api-errors.ts'
import { allowEverybody } from '../allow-callers.ts'
import { readForm } from '../body/form.ts'
import { makeRoutes, makeUndescribedRow } from '../make-routes.ts'
import type { Ctx, Services } from '../request-context.ts'
import { FORM_BYTES } from '../route-limits.ts'

/** Parameters that a provider adds to its redirect. Only Apple sends `user`. */
const REDIRECT_FORM = makeObjectShape({ state: text, code: text, error: text, user: text })

type Redirect = ValueOf<typeof REDIRECT_FORM>

const TOPIC = '@oauth2'

const SUCCESS = '../_/#/auth/oauth2-redirect-success'

const FAILURE = '../_/#/auth/oauth2-redirect-failure'

const redirect = makeUndescribedRow(allowEverybody(), 'no rows', async ({ services }, c: Ctx) => {
  const redirect = await readRedirect(c)
  const isDone = redirect !== undefined && (await deliverRedirect(c, services, redirect))
  return c.body(null, c.req.method === 'GET' ? 307 : 303, {
    location: isDone ? SUCCESS : FAILURE,
  })
})

/** `/api/oauth2-redirect`: passes the code to the realtime client with id `state`, as PocketBase does. */
export const OAUTH2_ROUTES = makeRoutes('', {
  'GET /api/oauth2-redirect': { ...redirect, changes: true },
  'POST /api/oauth2-redirect': { maxBytes: FORM_BYTES, ...redirect },
})

async function readRedirect(c: Ctx): Promise<Redirect | undefined> {
  if (c.req.method !== 'POST') {
    const { state = '', code = '', error = '' } = c.env.incoming.query
    return { state, code, error, user: '' }
  }
  try {
    return await readForm(c, REDIRECT_FORM)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

async function deliverRedirect(c: Ctx, services: Services, redirect: Redirect): Promise<boolean> {
  const { state, code, error, user } = redirect
  const data = JSON.stringify({ state, code, ...(error && { error }) })
  const ip = c.env.incoming.ip
  const isHeard = await services.realtime.deliver({ clientId: state, ip, topic: TOPIC, data })
  const isDone = isHeard && code !== '' && error === ''
  if (isDone && user) storeAppleName(code, user)
  return isDone
}
