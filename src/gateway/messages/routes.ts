import { Hono } from 'hono'
import { userHolder } from '../../engine/collections/collection.ts'
import { sendRaw, sendValue } from '../../http/answer.ts'
import { readJson } from '../../http/body/raw-body.ts'
import type { Ctx, Env, Services } from '../../http/context.ts'
import { routesFor } from '../../http/make-routes.ts'
import { queryOf } from '../../http/query.ts'
import { bodyBytes } from '../../http/server/incoming-body.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { type Act, may } from '../base/permissions.ts'
import { readAccountUsage } from '../base/quota.ts'
import { withNumbers } from '../base/read-numbers.ts'
import { checkShape } from '../base/schemas.ts'
import { costsOfLines } from '../lines/line-costs.ts'
import { countBatch } from './queue/batch.ts'
import { cancelBatch, cancelMessage } from './queue/cancel.ts'
import { changeMessage, readChange } from './queue/change.ts'
import { readReschedule, rescheduleBatch } from './queue/reschedule.ts'
import { retryBatch, retryMessage } from './queue/retry.ts'
import { RETRY_BATCH, RETRY_MESSAGE } from './queue/retry-body.ts'
import { SEND, TEMPLATE_SEND } from './send/body-schema.ts'
import { readIdempotency } from './send/idempotency.ts'
import { ATTEMPT_HEADER, refuseOwnAttempt } from './send/own-carrier.ts'
import { previewSend } from './send/preview.ts'
import { readPreview, readSend } from './send/read-body.ts'
import { send } from './send/send.ts'
import type { Sending } from './send/sending.ts'
import { requireReader, requireSender, type SendingCaller, withSender } from './sender.ts'
import { countDays, readDays } from './usage-days.ts'

/** Enough for 100,000 recipients. */
const MAX_BODY_BYTES = 4 << 20

interface OwnServices extends Services {
  readonly sending: Sending
}

/** `/api/sms`: sends, actions on sent messages, statistics. Errors are `{"error","message"}`. */
export function smsRoutes(services: OwnServices): Hono<Env> {
  const { config } = services
  const by = (act: Act) => (c: Ctx) => requireSender(c, services, act)
  const reads = routesFor(by('readUsage'), {
    'GET /usage': ({ user, store }) => readAccountUsage(store, user, config, new Date()),
    'GET /batches/:batch_id': ({ user, store }, _, id) => countBatch(store, user, id),
  })
  const costs = routesFor(by('listDevices'), {
    'GET /usage/lines': ({ user, store }) => costsOfLines(store, user),
  })
  /** A route that changes or previews texts, with the caller from the cache at first. */
  const changing =
    <T>(
      act: Act,
      parse: (c: Ctx) => Promise<T>,
      run: (sender: SendingCaller, id: string, given: T) => Promise<object | string>,
    ) =>
    (c: Ctx) =>
      withSender(c, services, act, async (sender) => {
        const given = await parse(c)
        const made = await run(sender, String(Object.values(c.req.param())[0]), given)
        return typeof made === 'string' ? sendRaw(c, made) : sendValue(c, made)
      })
  const cancels = (cancel: typeof cancelBatch | typeof cancelMessage) =>
    changing('cancel', noBody, (sender, id) => cancel(sender.store, may(sender, 'cancel'), id))
  const sendingFor = ({ store }: SendingCaller) => ({ ...services.sending, store })
  return new Hono<Env>()
    .post('/send', sendFrom(services, SEND))
    .post('/send-template', sendFrom(services, TEMPLATE_SEND))
    .get('/usage/days', async (c) => {
      const days = readDays(queryOf(c).days)
      const { user, store } = await requireReader(c, services)
      return sendValue(c, await countDays(store, user, days, new Date()))
    })
    .post(
      '/batches/:batch_id/reschedule',
      changing(
        'change',
        async (c) => readReschedule(await jsonOf(c), new Date()),
        (sender, id, change) => rescheduleBatch(sender.store, sender, id, change),
      ),
    )
    .patch(
      '/messages/:id',
      changing(
        'change',
        async (c) => readChange(await jsonOf(c), new Date()),
        (sender, id, change) => changeMessage(sender.store, may(sender, 'change'), id, change),
      ),
    )
    .post('/batches/:batch_id/cancel', cancels(cancelBatch))
    .post('/messages/:id/cancel', cancels(cancelMessage))
    .post(
      '/batches/:batch_id/retry',
      changing(
        'retry',
        async (c) => checkShape(RETRY_BATCH, await optionalJson(c)),
        (sender, id, body) => retryBatch(sendingFor(sender), sender, id, body),
      ),
    )
    .post(
      '/messages/:id/retry',
      changing(
        'retry',
        async (c) => checkShape(RETRY_MESSAGE, await optionalJson(c)),
        async (sender, id, body) => (await retryMessage(sendingFor(sender), sender, id, body)).answer,
      ),
    )
    .post(
      '/preview',
      changing(
        'preview',
        async (c) => readPreview(await jsonOf(c), new Date()),
        (sender, _, body) => {
          const preview = () => previewSend(sender.store, config, sender, body)
          return admission.heavyWork.run(userHolder(sender.user), preview)
        },
      ),
    )
    .route('/', reads)
    .route('/', costs)
}

const jsonOf = (c: Ctx) => readJson(c, MAX_BODY_BYTES)

/** The body of a request that needs none. */
const optionalJson = async (c: Ctx) => (bodyBytes(c.env.incoming) > 0 ? await jsonOf(c) : {})

const noBody = async () => undefined

/**
 * Sends a text or a template. Checks credentials before it reads the body. `adapt` reads the body of another
 * API, whose numbers may have any notation.
 */
export const sendFrom =
  (services: OwnServices, schema: typeof SEND | typeof TEMPLATE_SEND, adapt?: (json: unknown) => unknown) =>
  (c: Ctx) =>
    withSender(c, services, 'send', async (sender) => {
      // parse
      const given = await jsonOf(c)
      const json = adapt ? adapt(given) : given
      const strict = readSend(schema, json, new Date())
      const { maxRecipients } = services.config
      const body = adapt ? await withNumbers(sender.store, sender.user, strict, maxRecipients) : strict
      const key = c.req.header('idempotency-key')
      const idempotency = key === undefined ? null : readIdempotency(key, c.req.path, json)
      const attempt = c.req.header(ATTEMPT_HEADER)
      if (attempt !== undefined) await refuseOwnAttempt(sender.store, sender.user, attempt)
      // plan an offer, and store it in one transaction with offers of other requests
      const sending = { ...services.sending, store: sender.store }
      const { answer, replayed } = await send(sending, sender, body, idempotency)
      // respond
      if (replayed) {
        c.header('Idempotent-Replayed', 'true')
        // lets scripts of pages from other origins read the header above
        c.header('Access-Control-Expose-Headers', 'Idempotent-Replayed')
      }
      return sendRaw(c, answer)
    })
