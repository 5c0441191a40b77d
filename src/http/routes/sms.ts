import { Hono } from 'hono'
import { countBatch } from '../../sms/edit/batches.ts'
import { cancelMessage } from '../../sms/edit/cancel.ts'
import { cancelBatch } from '../../sms/edit/cancel-batch.ts'
import { changeMessage, readChange } from '../../sms/edit/change.ts'
import { readReschedule, rescheduleBatch } from '../../sms/edit/reschedule.ts'
import { retryMessage } from '../../sms/edit/retry.ts'
import { RETRY_BATCH, retryBatch } from '../../sms/edit/retry-batch.ts'
import { readPreview, readSend, readTemplateSend, type SendBody } from '../../sms/send/body.ts'
import { fingerprintOf, readIdempotencyKey } from '../../sms/send/idempotency.ts'
import { previewInTurn, previewSend } from '../../sms/send/preview.ts'
import { type SendServices, send } from '../../sms/send/send.ts'
import { checkShape } from '../../sms/send/shape.ts'
import { readUsage } from '../../sms/usage/quota.ts'
import { countDays, readDays } from '../../sms/usage/usage-days.ts'
import { readJson } from '../body/json-body.ts'
import { type Ctx, type Env, queryOf, type Services } from '../context.ts'
import { ownerOf, READS, requireSender, withSender } from '../middleware/sender.ts'
import { sendRaw } from '../send-json.ts'
import { clientOfUser } from '../server/request-client.ts'

/** Room for 100,000 recipients. */
const MAX_BODY_BYTES = 4 << 20

/** `/api/sms`: what a web app asks of us, with an API key or signed in. Errors are `{"error","message"}`. */
export function smsRoutes(services: Services): Hono<Env> {
  const { store, config } = services
  const sendServices = services.sending
  return new Hono<Env>()
    .post('/send', (c) => sendFrom(c, services, sendServices, readSend))
    .post('/send-template', (c) => sendFrom(c, services, sendServices, readTemplateSend))
    .post('/preview', async (c) => {
      const { user } = await requireSender(c, services, ['messages:send'])
      const body = readPreview(await readJson(c, MAX_BODY_BYTES), new Date())
      return previewInTurn(user, async () =>
        sendRaw(c, JSON.stringify(await previewSend(store, config, user, body))),
      )
    })
    .get('/usage', async (c) => {
      const { user } = await requireSender(c, services, READS)
      return sendRaw(c, JSON.stringify(await readUsage(store, user, config, new Date())))
    })
    .get('/usage/days', async (c) => {
      const days = readDays(queryOf(c).days)
      const owner = await ownerOf(c, services)
      return sendRaw(
        c,
        JSON.stringify(await countDays(store, owner, days, new Date(), clientOfUser(c, owner))),
      )
    })
    .get('/batches/:batch_id', async (c) => {
      const { user } = await requireSender(c, services, READS)
      const client = clientOfUser(c, user)
      return sendRaw(c, JSON.stringify(await countBatch(store, user, c.req.param('batch_id'), client)))
    })
    .post('/batches/:batch_id/cancel', async (c) => {
      const { user } = await requireSender(c, services, ['messages:cancel'])
      return sendRaw(c, JSON.stringify(await cancelBatch(store, user, c.req.param('batch_id'))))
    })
    .post('/batches/:batch_id/reschedule', async (c) => {
      const { user } = await requireSender(c, services, ['messages:send'])
      const change = readReschedule(await readJson(c, MAX_BODY_BYTES), new Date())
      return sendRaw(c, JSON.stringify(await rescheduleBatch(store, user, c.req.param('batch_id'), change)))
    })
    .post('/batches/:batch_id/retry', (c) => {
      let raw: Promise<unknown> | undefined
      return withSender(c, services, async (sender) => {
        raw ??= hasBody(c) ? readJson(c, MAX_BODY_BYTES) : Promise.resolve({})
        const body = checkShape(RETRY_BATCH, await raw)
        return sendRaw(
          c,
          JSON.stringify(await retryBatch(sendServices, sender, c.req.param('batch_id'), body)),
        )
      })
    })
    .patch('/messages/:id', async (c) => {
      const { user } = await requireSender(c, services, ['messages:send'])
      const change = readChange(await readJson(c, MAX_BODY_BYTES), new Date())
      return sendRaw(c, JSON.stringify(await changeMessage(store, user, c.req.param('id'), change)))
    })
    .post('/messages/:id/retry', (c) =>
      withSender(c, services, async (sender) =>
        sendRaw(c, (await retryMessage(sendServices, sender, c.req.param('id'))).answer),
      ),
    )
    .post('/messages/:id/cancel', async (c) => {
      const { user } = await requireSender(c, services, ['messages:cancel'])
      return sendRaw(c, JSON.stringify(await cancelMessage(store, user, c.req.param('id'))))
    })
}

export const hasBody = (c: Ctx) =>
  c.req.header('transfer-encoding') !== undefined || Number(c.req.header('content-length') ?? 0) > 0

/** A send of either kind: credentials, then the body, then the work. */
function sendFrom(
  c: Ctx,
  services: Services,
  sendServices: SendServices,
  read: (raw: unknown, now: Date) => SendBody,
) {
  // read once, whether or not the credentials turn out stale
  let raw: Promise<unknown> | undefined
  return withSender(c, services, async (sender) => {
    raw ??= readJson(c, MAX_BODY_BYTES)
    const json = await raw
    const body = read(json, new Date())
    const key = readIdempotencyKey(c.req.header('idempotency-key'))
    const idempotency = key === null ? null : { key, fingerprint: fingerprintOf(c.req.path, json) }
    const { answer, replayed } = await send(sendServices, sender, body, idempotency)
    if (replayed) {
      c.header('Idempotent-Replayed', 'true')
      // or a page of another origin never sees it
      c.header('Access-Control-Expose-Headers', 'Idempotent-Replayed')
    }
    return sendRaw(c, answer)
  })
}
